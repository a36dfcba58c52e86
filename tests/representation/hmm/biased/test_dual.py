"""The dual of posterior regularisation against the primal, solved numerically by enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from dovetail.representation.hmm.biased.dual import Ball, ascend
from dovetail.representation.hmm.inference import Costs, Engine, Expected
from dovetail.representation.text import Text
from reference.hmm import Enumerated
from representation.hmm.test_hmm_kernels import parameters

ENGINE = Engine(exact=True)
TEXT = Text.of([0, 1, 2, 1], [0, 3, 4], 3)
CODES = [np.array([0, 1, -1, 0], np.int32), np.array([1, 1, 0, -1], np.int32)]


class Tiny:
    """Two properties, one of which should be small and the other near 0, on two sequences."""

    def __init__(self, seed: int, sigma: float) -> None:
        rng = np.random.default_rng(seed)
        self.at = parameters(rng, 2, 3)
        self.tables = [rng.random((2, 2)) * 3, rng.standard_normal((2, 2)) * 2]
        weights, signed = rng.random(2) * 2 + 0.1, np.array([False, True])
        self.ball = Ball(sigma, weights, signed)
        self.p, self.phi = self._enumerated()

    def climbed(self) -> tuple[np.ndarray, Expected]:
        def evaluate(values: np.ndarray) -> tuple[float, np.ndarray, Expected]:
            pairs = zip(CODES, values, self.tables, strict=True)
            found = ENGINE.expected(TEXT, self.at, Costs([(c, v * t) for c, v, t in pairs]))
            slope = [(t * n).sum() for t, n in zip(self.tables, found.by_code, strict=True)]
            return -found.log_likelihood, np.array(slope), found

        done = ascend(evaluate, np.zeros(2), self.ball, evaluations=400, step=None)
        return done.multipliers, done.found

    def _enumerated(self) -> tuple[np.ndarray, np.ndarray]:
        """p(Y | x) and phi(Y) of all pairs of sequences of states."""
        costs = np.zeros((2, 4, 2))
        for j, (codes, table) in enumerate(zip(CODES, self.tables, strict=True)):
            costs[j] = np.where((codes >= 0)[:, None], table[codes], 0.0)
        at, none = self.at, np.zeros((4, 2))
        parts = [
            Enumerated(at.start, at.transitions, at.emissions, TEXT.words[a:b], none[a:b])
            for a, b in ((0, 3), (3, 4))
        ]
        both = list(product(*(zip(p.paths, p.probabilities, strict=True) for p in parts)))
        p = np.array([a[1] * b[1] for a, b in both])
        paths = np.array([np.concatenate([a[0], b[0]]) for a, b in both])
        phi = np.array([costs[:, np.arange(4), path].sum(axis=1) for path in paths])
        return p, phi

    def primal(self, q: np.ndarray) -> float:
        """KL(q || p) + sigma | xi |, with xi the least that E_q[phi] allows."""
        expected = q @ self.phi
        xi = np.where(self.ball.signed, np.abs(expected), np.maximum(expected, 0))
        kept = q > 0
        kl = (q[kept] * np.log(q[kept] / self.p[kept])).sum()
        return float(kl + self.ball.sigma * np.sqrt((self.ball.weights * xi**2).sum()))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), sigma=st.sampled_from([0.05, 0.3, 1.0]))
@example(seed=332, sigma=1.0)  # steps that only just climb would circle the ball
def test_the_dual_finds_the_best_posterior(seed: int, sigma: float) -> None:
    tiny = Tiny(seed, sigma)
    multipliers, _ = tiny.climbed()
    p, phi = tiny.p, tiny.phi
    q = p * np.exp(-phi @ multipliers)
    q /= q.sum()

    def of_logits(logits: np.ndarray) -> float:
        free = np.exp(logits - logits.max())
        return tiny.primal(free / free.sum())

    direct = min(
        minimize(of_logits, np.log(start), method="BFGS").fun for start in (p, (p + q) / 2)
    )
    assert tiny.primal(q) == pytest.approx(min(direct, tiny.primal(q)), abs=1e-6)
    dual = -np.log((p * np.exp(-phi @ multipliers)).sum())
    assert dual == pytest.approx(tiny.primal(q), abs=1e-4)  # no gap: both are optimal


def test_multipliers_lie_in_the_ball() -> None:
    tiny = Tiny(3, 0.3)
    multipliers, found = tiny.climbed()
    assert multipliers[0] >= 0
    assert np.linalg.norm(multipliers / np.sqrt(tiny.ball.weights)) <= 0.3 * (1 + 1e-9)
    assert found.log_likelihood < ENGINE.log_likelihood(TEXT, tiny.at)


def test_a_property_without_weight_has_no_multiplier() -> None:
    tiny = Tiny(1, 1.0)
    tiny.ball.weights[0] = 0.0
    multipliers, _ = tiny.climbed()
    assert multipliers[0] == 0


def test_a_posterior_that_cannot_be_is_not_the_best() -> None:
    """Beyond 1 no sequence is possible any more, and the dual is infinite."""

    def evaluate(at: np.ndarray) -> tuple[float, np.ndarray, float]:
        value = float(at[0]) if at[0] <= 1 else np.inf
        return value, np.array([1.0]), value

    ball = Ball(3.0, np.ones(1), np.array([True]))
    found = ascend(evaluate, np.zeros(1), ball, evaluations=10, step=None)
    assert 0 < found.multipliers[0] <= 1
    assert found.found == found.multipliers[0]
