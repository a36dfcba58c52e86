"""States that are used alike in two domains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dovetail.errors import DataError
from dovetail.numeric import log
from dovetail.representation.bias.bias import SMOOTHING, Bias, ByCode
from dovetail.representation.bias.property import Domains, Offer, Property
from dovetail.representation.text import Floats, Singles

DAMPING = 0.5


@dataclass(frozen=True)
class Distance(Property):
    """States should be used alike in source and target: the distance of their frequencies."""

    weight: float = 0.3

    offer = Offer(
        "distance",
        "Weight of a bias to alike use of states in both domains; alpha, where scaling is paper.",
        needs_target=True,
    )

    def bias(self, domains: Domains) -> Bias:
        if domains.target is None:
            raise DataError("the distance of two domains needs text of the target: give some")
        s, t = domains.source.n_tokens, domains.target.n_tokens
        codes = np.repeat(np.array([0, 1], np.int32), [s, t])
        if domains.scaling == "paper":
            return PrintedDistanceBias([codes], [2], domains.n_states, self.weight, 1.0)
        scale = 1.0 if domains.scaling == "mean" else s * t / (s + t)
        return DistanceBias([codes], [2], domains.n_states, self.weight, scale)


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

    def expect(self, costs: Sequence[Floats], by_code: ByCode) -> Floats:
        return np.asarray((costs[0] * by_code[0]).sum(axis=0))

    def advance(self, multipliers: Floats, by_code: ByCode, share: float) -> Floats:
        """By the logarithm of the ratio of both frequencies, damped, within the weight."""
        p = by_code[0] + SMOOTHING
        p = p / p.sum(axis=1, keepdims=True)
        raised = multipliers + DAMPING * share * log(p[0] / p[1])
        return np.asarray(np.clip(raised, -self.weight, self.weight))

    def measure(self, by_code: ByCode) -> float:
        """The L1 distance of both distributions over states, between 0 and 2."""
        p = by_code[0] / by_code[0].sum(axis=1, keepdims=True)
        return float(np.abs(p[0] - p[1]).sum())


class PrintedDistanceBias(DistanceBias):
    """As it is printed: a token in state y costs q(Y_i = y) / |source|, or -q(Y_i = y) / |target|,
    with the q of the last E-step. As for all properties there, multipliers are not below 0: what is
    used less in the source is left as it is."""

    signed = False
    by_token = True

    def costs(self, by_code: ByCode) -> list[Floats]:  # noqa: ARG002 - see token_factors
        return [np.zeros((2, self.n_states))]

    def tables(self, multipliers: Floats, costs: Sequence[Floats]) -> list[Floats]:  # noqa: ARG002
        return list(costs)

    def token_factors(self, posteriors: Singles) -> Singles:
        tokens = np.bincount(self.codes[0], minlength=2)
        each = (np.array([1.0, -1.0]) / tokens).astype(np.float32)
        return posteriors * each[self.codes[0], None]
