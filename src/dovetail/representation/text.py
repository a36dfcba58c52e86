"""Text as a hidden Markov model sees it: numbers of words, in sequences; and the E-step over it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.representation.parameters import Counts, Floats, Parameters

Ints = npt.NDArray[np.int32]
Singles = npt.NDArray[np.float32]


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


@dataclass
class Text:
    """Sequences of word numbers; sequence s is ``words[bounds[s]:bounds[s + 1]]``."""

    words: Ints
    bounds: npt.NDArray[np.uint64]
    n_words: int

    @classmethod
    def of(cls, words: npt.ArrayLike, bounds: npt.ArrayLike, n_words: int) -> Text:
        return cls(
            np.ascontiguousarray(words, dtype=np.int32),
            np.ascontiguousarray(bounds, dtype=np.uint64),
            n_words,
        )

    @property
    def n_tokens(self) -> int:
        return len(self.words)

    @cached_property
    def native(self) -> _native.HmmSequences:
        return _native.HmmSequences(self.words, self.bounds, self.n_words)

    def select(self, sequences: npt.NDArray[np.int64]) -> tuple[Text, npt.NDArray[np.int64]]:
        """Some sequences, and the numbers of their tokens."""
        bounds = self.bounds.astype(np.int64)
        lengths = np.diff(bounds)[sequences]
        ends = np.concatenate([[0], np.cumsum(lengths)])
        rows = np.arange(ends[-1]) + np.repeat(bounds[sequences] - ends[:-1], lengths)
        return Text.of(self.words[rows], ends, self.n_words), rows


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
