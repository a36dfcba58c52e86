"""Expected counts of a corpus on disk: those of its parts, added up exactly, in any order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dovetail import _native
from dovetail.base.executor import Multiples, WholeNumbers
from dovetail.representation.hmm.em import Rule
from dovetail.representation.hmm.inference import Engine
from dovetail.representation.hmm.parameters import Counts, Parameters
from dovetail.representation.hmm.steps import Step
from dovetail.representation.shards import OPEN, ShardText
from dovetail.representation.text import Floats


def expect_part(
    number: int,
    sums: Sequence[WholeNumbers],
    emissions: Floats,
    transitions: Floats,
    start: Floats,
    folder: str,
    exponent: int,
    exact: bool,
    threads: int,
) -> float:
    """The E-step in one part: its log-likelihood, and counts added to those of the others."""
    words = OPEN.get(folder, number)
    at = Parameters(start, transitions, emissions[words.used])
    found = Engine(exact, threads).expected(words.own, at)
    states, counts = np.arange(len(start), dtype=np.uint32), found.counts
    _native.add_multiples(sums[0], states, counts.start, exponent)
    _native.add_multiples(sums[1], states, counts.transitions, exponent)
    _native.add_multiples(sums[2], words.used, counts.emissions, exponent)
    return found.log_likelihood


def shard_em(text: ShardText, engine: Engine, rule: Rule, at: Parameters) -> Iterator[Step]:
    """Baum-Welch over parts."""
    unit = Multiples(2.0 * text.n_tokens)  # of all that is expected, twice what can be
    threads = text.executor.threads
    while True:
        given = (at.emissions, at.transitions, at.start, text.folder)
        sums = [np.zeros(one.shape, np.int64) for one in (at.start, at.transitions, at.emissions)]
        found = text.executor.add_up(
            "expectations", expect_part, text.parts, sums, *given,
            unit.exponent, engine.exact, threads,
        )  # fmt: skip
        log_likelihood = sum(found)
        at = rule(Counts(*map(unit.to_real, sums)), at)
        yield Step(at, log_likelihood / text.n_tokens)
