"""CrossNER: entities of five domains, with types of their own, and few sentences of each."""

from __future__ import annotations

from pathlib import Path

from dovetail.compare import Split, fingerprint
from dovetail.corpus import Corpus, read_conll
from dovetail.features.sets import entities
from dovetail.reproduce.cases import Case, draws
from dovetail.reproduce.lower import Lower

DOMAINS = ("politics", "science", "music", "literature", "ai")
SIZES = (50, 300)
PARTS = ("train", "dev", "test")


def drawn_case(folder: Path, below: Lower, n_draws: int) -> Case:
    """Random sentences of the training and development parts of a domain to train on."""
    parts = _parts(folder)
    n = len(parts[0]) + len(parts[1])
    splits = draws(range(n), range(n, n + len(parts[2])), n_draws)
    return _case(folder, parts, splits, [size for size in SIZES if size <= n], below)


def official_case(folder: Path, below: Lower) -> Case:
    """The official training part of a domain."""
    parts = _parts(folder)
    n = len(parts[0])
    test = range(n + len(parts[1]), sum(map(len, parts)))
    return _case(folder, parts, [Split(tuple(range(n)), tuple(test))], [n], below)


def _parts(folder: Path) -> list[Corpus]:
    return [read_conll(folder / f"{part}.txt", columns=["word", "label"]) for part in PARTS]


def _case(
    folder: Path, parts: list[Corpus], splits: list[Split], sizes: list[int], below: Lower
) -> Case:
    whole = Corpus.concatenate(parts)
    corpus = Corpus(whole.columns, whole.bounds)  # sentences stand alone: there are no documents
    corpus = corpus.with_column("pos", below.taggers["pos"].predict(corpus))
    features = entities("word", "pos")
    mark = fingerprint(*(folder / f"{part}.txt" for part in PARTS), below.mark)
    return Case(
        corpus,
        splits,
        sizes,
        {"ner": below.taggers["ner"]},
        features,
        features.reading("ner"),
        mark,
    )
