"""The parameters of a hidden Markov model over words, and how expected counts become them.

K states, V words. All arrays are in double precision; ``emissions`` has a row for each word:
``emissions[w, k]`` is P(word w | state k).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from dovetail.errors import DataError
from dovetail.numeric import digamma, exp, log
from dovetail.representation.text import Floats

Update = Literal["bayes", "em"]


@dataclass(frozen=True)
class Parameters:
    """Probabilities of starts [K], transitions [K x K, from x to] and emissions [V x K]."""

    start: Floats
    transitions: Floats
    emissions: Floats

    def __post_init__(self) -> None:
        k = len(self.start)
        if self.transitions.shape != (k, k) or self.emissions.shape[1:] != (k,):
            raise DataError("the parameters of a hidden Markov model do not fit one another")
        for name in ("start", "transitions", "emissions"):
            values = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise DataError(f"the {name} of a hidden Markov model must be at least 0")
            object.__setattr__(self, name, values)

    @property
    def n_states(self) -> int:
        return len(self.start)

    @property
    def n_words(self) -> int:
        return len(self.emissions)

    def reorder(self, order: npt.NDArray[np.int64]) -> Parameters:
        """The same model with its states in another order."""
        transitions = self.transitions[np.ix_(order, order)]
        return Parameters(self.start[order], transitions, self.emissions[:, order])

    def for_decoding(self) -> Parameters:
        """The same where a word that no state emits says nothing, instead of being impossible."""
        unknown = ~self.emissions.any(axis=1)
        if not unknown.any():
            return self
        emissions = self.emissions.copy()
        emissions[unknown] = 1.0
        return Parameters(self.start, self.transitions, emissions)


@dataclass
class Counts:
    """How often starts, transitions and emissions are expected, shaped as the parameters are."""

    start: Floats
    transitions: Floats
    emissions: Floats

    def mix(self, other: Counts, share: float) -> Counts:
        """These counts with a share of others in their place, for stepwise updates."""
        return Counts(
            (1 - share) * self.start + share * other.start,
            (1 - share) * self.transitions + share * other.transitions,
            (1 - share) * self.emissions + share * other.emissions,
        )

    def scale(self, factor: float) -> Counts:
        return Counts(factor * self.start, factor * self.transitions, factor * self.emissions)


Emit = Callable[[Floats, Floats], Floats]


def emission_update(update: Update, prior: float, n_words: int) -> Emit:
    """From counts of emissions [... x K] and of states [... x K] to logarithms of probabilities.

    ``em`` is maximum likelihood. ``bayes`` is exp E[log P] under the Dirichlet posterior with
    ``prior`` added to each count, which takes mass from words that were seen with a state by chance
    (variational Bayes; Johnson 2007).
    """

    def likelihood(counts: Floats, totals: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return log(counts) - log(totals)

    def bayes(counts: Floats, totals: Floats) -> Floats:
        return digamma(counts + prior) - digamma(totals + prior * n_words)

    return bayes if update == "bayes" else likelihood


def estimate_parameters(
    counts: Counts, update: Update, prior: float, before: Parameters | None
) -> Parameters:
    """The parameters that expected counts give; states that are never used keep what they had."""
    totals = counts.emissions.sum(axis=0)
    used = totals > 0
    if update == "bayes":
        log_probabilities = emission_update(update, prior, len(counts.emissions))
        emissions = exp(log_probabilities(counts.emissions, totals))
    else:
        emissions = counts.emissions / np.where(used, totals, 1.0)
        if before is not None:
            emissions[:, ~used] = before.emissions[:, ~used]
    leaving = counts.transitions.sum(axis=1, keepdims=True)
    transitions = counts.transitions / np.where(leaving > 0, leaving, 1.0)
    idle = leaving[:, 0] <= 0
    transitions[idle] = 1.0 / len(totals) if before is None else before.transitions[idle]
    return Parameters(counts.start / counts.start.sum(), transitions, emissions)
