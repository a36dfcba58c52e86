"""Entities of five domains (CrossNER), above entities in news."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dovetail import Corpus
from dovetail.compare import Split, fingerprint
from dovetail.features.sets import entities
from experiments.common.auxiliary_taggers import NewsTaggers
from experiments.common.transfer_study import TransferCase, draws
from experiments.readers.crossner import crossner_files, read_crossner

SIZES = (50, 300)


def drawn_case(
    folder: Path, below: NewsTaggers, n_draws: int, sizes: Sequence[int] = SIZES
) -> TransferCase:
    """Random sentences of the training and development parts of a domain to train on."""
    parts = read_crossner(folder)
    n = len(parts[0]) + len(parts[1])
    splits = draws(range(n), range(n, n + len(parts[2])), n_draws)
    return _case(folder, parts, splits, [size for size in sizes if size <= n], below)


def official_case(folder: Path, below: NewsTaggers) -> TransferCase:
    """The official training part of a domain."""
    parts = read_crossner(folder)
    n = len(parts[0])
    test = range(n + len(parts[1]), sum(map(len, parts)))
    return _case(folder, parts, [Split(tuple(range(n)), tuple(test))], [n], below)


def _case(
    folder: Path, parts: list[Corpus], splits: list[Split], sizes: list[int], below: NewsTaggers
) -> TransferCase:
    whole = Corpus.concatenate(parts)
    corpus = Corpus(whole.columns, whole.bounds)  # sentences stand alone: there are no documents
    corpus = corpus.with_column("pos", below.taggers["pos"].predict(corpus))
    features = entities("word", "pos")
    digest = fingerprint(*crossner_files(folder), below.fingerprint)
    return TransferCase(
        corpus,
        splits,
        sizes,
        {"ner": below.taggers["ner"]},
        features,
        features.with_columns("ner"),
        digest,
    )
