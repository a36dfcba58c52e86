"""Postal addresses of usaddress: a fine set of labels below, coarser ones to be learnt."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import ParseError, parse

from dovetail import Tagger
from dovetail.compare import Split, fingerprint, random_splits
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.features.sets import entities
from dovetail.io.files import open_bytes
from dovetail.reproduce.cases import Case, draws
from dovetail.reproduce.lower import TOLERANCE, Say, kept_tagger

FINE = "training/labeled.xml"
WHOLE_STREETS = "test_data/us50_test_tagged.xml"
MAPS = "training/synthetic_osm_data_xml.xml.gz", "test_data/synthetic_osm_data.xml.gz"
SIZES = (10, 25, 50, 100)
TESTED = 1000  # addresses of the large test file


def read_addresses(path: Path, label: str = "label") -> Corpus:
    """Addresses as sequences; neighbours with one label are one span."""
    with open_bytes(path) as file:
        try:
            root = parse(file).getroot()
        except ParseError as error:
            raise DataError(f"{path} is no whole XML file: {error}") from None
    words, labels = [], []
    for address in root:
        tokens = [(token.text or "", token.tag) for token in address]
        words.append([word.strip() for word, _ in tokens])
        runs = (list(run) for _, run in groupby(tag for _, tag in tokens))
        labels.append([("I-" if k else "B-") + tag for run in runs for k, tag in enumerate(run)])
    return Corpus.from_lists({"word": words, label: labels})


def fine_tagger(
    folder: Path, kept: Path, *, threads: int | None = None, say: Say | None = None
) -> tuple[Tagger, str]:
    """The tagger with the fine labels, and a mark of what it depends on."""
    tagger = Tagger(
        features=entities("word"),
        c2=0.3,
        tolerance=TOLERANCE,
        constraints="IOB2",
        threads=threads,
    )
    path = folder / FINE
    return kept_tagger("parts", tagger, lambda: read_addresses(path, "parts"), kept, [path], say)


def whole_streets(folder: Path, below: tuple[Tagger, str], n_draws: int) -> Case:
    """Addresses of which the street is one span, with its type and direction."""
    path = folder / WHOLE_STREETS
    corpus = read_addresses(path)
    splits = random_splits(len(corpus), n_draws)
    return _case(corpus, splits, below, [path])


def maps(folder: Path, below: tuple[Tagger, str], n_draws: int) -> Case:
    """Addresses made of OpenStreetMap's data."""
    paths = [folder / name for name in MAPS]
    train, test = (read_addresses(path) for path in paths)
    corpus = Corpus.concatenate([train, test[:: max(1, len(test) // TESTED)]])
    splits = draws(range(len(train)), range(len(train), len(corpus)), n_draws)
    return _case(corpus, splits, below, paths)


def _case(
    corpus: Corpus, splits: list[Split], below: tuple[Tagger, str], paths: list[Path]
) -> Case:
    tagger, mark = below
    features = entities("word")
    sizes = [size for size in SIZES if size <= len(splits[0].train)]
    return Case(
        corpus,
        splits,
        sizes,
        {"parts": tagger},
        features,
        features.reading("parts"),
        fingerprint(*paths, mark),
    )
