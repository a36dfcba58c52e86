"""References and affiliations of scholarly papers, from GROBID's training data.

References are learnt above a tagger of names and dates, affiliations above one of entities in news.
"""

from __future__ import annotations

from pathlib import Path

from dovetail import Tagger
from dovetail.compare import Split, fingerprint
from dovetail.corpus import Corpus
from dovetail.features.sets import entities
from dovetail.reproduce.cases import Case, draws
from dovetail.reproduce.lower import TOLERANCE, Lower, Say, kept_tagger
from dovetail.reproduce.tei import named, read_tei

SIZES = (10, 30, 100)
NAMES_AND_DATES = (
    ("name.tar.gz", "header/corpus", "author"),
    ("name.tar.gz", "citation/corpus", "author"),
    ("date.tar.gz", "corpus", "date"),
)


def names_and_dates(
    folder: Path, kept: Path, *, threads: int | None = None, say: Say | None = None
) -> tuple[Tagger, str]:
    """A tagger of the parts of names and dates, and a mark of what it depends on."""
    tagger = Tagger(
        features=entities("word"),
        c2=0.3,
        tolerance=TOLERANCE,
        constraints="IOB2",
        threads=threads,
    )

    def data() -> Corpus:
        parts = [read_tei(folder / name, part, unit, named) for name, part, unit in NAMES_AND_DATES]
        whole = Corpus.concatenate(parts)
        labels = {"word": whole.column("word"), "parts": whole.column("label")}
        return Corpus(labels, whole.bounds)

    archives = [folder / name for name, _, _ in NAMES_AND_DATES]
    return kept_tagger("parts", tagger, data, kept, archives, say)


def references(folder: Path, below: tuple[Tagger, str], n_draws: int) -> Case:
    """Fields of references, with names and dates below."""
    archive = folder / "citation.tar.gz"
    corpus, splits = _drawn(archive, "bibl", n_draws)
    tagger, mark = below
    features = entities("word")
    return Case(
        corpus,
        splits,
        SIZES,
        {"parts": tagger},
        features,
        features.reading("parts"),
        fingerprint(archive, mark),
    )


def affiliations(folder: Path, below: Lower, n_draws: int) -> Case:
    """Fields of affiliations, with entities in news below."""
    archive = folder / "affiliation-address.tar.gz"
    corpus, splits = _drawn(archive, "affiliation", n_draws)
    corpus = corpus.with_column("pos", below.taggers["pos"].predict(corpus))
    features = entities("word", "pos")
    return Case(
        corpus,
        splits,
        SIZES,
        {"ner": below.taggers["ner"]},
        features,
        features.reading("ner"),
        fingerprint(archive, below.mark),
    )


def _drawn(archive: Path, unit: str, n_draws: int) -> tuple[Corpus, list[Split]]:
    train, test = (read_tei(archive, part, unit, named) for part in ("corpus", "evaluation"))
    n = len(train)
    return Corpus.concatenate([train, test]), draws(range(n), range(n, n + len(test)), n_draws)
