"""Properties over a given text: codes of its tokens, costs of states, multipliers.

``by_code`` is, for each of a bias's columns of codes, how often states are expected with each code,
[codes x states], as the last E-step found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dovetail.numeric import log
from dovetail.representation.parameters import Floats
from dovetail.representation.text import Ints

SMOOTHING = 0.1  # of counts, before their logarithms are taken
LARGEST_COST = 10.0  # nats
DAMPING = 0.5

ByCode = Sequence[Floats]


class Told(NamedTuple):
    """What word classes should tell, or with a weight below 0 should not: a code for each token,
    -1 where there is none."""

    codes: Ints
    n_codes: int
    weight: float


@dataclass
class Bias:
    """Costs that are linear in multipliers: exp(-cost) tilts the emissions of a token."""

    codes: list[Ints]
    sizes: list[int]
    n_states: int
    weight: float
    scale: float

    signed = False  # whether a multiplier may be below 0
    name = ""

    @property
    def n_multipliers(self) -> int:
        return len(self.codes)

    def costs(self, by_code: ByCode) -> list[Floats]:
        """What multipliers of 1 cost, for each column of codes [codes x states]."""
        raise NotImplementedError

    def tables(self, multipliers: Floats, costs: Sequence[Floats]) -> list[Floats]:
        """The costs under these multipliers."""
        return [m * cost for m, cost in zip(multipliers, costs, strict=True)]

    def expected(self, costs: Sequence[Floats], by_code: ByCode) -> Floats:
        """E_q[phi] for each multiplier: the gradient of the dual."""
        pairs = zip(costs, by_code, strict=True)
        return np.array([float((cost * sums).sum()) for cost, sums in pairs])

    def advanced(
        self,
        multipliers: Floats,
        by_code: ByCode,  # noqa: ARG002 - others look at it
        share: float,
    ) -> Floats:
        """Multipliers of the next round where nothing but their weight bounds them: E_q[phi] is
        above 0, so that the dual is largest at the bound. ``share`` of it early in a training."""
        return np.full_like(multipliers, share * self.weight)

    def measured(self, by_code: ByCode) -> float:
        """The property itself, under q."""
        raise NotImplementedError

    @property
    def told(self) -> list[Told]:
        """The same wish for word classes: to tell nothing of the codes."""
        share = self.weight / len(self.codes)
        pairs = zip(self.codes, self.sizes, strict=True)
        return [Told(codes, size, -share) for codes, size in pairs]


def _log_conditional(sums: Floats) -> Floats:
    """log P(code | state), smoothed and bounded."""
    smooth = sums + SMOOTHING
    logs = log(smooth) - log(smooth.sum(axis=0))
    return np.asarray(np.maximum(logs, -LARGEST_COST))


def conditional_entropy(sums: Floats) -> float:
    """H(code | state) in nats, of joint counts [codes x states]."""
    total = sums.sum()
    with np.errstate(invalid="ignore"):
        logs = np.where(sums > 0, log(sums / sums.sum(axis=0)), 0.0)
    return float(-(sums * logs).sum() / total) if total > 0 else 0.0


class EntropyBias(Bias):
    """H(label | state): each labelled token costs -log P(its label | state)."""

    name = "entropy"

    def costs(self, by_code: ByCode) -> list[Floats]:
        return [-self.scale * _log_conditional(by_code[0])]

    @property
    def told(self) -> list[Told]:
        return [Told(self.codes[0], self.sizes[0], self.weight)]

    def measured(self, by_code: ByCode) -> float:
        return conditional_entropy(by_code[0])


class PredictBias(Bias):
    """How well states tell those of earlier layers: a token costs log P(its earlier state | state),
    above what it would be if all were equally probable."""

    name = "predict"

    def costs(self, by_code: ByCode) -> list[Floats]:
        pairs = zip(self.sizes, by_code, strict=True)
        return [self.scale * (log(size) + _log_conditional(sums)) for size, sums in pairs]

    def measured(self, by_code: ByCode) -> float:
        """The share of the earlier layers' entropy that states explain, on average."""
        shares = []
        for sums in by_code:
            whole = conditional_entropy(sums.sum(axis=1, keepdims=True))
            shares.append(1 - conditional_entropy(sums) / whole if whole > 0 else 0.0)
        return float(np.mean(shares))


class DistanceBias(Bias):
    """How much more often each state is used in one domain than in the other."""

    name = "distance"
    signed = True

    @property
    def n_multipliers(self) -> int:
        return self.n_states

    def costs(self, by_code: ByCode) -> list[Floats]:
        """Those of one more token in a state, by domain."""
        tokens = by_code[0].sum(axis=1)
        return [self.scale * np.array([[1.0], [-1.0]]) / tokens[:, None] * np.ones(self.n_states)]

    def tables(self, multipliers: Floats, costs: Sequence[Floats]) -> list[Floats]:
        return [multipliers * costs[0]]

    def expected(self, costs: Sequence[Floats], by_code: ByCode) -> Floats:
        return np.asarray((costs[0] * by_code[0]).sum(axis=0))

    def advanced(self, multipliers: Floats, by_code: ByCode, share: float) -> Floats:
        """By the logarithm of the ratio of both frequencies, damped, within the weight."""
        p = by_code[0] + SMOOTHING
        p = p / p.sum(axis=1, keepdims=True)
        moved = multipliers + DAMPING * share * log(p[0] / p[1])
        return np.asarray(np.clip(moved, -self.weight, self.weight))

    def measured(self, by_code: ByCode) -> float:
        """The L1 distance of both distributions over states, between 0 and 2."""
        p = by_code[0] / by_code[0].sum(axis=1, keepdims=True)
        return float(np.abs(p[0] - p[1]).sum())
