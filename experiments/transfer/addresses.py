"""Postal addresses of usaddress: a fine set of labels below, coarser ones to be learnt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dovetail import Corpus
from dovetail.compare import Split, fingerprint, random_splits
from dovetail.features.sets import entities
from experiments.common.auxiliary_taggers import CachedTagger
from experiments.common.transfer_study import TransferCase, draws
from experiments.readers.labelled_strings import read_labelled_strings
from experiments.transfer.parts import parts_tagger

FINE = "training/labeled.xml"
WHOLE_STREETS = "test_data/us50_test_tagged.xml"
MAPS = "training/synthetic_osm_data_xml.xml.gz", "test_data/synthetic_osm_data.xml.gz"
SIZES = (10, 25, 50, 100)
TESTED = 1000  # addresses of the large test file


def fine_tagger(folder: Path, kept: Path, **settings: Any) -> CachedTagger:
    """The tagger with the fine labels; settings are those of `parts_tagger`."""
    path = folder / FINE
    return parts_tagger(lambda: read_labelled_strings(path, "parts"), [path], kept, **settings)


def whole_streets(folder: Path, below: CachedTagger, n_draws: int) -> TransferCase:
    """Addresses of which the street is one span, with its type and direction."""
    path = folder / WHOLE_STREETS
    corpus = read_labelled_strings(path)
    splits = random_splits(len(corpus), n_draws)
    return _case(corpus, splits, below, [path])


def maps(folder: Path, below: CachedTagger, n_draws: int) -> TransferCase:
    """Addresses made of OpenStreetMap's data."""
    paths = [folder / name for name in MAPS]
    train, test = (read_labelled_strings(path) for path in paths)
    corpus = Corpus.concatenate([train, test[:: max(1, len(test) // TESTED)]])
    splits = draws(range(len(train)), range(len(train), len(corpus)), n_draws)
    return _case(corpus, splits, below, paths)


def _case(
    corpus: Corpus, splits: list[Split], below: CachedTagger, paths: list[Path]
) -> TransferCase:
    features = entities("word")
    sizes = [size for size in SIZES if size <= len(splits[0].train)]
    return TransferCase(
        corpus,
        splits,
        sizes,
        {"parts": below.tagger},
        features,
        features.with_columns("parts"),
        fingerprint(*paths, below.fingerprint),
    )
