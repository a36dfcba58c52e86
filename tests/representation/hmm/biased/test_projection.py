"""The biased E-step against a projection by brute force, for every reading of the properties.

All sequences of states of a tiny text are written down, with the properties as plain loops over
tokens. The posterior that minimises KL(q || p) + sigma |xi| under E_q[phi] <= xi is sought among
all distributions over these, by a general optimiser.
"""

from __future__ import annotations

from itertools import pairwise, product
from math import e

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from dovetail.corpus import Corpus
from dovetail.representation import Distance, Entropy, Predict
from dovetail.representation.bias.property import Domains, Scaling
from dovetail.representation.hmm.biased.em import BiasedEM, BiasState
from dovetail.representation.hmm.inference import Engine
from dovetail.representation.text import Text
from reference.hmm import Enumerated
from representation.hmm.test_hmm_kernels import parameters

Floats = NDArray[np.float64]
ENGINE = Engine(exact=True)
SOURCE = Corpus.from_lists(
    {
        "word": [["a", "b", "c"], ["b"]],
        "pos": [["N", "V", "N"], ["V"]],
        "one": [["x", "y", "x"], ["y"]],
    }
)
TARGET = Corpus.from_lists({"word": [["c", "a"]], "one": [["y", "y"]]})
N_SOURCE, N_TARGET, STATES = 4, 2, 2
POS, ONE = [0, 1, 0, 1], [0, 1, 0, 1, 1, 1]
WEIGHTS = {"entropy": 1.0, "distance": 0.6, "predict": 0.4}


class Projection:
    """p over all sequences of states, and the properties of each, by the posteriors of p."""

    def __init__(self, seed: int, scaling: Scaling) -> None:
        self.at = parameters(np.random.default_rng(seed), STATES, 3)
        words = np.array([0, 1, 2, 1, 2, 0])
        self.text = Text.of(words, [0, 3, 4, 6], 3)
        none = np.zeros((6, STATES))
        at = self.at
        each = [
            Enumerated(at.start, at.transitions, at.emissions, words[a:b], none[a:b])
            for a, b in pairwise([0, 3, 4, 6])
        ]
        q = np.concatenate([one.posteriors() for one in each])
        together = list(product(*(zip(o.paths, o.probabilities, strict=True) for o in each)))
        self.p = np.array([np.prod([p for _, p in parts]) for parts in together])
        self.paths = np.array([np.concatenate([path for path, _ in parts]) for parts in together])
        costs = {"token": self.by_token, "mean": self.by_mean, "paper": self.printed}[scaling](q)
        self.phi = np.array(
            [[sum(cost[i][y] for i, y in enumerate(path)) for cost in costs] for path in self.paths]
        )
        if scaling == "paper":
            self.phi[:, -1] += 6 / e  # MAX
        self.signed = np.array([False, *[scaling != "paper"] * STATES, False])
        self.norm = np.array(
            [WEIGHTS["entropy"], *[WEIGHTS["distance"]] * STATES, WEIGHTS["predict"]]
        )

    @staticmethod
    def printed(q: Floats) -> list[Floats]:
        """Eq. 6, the distance with its factor q(Y_i = y), and predictability, token by token."""
        entropy, predict = np.zeros((6, STATES)), np.zeros((6, STATES))
        for i, y in product(range(6), range(STATES)):
            if i < N_SOURCE:
                joint = sum(q[j, y] for j in range(N_SOURCE) if POS[j] == POS[i]) / N_SOURCE
                state = sum(q[j, y] for j in range(N_SOURCE)) / N_SOURCE
                entropy[i, y] = -joint * np.log(joint / state)
            joint = sum(q[j, y] for j in range(6) if ONE[j] == ONE[i]) / 6
            predict[i, y] = joint * np.log(joint / (q[:, y].sum() / 6))
        distances = []
        for y in range(STATES):
            own = np.zeros((6, STATES))
            own[:N_SOURCE, y] = q[:N_SOURCE, y] / N_SOURCE
            own[N_SOURCE:, y] = -q[N_SOURCE:, y] / N_TARGET
            distances.append(own)
        return [entropy, *distances, predict]

    @staticmethod
    def by_token(q: Floats, each: float = 1.0, apart: float = 4 * 2 / 6) -> list[Floats]:
        """Sums over tokens of -log P(label | state), smoothed; differences of frequencies of either
        sign; log P(earlier | state) above what is equally probable."""
        entropy, predict = np.zeros((6, STATES)), np.zeros((6, STATES))
        for i, y in product(range(6), range(STATES)):
            if i < N_SOURCE:
                same = sum(q[j, y] for j in range(N_SOURCE) if POS[j] == POS[i]) + 0.1
                entropy[i, y] = -np.log(same / (q[:N_SOURCE, y].sum() + 0.2))
            same = sum(q[j, y] for j in range(6) if ONE[j] == ONE[i]) + 0.1
            predict[i, y] = np.log(2) + np.log(same / (q[:, y].sum() + 0.2))
        distances = []
        for y in range(STATES):
            own = np.zeros((6, STATES))
            own[:N_SOURCE, y], own[N_SOURCE:, y] = apart / N_SOURCE, -apart / N_TARGET
            distances.append(own)
        return [entropy / (each if each == 1 else N_SOURCE), *distances, predict / each]

    def by_mean(self, q: Floats) -> list[Floats]:
        """The same, as means."""
        return self.by_token(q, each=6.0, apart=1.0)

    def primal(self, q: Floats, sigma: float) -> float:
        """KL(q || p) + sigma |xi|, xi being the least that E_q[phi] allows."""
        expected = q @ self.phi
        xi = np.where(self.signed, np.abs(expected), np.maximum(expected, 0.0))
        kept = q > 0
        kl = float((q[kept] * np.log(q[kept] / self.p[kept])).sum())
        return kl + sigma * float(np.sqrt((self.norm * xi**2).sum()))


