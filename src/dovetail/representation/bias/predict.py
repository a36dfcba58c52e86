"""States that tell something else than those of earlier layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import e

import numpy as np

from dovetail.errors import DataError
from dovetail.numeric import log
from dovetail.representation.bias.bias import (
    Bias,
    ByCode,
    conditional_entropy,
    joint_log_conditional,
    log_conditional,
)
from dovetail.representation.bias.property import Domains, Property
from dovetail.representation.text import Floats


@dataclass(frozen=True)
class Predict(Property):
    """States should not tell those of earlier layers, which are the columns named here."""

    columns: Sequence[str]
    weight: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.columns or isinstance(self.columns, str):
            raise DataError("Predict needs the columns of the earlier layers, in a list")

    def bias(self, domains: Domains) -> Bias:
        found = [domains.codes(column, target=True) for column in self.columns]
        codes, sizes = [codes for codes, _ in found], [n for _, n in found]
        if domains.scaling == "paper":
            return PrintedPredictBias(codes, sizes, domains.n_states, self.weight, 1.0)
        scale = 1.0 / domains.n_tokens if domains.scaling == "mean" else 1.0 / len(found)
        return PredictBias(codes, sizes, domains.n_states, self.weight, scale)


class PredictBias(Bias):
    """How well states tell those of earlier layers: a token costs log P(its earlier state | state),
    above what it would be if all were equally probable."""

    name = "predict"
    biases_start = False  # layers would be told apart at the cost of what all should tell

    def costs(self, by_code: ByCode) -> list[Floats]:
        pairs = zip(self.sizes, by_code, strict=True)
        return [self.scale * (log(size) + log_conditional(sums)) for size, sums in pairs]

    def measure(self, by_code: ByCode) -> float:
        """The share of the earlier layers' entropy that states explain, on average."""
        shares = []
        for sums in by_code:
            whole = conditional_entropy(sums.sum(axis=1, keepdims=True))
            shares.append(1 - conditional_entropy(sums) / whole if whole > 0 else 0.0)
        return float(np.mean(shares))


class PrintedPredictBias(PredictBias):
    """As it is printed: MAX + sum of P(earlier state, state) log P(earlier state | state) over
    tokens and earlier layers, one property for all of them.

    The paper does not say what MAX is; here the most that the sum can be below 0, 1 / e for each
    token and layer, since p^2 log(1 / p) <= p / e.
    """

    @property
    def n_multipliers(self) -> int:
        return 1

    @property
    def constant(self) -> float:  # type: ignore[override]
        return sum(int((codes >= 0).sum()) for codes in self.codes) / e

    def costs(self, by_code: ByCode) -> list[Floats]:
        return [joint_log_conditional(sums) for sums in by_code]

    def tables(self, multipliers: Floats, costs: Sequence[Floats]) -> list[Floats]:
        return [multipliers[0] * cost for cost in costs]

    def expect(self, costs: Sequence[Floats], by_code: ByCode) -> Floats:
        return np.array([super().expect(costs, by_code).sum()])
