"""EM whose E-step is biased by properties (posterior regularisation)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.representation.bias.bias import Bias, ByCode
from dovetail.representation.hmm.biased.dual import Ball, ascend
from dovetail.representation.hmm.em import Rule
from dovetail.representation.hmm.inference import Costs, Engine, Expected
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.hmm.steps import PASSING, Memory, Step
from dovetail.representation.text import Floats, Singles, Text

STILL = 0.01  # of the ball's radius: multipliers that move no farther have settled
FULL_ROUNDS = 2  # with biases at full strength, before a training may end by itself


class ByToken(NamedTuple):
    """What an E-step finds, and the probabilities of states at each token where they are needed."""

    expected: Expected
    posteriors: Singles | None


@dataclass
class BiasState:
    """Biases with their multipliers, what the last round expected of each, and the step size with
    which multipliers climb."""

    biases: Sequence[Bias]
    each: Singles | None
    multipliers: list[Floats] = field(default_factory=list)
    by_code: list[Floats] = field(default_factory=list)
    step: float | None = None
    posteriors: Singles | None = None
    """Of the last E-step, where a bias needs them. Only checkpoints hold these: whoever goes on
    from a finished model takes them anew."""

    def __post_init__(self) -> None:
        if not self.multipliers:
            self.multipliers = [np.zeros(bias.n_multipliers) for bias in self.biases]

    @classmethod
    def restore(cls, biases: Sequence[Bias], each: Singles | None, memory: Memory) -> BiasState:
        """The state of a training that is resumed."""
        if not memory:
            return cls(biases, each)
        columns = sum(len(bias.codes) for bias in biases)
        return cls(
            biases,
            each,
            [memory[f"multipliers {k}"] for k in range(len(biases))],
            [memory[f"expected {k}"] for k in range(columns)],
            float(memory["step"][0]) if "step" in memory else None,
            memory.get(PASSING),
        )

    def memory(self) -> dict[str, npt.NDArray[Any]]:
        return {
            **{f"multipliers {k}": values for k, values in enumerate(self.multipliers)},
            **{f"expected {k}": values for k, values in enumerate(self.by_code)},
            **({} if self.step is None else {"step": np.array([self.step])}),
            **({} if self.posteriors is None else {PASSING: self.posteriors}),
        }

    def by_bias(self, by_code: ByCode) -> list[ByCode]:
        """What was expected, bias by bias."""
        ends = accumulate((len(bias.codes) for bias in self.biases), initial=0)
        return [by_code[a:b] for a, b in pairwise(ends)]

    def base_costs(self) -> list[list[Floats]]:
        """What multipliers of 1 cost, bias by bias; nothing before the first round."""
        if not self.by_code:
            return [[np.zeros((n, b.n_states)) for n in b.sizes] for b in self.biases]
        pairs = zip(self.biases, self.by_bias(self.by_code), strict=True)
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
        return Costs(coded, self._token_costs(multipliers, without))

    def current_costs(self, *, without: str = "") -> Costs:
        return self.costs(self.base_costs(), self.multipliers, without=without)

    def _token_costs(self, multipliers: Sequence[Floats], without: str) -> Singles | None:
        """Those that single tokens have, of the user's own and of biases."""
        each = self.each
        for bias, values in zip(self.biases, multipliers, strict=True):
            if bias.by_token and bias.name != without and self.posteriors is not None:
                own = bias.token_factors(self.posteriors) * values.astype(np.float32)
                each = own if each is None else each + own
        return each

    @property
    def needs_posteriors(self) -> bool:
        return any(bias.by_token for bias in self.biases)

    def slopes(self, base: Sequence[Sequence[Floats]], found: ByToken) -> Floats:
        """E_q[phi] for each multiplier."""
        out = []
        parts = self.by_bias(found.expected.by_code)
        for bias, cost, part in zip(self.biases, base, parts, strict=True):
            if bias.by_token and self.posteriors is not None:
                assert found.posteriors is not None
                factors = bias.token_factors(self.posteriors).astype(np.float64)
                slope = (factors * found.posteriors).sum(axis=0)
            else:
                slope = bias.expect(cost, part)
            out.append(slope + bias.constant)
        return np.concatenate(out)

    def constants(self) -> Floats:
        """What properties are beside their costs, for each multiplier."""
        return np.repeat([b.constant for b in self.biases], [b.n_multipliers for b in self.biases])

    def measure(self) -> dict[str, float]:
        parts = self.by_bias(self.by_code)
        return {
            bias.name: bias.measure(part) for bias, part in zip(self.biases, parts, strict=True)
        }


