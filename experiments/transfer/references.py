"""References and affiliations of scholarly papers, from GROBID's training data.

References are learnt above a tagger of names and dates, affiliations above one of entities in news.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dovetail import Corpus
from dovetail.compare import Split, fingerprint
from dovetail.features.sets import entities
from experiments.common.auxiliary_taggers import CachedTagger, NewsTaggers
from experiments.common.transfer_study import TransferCase, draws
from experiments.readers.grobid import read_grobid
from experiments.transfer.parts import parts_tagger

SIZES = (10, 30, 100)
NAMES_AND_DATES = (
    ("name.tar.gz", "header/corpus", "author"),
    ("name.tar.gz", "citation/corpus", "author"),
    ("date.tar.gz", "corpus", "date"),
)


def names_and_dates(folder: Path, kept: Path, **settings: Any) -> CachedTagger:
    """A tagger of the parts of names and dates; settings are those of `parts_tagger`."""

    def read() -> Corpus:
        parts = [read_grobid(folder / name, part, unit) for name, part, unit in NAMES_AND_DATES]
        whole = Corpus.concatenate(parts)
        labels = {"word": whole.column("word"), "parts": whole.column("label")}
        return Corpus(labels, whole.bounds)

    archives = [folder / name for name, _, _ in NAMES_AND_DATES]
    return parts_tagger(read, archives, kept, **settings)


def references(folder: Path, below: CachedTagger, n_draws: int) -> TransferCase:
    """Fields of references, with names and dates below."""
    archive = folder / "citation.tar.gz"
    corpus, splits = _drawn(archive, "bibl", n_draws)
    features = entities("word")
    return TransferCase(
        corpus,
        splits,
        SIZES,
        {"parts": below.tagger},
        features,
        features.with_columns("parts"),
        fingerprint(archive, below.fingerprint),
    )


def affiliations(folder: Path, below: NewsTaggers, n_draws: int) -> TransferCase:
    """Fields of affiliations, with entities in news below."""
    archive = folder / "affiliation-address.tar.gz"
    corpus, splits = _drawn(archive, "affiliation", n_draws)
    corpus = corpus.with_column("pos", below.taggers["pos"].predict(corpus))
    features = entities("word", "pos")
    return TransferCase(
        corpus,
        splits,
        SIZES,
        {"ner": below.taggers["ner"]},
        features,
        features.with_columns("ner"),
        fingerprint(archive, below.fingerprint),
    )


def _drawn(archive: Path, unit: str, n_draws: int) -> tuple[Corpus, list[Split]]:
    train, test = (read_grobid(archive, part, unit) for part in ("corpus", "evaluation"))
    n = len(train)
    return Corpus.concatenate([train, test]), draws(range(n), range(n, n + len(test)), n_draws)
