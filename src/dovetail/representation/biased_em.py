"""EM whose E-step is tilted towards properties."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.representation.biases import Bias, ByCode
from dovetail.representation.dual import Ball, ascend
from dovetail.representation.em import Rule
from dovetail.representation.parameters import Floats, Parameters
from dovetail.representation.rounds import Memory, Step
from dovetail.representation.text import Costs, Engine, Expected, Singles, Text

STILL = 0.01  # of the ball's radius: multipliers that move no farther have settled
FULL_ROUNDS = 2  # with biases at full strength, before a training may end by itself


@dataclass
class Tilt:
    """Biases with their multipliers, what the last round expected of each, and the step size with
    which multipliers climb."""

    biases: Sequence[Bias]
    each: Singles | None
    multipliers: list[Floats] = field(default_factory=list)
    by_code: list[Floats] = field(default_factory=list)
    step: float | None = None

    def __post_init__(self) -> None:
        if not self.multipliers:
            self.multipliers = [np.zeros(bias.n_multipliers) for bias in self.biases]

    @classmethod
    def remembered(cls, biases: Sequence[Bias], each: Singles | None, memory: Memory) -> Tilt:
        """The tilt of a training that goes on."""
        if not memory:
            return cls(biases, each)
        columns = sum(len(bias.codes) for bias in biases)
        return cls(
            biases,
            each,
            [memory[f"multipliers {k}"] for k in range(len(biases))],
            [memory[f"expected {k}"] for k in range(columns)],
            float(memory["step"][0]) if "step" in memory else None,
        )

    def memory(self) -> dict[str, npt.NDArray[Any]]:
        return {
            **{f"multipliers {k}": values for k, values in enumerate(self.multipliers)},
            **{f"expected {k}": values for k, values in enumerate(self.by_code)},
            **({} if self.step is None else {"step": np.array([self.step])}),
        }

    def shared(self, by_code: ByCode) -> list[ByCode]:
        """What was expected, bias by bias."""
        ends = accumulate((len(bias.codes) for bias in self.biases), initial=0)
        return [by_code[a:b] for a, b in pairwise(ends)]

    def base_costs(self) -> list[list[Floats]]:
        """What multipliers of 1 cost, bias by bias; nothing before the first round."""
        if not self.by_code:
            return [[np.zeros((n, b.n_states)) for n in b.sizes] for b in self.biases]
        pairs = zip(self.biases, self.shared(self.by_code), strict=True)
        return [bias.costs(part) for bias, part in pairs]

    def costs(
        self, base: Sequence[Sequence[Floats]], multipliers: Sequence[Floats], *, without: str = ""
    ) -> Costs:
        """The costs of all tokens; those of the bias named in ``without`` are left out."""
        coded = []
        for bias, cost, values in zip(self.biases, base, multipliers, strict=True):
            tables = bias.tables(values, cost)
            if bias.name != without:
                coded += [
                    (c, np.ascontiguousarray(t)) for c, t in zip(bias.codes, tables, strict=True)
                ]
        return Costs(coded, self.each)

    def now(self, *, without: str = "") -> Costs:
        return self.costs(self.base_costs(), self.multipliers, without=without)

    def measured(self) -> dict[str, float]:
        parts = self.shared(self.by_code)
        return {
            bias.name: bias.measured(part) for bias, part in zip(self.biases, parts, strict=True)
        }


@dataclass(frozen=True)
class BiasedEM:
    """EM with a tilted E-step.

    Without ``sigma``, each multiplier goes to the bound that its weight sets, over ``ramp`` rounds.
    With it, multipliers climb the dual inside a ball of that radius, ``evaluations`` E-steps a
    round.
    """

    sigma: float | None
    ramp: int
    evaluations: int

    def rounds(
        self, text: Text, engine: Engine, rule: Rule, at: Parameters, tilt: Tilt, done: int
    ) -> Iterator[Step]:
        acts = any(bias.weight > 0 for bias in tilt.biases)
        while True:
            done += 1
            settled = not acts or (self.sigma is None and done >= self.ramp + FULL_ROUNDS)
            if self.sigma is None or not tilt.by_code:
                found = engine.expected(text, at, tilt.now())
            else:
                found, moving = self._climbed(text, engine, at, tilt)
                settled = settled or moving <= STILL
            tilt.by_code = found.by_code
            if self.sigma is None:
                self._advance(tilt, min(1.0, done / max(self.ramp, 1)))
            likelihood = engine.log_likelihood(text, at) / text.n_tokens
            at = rule(found.counts, at)
            yield Step(at, likelihood, tilt.measured(), tilt.memory(), settled)

    @staticmethod
    def _advance(tilt: Tilt, share: float) -> None:
        parts = tilt.shared(tilt.by_code)
        tilt.multipliers = [
            bias.advanced(values, part, share)
            for bias, values, part in zip(tilt.biases, tilt.multipliers, parts, strict=True)
        ]

    def _climbed(
        self, text: Text, engine: Engine, at: Parameters, tilt: Tilt
    ) -> tuple[Expected, float]:
        """What is expected after a climb, and how far multipliers move."""
        assert self.sigma is not None
        sizes = [bias.n_multipliers for bias in tilt.biases]
        cuts = np.cumsum(sizes)[:-1]
        base = tilt.base_costs()
        ball = Ball(
            self.sigma,
            np.repeat([bias.weight for bias in tilt.biases], sizes).astype(float),
            np.repeat([bias.signed for bias in tilt.biases], sizes),
        )

        def evaluate(values: Floats) -> tuple[float, Floats, Expected]:
            found = engine.expected(text, at, tilt.costs(base, np.split(values, cuts)))
            slopes = [
                bias.expected(cost, part)
                for bias, cost, part in zip(
                    tilt.biases, base, tilt.shared(found.by_code), strict=True
                )
            ]
            return -found.log_likelihood, np.concatenate(slopes), found

        start = np.concatenate(tilt.multipliers)
        climbed = ascend(evaluate, start, ball, evaluations=self.evaluations, step=tilt.step)
        tilt.multipliers = np.split(climbed.multipliers, cuts)
        tilt.step = climbed.step or None
        return climbed.found, climbed.moving
