"""Expected counts of a corpus on disk: those of its parts, added up in their order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.representation.hmm.em import Rule
from dovetail.representation.hmm.inference import Engine
from dovetail.representation.hmm.parameters import Counts, Parameters
from dovetail.representation.hmm.steps import Step
from dovetail.representation.shards import ShardText, read_words
from dovetail.representation.text import Floats


class PartCounts(NamedTuple):
    """What an E-step finds in a part; emissions only of the words that it has."""

    log_likelihood: float
    start: Floats
    transitions: Floats
    words: npt.NDArray[np.int64]
    emissions: Floats


def expect_part(
    number: int,
    emissions: Floats,
    transitions: Floats,
    start: Floats,
    folder: str,
    exact: bool,
    threads: int,
) -> PartCounts:
    """The E-step in one part."""
    text = read_words(folder, number, len(emissions))
    at = Parameters(start, transitions, emissions)
    found = Engine(exact, threads).expected(text, at)
    words = np.unique(text.words).astype(np.int64)
    counts = found.counts
    return PartCounts(
        found.log_likelihood, counts.start, counts.transitions, words, counts.emissions[words]
    )


def shard_em(text: ShardText, engine: Engine, rule: Rule, at: Parameters) -> Iterator[Step]:
    """Baum-Welch over parts."""
    while True:
        counts = Counts(*(np.zeros_like(one) for one in (at.start, at.transitions, at.emissions)))
        log_likelihood = 0.0
        given = (at.emissions, at.transitions, at.start, text.folder)
        threads = text.executor.threads
        found = text.executor.each(
            "expectations", expect_part, text.parts, *given, engine.exact, threads
        )
        for part in found:
            log_likelihood += part.log_likelihood
            counts.start[:] += part.start
            counts.transitions[:] += part.transitions
            counts.emissions[part.words] += part.emissions
        at = rule(counts, at)
        yield Step(at, log_likelihood / text.n_tokens)
