"""Persons, organisations and places: from news of Reuters to other text."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np

from dovetail import Corpus, Template, column
from dovetail.corpus import convert, read_conll
from dovetail.features.sets import zhang_johnson
from experiments.domains.data import DomainData, drawn
from experiments.readers.crossner import DOMAINS
from experiments.readers.genres import WORD, as_corpus, first_by_hash, read_documents

LABEL = "ner"
DATA = ("conll2003", "ieer", "crossner", "wnut17", "wikigold")
FOLDERS = (*(name for name in DATA if name != "crossner"), *(f"crossner/{d}" for d in DOMAINS))
N_LABELLED = 500  # sentences of which two tasks are learnt
N_READ = 60_000  # tokens beside them
PERSONS = "PER PERSON person politician scientist researcher writer musicalartist"
ORGANISATIONS = "ORG ORGANIZATION organisation politicalparty university band group corporation"
PLACES = "LOC LOCATION location country"
TYPES = {
    **dict.fromkeys(PERSONS.split(), "PER"),
    **dict.fromkeys(ORGANISATIONS.split(), "ORG"),
    **dict.fromkeys(PLACES.split(), "LOC"),
}


def entity_data(folder: Path) -> DomainData:
    """All data sets; of those that are not divided one half is only read, by documents."""
    train, development = (news(folder / "conll2003" / f"eng.{p}.gz") for p in ("train", "testa"))
    read, tests = {}, {}
    read["IEER"], tests["IEER"] = _ieer(folder / "ieer" / "ieer_newswire.bio.tsv.gz")
    domains = [folder / "crossner" / domain for domain in DOMAINS]
    read["CrossNER"] = _joined([path / f"{p}.txt" for path in domains for p in ("train", "dev")])
    tests["CrossNER"] = _joined([path / "test.txt" for path in domains])
    posts = folder / "wnut17"
    read["WNUT-17"] = _joined([posts / "wnut17train.conll", posts / "emerging.dev.conll"])
    tests["WNUT-17"] = _joined([posts / "emerging.test.annotated"])
    read["Wikigold"], tests["Wikigold"] = _wikigold(folder / "wikigold" / "wikigold.conll.txt")
    text = Corpus.concatenate(read.values()).without_column(LABEL)
    plain = train.without_column("pos")
    return DomainData(plain, development, text, tests, LABEL, zhang_johnson(WORD))


def two_task_data(folder: Path, label: str, seed: int) -> DomainData:
    """A few sentences of news with parts of speech and with entities, of which one is learnt."""
    train, development, test = (
        news(folder / "conll2003" / f"eng.{part}.gz") for part in ("train", "testa", "testb")
    )
    order = np.random.default_rng(seed).permutation(len(train))
    labelled, others = (train.select(np.sort(o)) for o in np.split(order, [N_LABELLED]))
    text = drawn(others, N_READ, seed).without_column("pos").without_column(LABEL)
    word = column(WORD)
    features = Template(word, word.short_shape)
    return DomainData(labelled, development, text, {"news": test}, label, features)


@cache
def news(path: Path) -> Corpus:
    """A part of CoNLL-2003 with parts of speech and entities."""
    corpus = read_conll(path, columns=[WORD, "pos", None, LABEL])
    labels = [convert(own, "IOB1", "IOB2") for own in corpus.lists(LABEL)]
    return Corpus({n: corpus.column(n) for n in (WORD, "pos")}, corpus.bounds).with_column(
        LABEL, map_types(labels)
    )


def map_types(sentences: Sequence[Sequence[str | None]]) -> list[list[str]]:
    """Labels of the three types, and O for all others."""

    def type_kept(label: str | None) -> str:
        mark, _, type = (label or "").partition("-")
        return f"{mark}-{TYPES[type]}" if type in TYPES else "O"

    return [[type_kept(label) for label in sentence] for sentence in sentences]


def _joined(paths: Sequence[Path]) -> Corpus:
    parts = [read_conll(path, columns=[WORD, LABEL], separator="\t") for path in paths]
    whole = Corpus.concatenate(parts)
    words = Corpus({WORD: whole.column(WORD)}, whole.bounds)
    return words.with_column(LABEL, map_types(whole.lists(LABEL)))


def _ieer(path: Path) -> tuple[Corpus, Corpus]:
    documents = read_documents(path)
    half = first_by_hash(documents, 0.5, "ieer")
    parts = (
        [s for name, own in documents.items() if (name in half) == read for s in own]
        for read in (True, False)
    )
    read, test = (
        as_corpus([(words, map_types([labels])[0]) for words, labels in part], LABEL)
        for part in parts
    )
    return read, test


def _wikigold(path: Path) -> tuple[Corpus, Corpus]:
    whole = read_conll(path, columns=[WORD, LABEL])
    labels = map_types([convert(own, "IOB1", "IOB2") for own in whole.lists(LABEL)])
    corpus = Corpus({WORD: whole.column(WORD)}, whole.bounds).with_column(LABEL, labels)
    assert whole.document_bounds is not None
    starts = whole.document_bounds[:-1]
    document = np.searchsorted(starts, np.arange(len(whole)), side="right") - 1
    half = first_by_hash(map(str, range(len(starts))), 0.5, "wikigold")
    read = np.isin(document, [int(name) for name in half])
    return corpus.select(np.flatnonzero(read)), corpus.select(np.flatnonzero(~read))