@dataclass(frozen=True)
class BiasedEM:
    """EM with a biased E-step.

    Without ``sigma``, each multiplier goes to the bound that its weight sets, over ``ramp`` rounds.
    With it, multipliers climb the dual inside a ball of that radius, ``evaluations`` E-steps a
    round.
    """

    sigma: float | None
    ramp: int
    evaluations: int

    def rounds(
        self, text: Text, engine: Engine, rule: Rule, at: Parameters, state: BiasState, done: int
    ) -> Iterator[Step]:
        acts = any(bias.weight > 0 for bias in state.biases)
        while True:
            done += 1
            settled = not acts or (self.sigma is None and done >= self.ramp + FULL_ROUNDS)
            if state.by_code and state.needs_posteriors and state.posteriors is None:
                state.posteriors = _run(text, engine, at, state, state.current_costs()).posteriors
            if self.sigma is None or not state.by_code:
                now = _run(text, engine, at, state, state.current_costs())
            else:
                now, moving = self._ascend(text, engine, at, state)
                settled = settled or moving <= STILL
            found, state.posteriors = now
            state.by_code = found.by_code
            if self.sigma is None:
                self._advance(state, min(1.0, done / max(self.ramp, 1)))
            likelihood = engine.log_likelihood(text, at) / text.n_tokens
            at = rule(found.counts, at)
            yield Step(at, likelihood, state.measure(), state.memory(), settled)

    @staticmethod
    def _advance(state: BiasState, share: float) -> None:
        parts = state.by_bias(state.by_code)
        state.multipliers = [
            bias.advance(values, part, share)
            for bias, values, part in zip(state.biases, state.multipliers, parts, strict=True)
        ]

    def _ascend(
        self, text: Text, engine: Engine, at: Parameters, state: BiasState
    ) -> tuple[ByToken, float]:
        """What is expected after a climb, and how far multipliers move."""
        assert self.sigma is not None
        sizes = [bias.n_multipliers for bias in state.biases]
        cuts = np.cumsum(sizes)[:-1]
        base = state.base_costs()
        ball = Ball(
            self.sigma,
            np.repeat([bias.weight for bias in state.biases], sizes).astype(float),
            np.repeat([bias.signed for bias in state.biases], sizes),
        )

        constants = state.constants()

        def evaluate(values: Floats) -> tuple[float, Floats, ByToken]:
            costs = state.costs(base, np.split(values, cuts))
            found = _run(text, engine, at, state, costs)
            value = float((values * constants).sum()) - found.expected.log_likelihood
            return value, state.slopes(base, found), found

        start = np.concatenate(state.multipliers)
        climbed = ascend(evaluate, start, ball, evaluations=self.evaluations, step=state.step)
        state.multipliers = np.split(climbed.multipliers, cuts)
        state.step = climbed.step or None
        return climbed.found, climbed.moving


def _run(text: Text, engine: Engine, at: Parameters, state: BiasState, costs: Costs) -> ByToken:
    """An E-step under these costs."""
    found = engine.expected(text, at, costs)
    if not state.needs_posteriors:
        return ByToken(found, None)
    return ByToken(found, engine.marginals(text, at, costs).astype(np.float32))
