"""Linear classifiers and shared structure, slow and obvious."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize


def loss_of(name: str, q: np.ndarray) -> np.ndarray:
    """Losses as functions of margin x label."""
    if name == "modified_huber":
        return np.where(q >= 1, 0, np.where(q >= -1, (1 - q) ** 2, -4 * q))
    if name == "squared_hinge":
        return np.maximum(0, 1 - q) ** 2
    return np.logaddexp(0, -q)


def objective(
    loss: str, x: np.ndarray, z: np.ndarray, y: np.ndarray, w: np.ndarray, v: np.ndarray, c: float
) -> float:
    """1/n sum M(y (x w + z v)) + c |w|^2."""
    return float(loss_of(loss, y * (x @ w + z @ v)).mean() + c * w @ w)


def best(
    loss: str, x: np.ndarray, z: np.ndarray, y: np.ndarray, c: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """The w, v and objective at the minimum, by differences alone."""
    n = x.shape[1]
    found = minimize(
        lambda u: objective(loss, x, z, y, u[:n], u[n:], c),
        np.zeros(n + z.shape[1]),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    return found.x[:n], found.x[n:], float(found.fun)


def main_directions(u: np.ndarray, h: int) -> np.ndarray:
    """The first h left singular vectors of U [features x problems]."""
    return np.linalg.svd(u, full_matrices=False)[0][:, :h]
