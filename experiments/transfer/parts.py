"""The tagger below the cases of this experiment: parts of addresses, or of names and dates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dovetail import Corpus, Tagger
from dovetail.features.sets import entities
from experiments.common.auxiliary_taggers import TOLERANCE, CachedTagger, cached_tagger
from experiments.common.experiment import Say


def parts_tagger(
    read: Callable[[], Corpus],
    files: Sequence[Path],
    kept: Path,
    *,
    threads: int | None = None,
    say: Say | None = None,
) -> CachedTagger:
    """A tagger of the column ``parts`` of what is read from files, trained once and kept."""
    tagger = Tagger(
        features=entities("word"),
        c2=0.3,
        tolerance=TOLERANCE,
        constraints="IOB2",
        threads=threads,
    )
    return cached_tagger("parts", tagger, read, kept, files, say)
