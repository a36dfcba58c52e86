"""The recursions of a hidden Markov model over a text: expected counts, marginals, best states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.representation.hmm.parameters import Counts, Parameters
from dovetail.representation.text import Floats, Ints, Singles, Text


@dataclass
class Costs:
    """What states cost at each token, in nats: the E-step multiplies emissions by exp(-cost).

    ``coded`` has pairs of a code for each token (-1: no cost) and a table [codes x states], which
    take little memory; ``each`` is a matrix [tokens x states] in single precision.
    """

    coded: Sequence[tuple[Ints, Floats]] = ()
    each: Singles | None = None

    def select(self, rows: npt.NDArray[np.int64]) -> Costs:
        """The costs of some tokens only."""
        return Costs(
            [(np.ascontiguousarray(codes[rows]), table) for codes, table in self.coded],
            None if self.each is None else np.ascontiguousarray(self.each[rows]),
        )


@dataclass
class Expected:
    """What an E-step finds: log-likelihood (with costs: of the tilted model), counts, and how often
    each state is expected with each code of each table of costs."""

    log_likelihood: float
    counts: Counts
    by_code: list[Floats] = field(default_factory=list)


@dataclass(frozen=True)
class Engine:
    """How the recursions are run: in single or double precision, on so many threads."""

    exact: bool = False
    threads: int = 1

    def expected(self, text: Text, at: Parameters, costs: Costs | None = None) -> Expected:
        """The E-step: expected counts of all that is hidden."""
        found = text.native.counts(*self._arguments(at, costs), self.exact, self.threads)
        log_likelihoods, start, transitions, emissions, by_code = found
        counts = Counts(start, transitions, emissions)
        return Expected(float(log_likelihoods.sum()), counts, list(by_code))

    def log_likelihood(self, text: Text, at: Parameters, costs: Costs | None = None) -> float:
        arguments = self._arguments(at, costs)
        return float(text.native.log_likelihoods(*arguments, self.exact, self.threads).sum())

    def marginals(
        self, text: Text, at: Parameters, costs: Costs | None = None
    ) -> npt.NDArray[np.floating[Any]]:
        """Probabilities of the states of each token, [tokens x states]."""
        arguments = self._arguments(at, costs)
        found: Any = text.native.posteriors(*arguments, self.exact, self.threads)
        return np.asarray(found)

    def best_states(self, text: Text, at: Parameters, costs: Costs | None = None) -> Ints:
        """The most likely sequences of states (Viterbi)."""
        found: Any = text.native.best_states(*self._arguments(at, costs), self.threads)
        return np.asarray(found)

    @staticmethod
    def _arguments(at: Parameters, costs: Costs | None) -> tuple[Any, Any, Any, Any, Any]:
        given = costs or Costs()
        return at.start, at.transitions, at.emissions, list(given.coded), given.each
