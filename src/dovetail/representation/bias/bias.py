"""A property over a given text: codes of its tokens, costs of states, multipliers.

``by_code`` is, for each of a bias's columns of codes, how often states are expected with each code,
[codes x states], as the last E-step found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dovetail.numeric import log
from dovetail.representation.text import Floats, Ints, Singles

SMOOTHING = 0.1  # of counts, before their logarithms are taken
LARGEST_COST = 10.0  # nats

ByCode = Sequence[Floats]


class CodeBias(NamedTuple):
    """What word classes should tell, or with a weight below 0 should not: a code for each token,
    -1 where there is none."""

    codes: Ints
    n_codes: int
    weight: float


@dataclass
class Bias:
    """Costs that are linear in multipliers: the E-step multiplies emissions by exp(-cost)."""

    codes: list[Ints]
    sizes: list[int]
    n_states: int
    weight: float
    scale: float

    name = ""
    signed = False  # whether a multiplier may be below 0
    biases_start = True  # whether the classes that EM starts from are biased too
    by_token = False  # whether costs follow from what was expected at each token, see below
    constant = 0.0  # what the property is beside its costs: no state changes it

    @property
    def n_multipliers(self) -> int:
        return len(self.codes)

    def costs(self, by_code: ByCode) -> list[Floats]:
        """What multipliers of 1 cost, for each column of codes [codes x states]."""
        raise NotImplementedError

    def tables(self, multipliers: Floats, costs: Sequence[Floats]) -> list[Floats]:
        """The costs under these multipliers."""
        return [m * cost for m, cost in zip(multipliers, costs, strict=True)]

    def expect(self, costs: Sequence[Floats], by_code: ByCode) -> Floats:
        """E_q[phi] for each multiplier: the gradient of the dual."""
        pairs = zip(costs, by_code, strict=True)
        return np.array([float((cost * sums).sum()) for cost, sums in pairs])

    def token_factors(self, posteriors: Singles) -> Singles:
        """Of a bias ``by_token``: what a state costs at each token where its multiplier is 1,
        given the probabilities of states that the last E-step found, [tokens x states]."""
        raise NotImplementedError

    def advance(
        self,
        multipliers: Floats,
        by_code: ByCode,  # noqa: ARG002 - others look at it
        share: float,
    ) -> Floats:
        """Multipliers of the next round where nothing but their weight bounds them: E_q[phi] is
        above 0, so that the dual is largest at the bound. ``share`` of it early in a training."""
        return np.full_like(multipliers, share * self.weight)

    def measure(self, by_code: ByCode) -> float:
        """The property itself, under q."""
        raise NotImplementedError

    @property
    def class_biases(self) -> list[CodeBias]:
        """The same for word classes: they should tell nothing of the codes."""
        share = self.weight / len(self.codes)
        pairs = zip(self.codes, self.sizes, strict=True)
        return [CodeBias(codes, size, -share) for codes, size in pairs]


def log_conditional(sums: Floats) -> Floats:
    """log P(code | state), smoothed and bounded."""
    smooth = sums + SMOOTHING
    logs = log(smooth) - log(smooth.sum(axis=0))
    return np.asarray(np.maximum(logs, -LARGEST_COST))


def joint_log_conditional(sums: Floats) -> Floats:
    """P(code, state) log P(code | state), of joint counts [codes x states]; 0 where a pair is not
    expected at all."""
    total = sums.sum()
    if not total > 0:
        return np.zeros_like(sums)
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.where(sums > 0, log(sums / sums.sum(axis=0)), 0.0)
    return np.asarray(sums / total * logs)


def conditional_entropy(sums: Floats) -> float:
    """H(code | state) in nats, of joint counts [codes x states]."""
    total = sums.sum()
    with np.errstate(invalid="ignore"):
        logs = np.where(sums > 0, log(sums / sums.sum(axis=0)), 0.0)
    return float(-(sums * logs).sum() / total) if total > 0 else 0.0
