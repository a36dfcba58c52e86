"""Expectation maximisation for a hidden Markov model, over the whole text or stepwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dovetail.numeric import exp, log
from dovetail.representation.hmm.inference import Engine
from dovetail.representation.hmm.parameters import Counts, Parameters, Update, estimate_parameters
from dovetail.representation.hmm.steps import Memory, Step
from dovetail.representation.text import Text


@dataclass(frozen=True)
class Rule:
    """How counts become parameters."""

    update: Update
    prior: float

    def __call__(self, counts: Counts, before: Parameters | None = None) -> Parameters:
        return estimate_parameters(counts, self.update, self.prior, before)


def batch_em(text: Text, engine: Engine, rule: Rule, at: Parameters) -> Iterator[Step]:
    """Baum-Welch: all expected counts, then new parameters."""
    while True:
        found = engine.expected(text, at)
        at = rule(found.counts, at)
        yield Step(at, found.log_likelihood / text.n_tokens)


@dataclass(frozen=True)
class Stepwise:
    """Online EM (Liang and Klein 2009): parameters change after every ``batch`` sequences.

    The running counts take a share (step + 2) ** -``decay`` of each batch's, scaled to the text.
    """

    batch: int
    decay: float
    seed: int

    def rounds(
        self, text: Text, engine: Engine, rule: Rule, at: Parameters, done: int, memory: Memory
    ) -> Iterator[Step]:
        """A round goes once through the text, in parts and an order of its own."""
        n = len(text.bounds) - 1
        counts = _start_counts(memory, at, text)
        step = int(memory["step"][0]) if "step" in memory else 0
        while True:
            done += 1
            order = np.random.default_rng([self.seed, done]).permutation(n)
            log_likelihood = 0.0
            for first in range(0, n, self.batch):
                part, _ = text.select(np.sort(order[first : first + self.batch]))
                if not part.n_tokens:
                    continue
                found = engine.expected(part, at)
                log_likelihood += found.log_likelihood
                fresh = found.counts.scale(text.n_tokens / part.n_tokens)
                share = float(exp(-self.decay * log(step + 2.0)))
                counts = counts.mix(fresh, share)
                at = rule(counts, at)
                step += 1
            yield Step(at, log_likelihood / text.n_tokens, memory=_to_memory(counts, step))


def _start_counts(memory: Memory, at: Parameters, text: Text) -> Counts:
    """The running counts where a training goes on, or such as the start would give."""
    if "step" in memory:
        return Counts(memory["start"], memory["transitions"], memory["emissions"])
    each = text.n_tokens / at.n_states
    sequences = len(text.bounds) - 1
    return Counts(sequences * at.start, each * at.transitions, each * at.emissions)


def _to_memory(counts: Counts, step: int) -> Memory:
    return {
        "step": np.array([step], np.float64),
        "start": counts.start,
        "transitions": counts.transitions,
        "emissions": counts.emissions,
    }
