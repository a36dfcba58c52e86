"""Cases with little text: entities, above a tagger of names in news."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from dovetail import Corpus
from dovetail.compare import fingerprint
from dovetail.corpus import convert, read_conll
from experiments.common.code_fingerprint import reader_fingerprint
from experiments.little.case import LABEL, WORD, LittleCase, Parts, halves
from experiments.little.old_taggers import OldTaggers
from experiments.readers.crossner import DOMAINS, crossner_files, read_crossner
from experiments.readers.gum import read_gum
from experiments.readers.litbank import read_litbank

DATA = ("conll2003", "wnut17", "wikigold", "crossner", "gum", "litbank")
Make = Callable[[str, OldTaggers], LittleCase]

IN_TWEETS = {"PER": "person", "LOC": "location"}
IN_WIKIPEDIA = {type: type for type in ("PER", "LOC", "ORG", "MISC")}
IN_DOMAINS = {"PER": "person", "LOC": "location", "ORG": "organisation", "MISC": "misc"}
OF_NAMES = {"PER": "person name", "LOC": "place name", "ORG": "organisation name"}


def entity_cases() -> dict[str, Make]:
    """How each case is made, by its name."""
    made: dict[str, Make] = {"WNUT-17": _tweets, "Wikigold": _wikipedia}
    for domain in DOMAINS:
        made[f"CrossNER {domain}"] = partial(_domain, domain)
    made |= {"GUM": _genres, "LitBank": _novels}
    for kind in ("permuted", "merged"):
        made[f"CrossNER politics {kind}"] = partial(_domain, "politics", kind=kind)
        made[f"Wikigold {kind}"] = partial(_wikipedia, kind=kind)
    return {**made, "CoNLL-2003": _news}


def _tweets(name: str, old: OldTaggers) -> LittleCase:
    paths = [
        old.data_sets.folder / "wnut17" / file
        for file in ("wnut17train.conll", "emerging.test.annotated")
    ]

    def read() -> Parts:
        train, test = (_tabbed(path) for path in paths)
        return train, test

    return LittleCase(name, read, fingerprint(*paths), old.news, IN_TWEETS)


def _wikipedia(name: str, old: OldTaggers, kind: str = "news") -> LittleCase:
    """Random halves, by sentences."""
    path = old.data_sets.folder / "wikigold" / "wikigold.conll.txt"

    def read() -> Parts:
        whole = read_conll(path, columns=[WORD, LABEL])
        return halves(_from_iob1(whole))

    same = {} if kind == "merged" else IN_WIKIPEDIA
    return LittleCase(name, read, fingerprint(path), getattr(old, kind), same)


def _domain(domain: str, name: str, old: OldTaggers, kind: str = "news") -> LittleCase:
    """Drawn from the training and the development part."""
    folder = old.data_sets.folder / "crossner" / domain

    def read() -> Parts:
        train, development, test = read_crossner(folder)
        return Corpus.concatenate([train, development]), test

    same = {} if kind == "merged" else IN_DOMAINS
    files = crossner_files(folder)
    return LittleCase(name, read, fingerprint(*files), getattr(old, kind), same)


def _genres(name: str, old: OldTaggers) -> LittleCase:
    folder = old.data_sets.folder / "gum"

    def read() -> Parts:
        train, test = read_gum(folder)
        return train, test

    digest = fingerprint(folder, reader_fingerprint("gum", "mentions"))
    return LittleCase(name, read, digest, old.news, OF_NAMES)


def _novels(name: str, old: OldTaggers) -> LittleCase:
    """Random halves, by books."""
    path = old.data_sets.folder / "litbank" / "litbank.tar.gz"

    def read() -> Parts:
        return halves(read_litbank(path))

    digest = fingerprint(path, reader_fingerprint("litbank", "mentions"))
    return LittleCase(name, read, digest, old.news, OF_NAMES)


def _news(name: str, old: OldTaggers) -> LittleCase:
    """Without an old tagger."""
    paths = [old.data_sets.folder / "conll2003" / f"eng.{part}.gz" for part in ("train", "testb")]

    def read() -> Parts:
        columns = [WORD, None, None, LABEL]
        train, test = (_from_iob1(read_conll(path, columns=columns)) for path in paths)
        return train, test

    return LittleCase(name, read, fingerprint(*paths))


def _tabbed(path: Path) -> Corpus:
    return read_conll(path, columns=[WORD, LABEL], separator="\t")


def _from_iob1(corpus: Corpus) -> Corpus:
    """Sentences that stand alone, with IOB2 labels."""
    labels: Sequence[Sequence[str]] = [convert(own, "IOB1", "IOB2") for own in corpus.lists(LABEL)]
    words = Corpus({WORD: corpus.column(WORD)}, corpus.bounds)
    return words.with_column(LABEL, labels)