@pytest.mark.parametrize("scaling", ["token", "mean", "paper"])
@pytest.mark.parametrize(("seed", "sigma"), [(0, 0.4), (1, 3.0), (2, 20.0)])
def test_the_e_step_is_the_projection(scaling: Scaling, seed: int, sigma: float) -> None:
    truth = Projection(seed, scaling)
    domains = Domains.of(SOURCE, TARGET, "word", STATES, scaling)
    properties = [
        Entropy("pos", WEIGHTS["entropy"]),
        Distance(WEIGHTS["distance"]),
        Predict(["one"], WEIGHTS["predict"]),
    ]
    state = BiasState([one.bias(domains) for one in properties], None)
    unbiased = ENGINE.expected(truth.text, truth.at, state.current_costs())
    state.by_code = unbiased.by_code
    state.posteriors = ENGINE.marginals(truth.text, truth.at).astype(np.float32)
    found, _ = BiasedEM(sigma, 0, 1_000)._ascend(truth.text, ENGINE, truth.at, state)

    multipliers = np.concatenate(state.multipliers)
    assert (multipliers[~truth.signed] >= 0).all()
    q = truth.p * np.exp(-truth.phi @ multipliers)
    q /= q.sum()
    ours = truth.primal(q, sigma)

    def of_logits(logits: Floats) -> float:
        free = np.exp(logits - logits.max())
        return truth.primal(free / free.sum(), sigma)

    starts = (truth.p, (truth.p + q) / 2, q)
    direct = min(minimize(of_logits, np.log(start), method="BFGS").fun for start in starts)
    assert ours == pytest.approx(direct, abs=1e-5 * (1 + abs(direct)))
    assert ours < truth.primal(truth.p, sigma) + 1e-9

    marginals = np.zeros((6, STATES))
    for i in range(6):
        np.add.at(marginals[i], truth.paths[:, i], q)
    words = truth.text.words.astype(int)
    emissions = np.zeros((3, STATES))
    np.add.at(emissions, words, marginals)
    np.testing.assert_allclose(found.expected.counts.emissions, emissions, atol=1e-5)
