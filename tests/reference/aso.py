"""Alternating structure optimisation as He et al. (2009) print it, in NumPy."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

Problem = tuple[np.ndarray, np.ndarray]  # X [n x p], and labels Y of 1 and -1 [n]


def predictor(x: np.ndarray, y: np.ndarray, theta: np.ndarray, penalty: float) -> np.ndarray:
    """u = w + Theta' v at the minimum of (17), by its gradients (18)."""
    n, p = x.shape

    def f(wv: np.ndarray) -> tuple[float, np.ndarray]:
        w, v = wv[:p], wv[p:]
        q = (x @ (w + theta.T @ v)) * y
        loss = np.where(q < -1, -4 * q, np.where(q < 1, (1 - q) ** 2, 0))
        slope = np.where(q < -1, -4, np.where(q < 1, 2 * (q - 1), 0))
        to_u = x.T @ (y * slope) / n
        return loss.sum() / n + penalty * w @ w, np.r_[to_u + 2 * penalty * w, theta @ to_u]

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10}
    start = np.zeros(p + len(theta))
    found = minimize(f, start, jac=True, method="L-BFGS-B", options=options).x
    return found[:p] + theta.T @ found[p:]


def shared_directions(
    auxiliary: list[Problem], h: int, rounds: int, penalty: float
) -> tuple[np.ndarray, np.ndarray]:
    """Theta [h x p], and the singular values: each u by itself with Theta fixed, by turns with the
    first h left singular vectors of U = [u_1 ... u_m]."""
    theta = np.zeros((0, auxiliary[0][0].shape[1]))
    for _ in range(rounds):
        u = np.stack([predictor(x, y, theta, penalty) for x, y in auxiliary], axis=1)
        left, singular, _ = np.linalg.svd(u, full_matrices=False)
        theta = left[:, :h].T
    return theta, singular[:h]
