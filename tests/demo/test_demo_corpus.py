"""The demo's corpora are what their generators write, are fit to train on, and help each other."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import dovetail
from dovetail import Tagger, Template, column, demo
from dovetail.errors import DataError
from dovetail.evaluate import Report, evaluate
from dovetail.features.expressions import Expression

FIELDS = {"SPEAKER", "LOCATION", "STIME", "ETIME", "DATE", "TITLE"}
NAMES = {"PER", "ORG", "LOC", "MISC"}
Sequence = list[tuple[str, str]]


@pytest.fixture
def generators() -> list[ModuleType]:
    return [import_module("make_demo_corpus"), import_module("make_demo_news")]


def sequences(name: str) -> list[Sequence]:
    blocks = demo.path(name).read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    rows = ([line.split("\t") for line in block.split("\n")] for block in blocks)
    return [[(word, label) for word, label in block] for block in rows]


def words_of(field: str, name: str) -> set[str]:
    labelled = (token for sequence in sequences(name) for token in sequence)
    return {word for word, label in labelled if label.endswith(f"-{field}")}


def test_generators_write_the_shipped_files(generators: list[ModuleType], tmp_path: Path) -> None:
    for generator in generators:
        generator.main(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(demo.FILES)
    for name in demo.FILES:
        assert (tmp_path / name).read_bytes() == demo.path(name).read_bytes(), name


@pytest.mark.parametrize(
    ("name", "kinds"),
    [("train.conll", FIELDS), ("test.conll", FIELDS), ("few.conll", FIELDS), ("news.conll", NAMES)],
)
def test_labels_are_legal_iob2(name: str, kinds: set[str]) -> None:
    for sequence in sequences(name):
        before = "O"
        for _, label in sequence:
            letter, _, kind = label.partition("-")
            assert letter in {"B", "I"} if kind else label == "O", sequence
            assert kind in kinds | {""}, sequence
            if letter == "I":
                assert before in {f"B-{kind}", f"I-{kind}"}, sequence
            before = label


@pytest.mark.parametrize(
    ("name", "kinds", "least"),
    [
        ("train.conll", FIELDS, 600),
        ("test.conll", FIELDS, 200),
        ("few.conll", FIELDS, 60),
        ("news.conll", NAMES, 600),
    ],
)
def test_every_label_occurs_often_enough(name: str, kinds: set[str], least: int) -> None:
    corpus = sequences(name)
    assert len(corpus) >= least
    for kind in kinds:
        starts = sum(label == f"B-{kind}" for sequence in corpus for _, label in sequence)
        assert starts >= least / 10, kind


def test_test_file_has_sequences_and_values_that_training_lacks() -> None:
    train = {tuple(sequence) for sequence in sequences("train.conll")}
    assert train.isdisjoint(tuple(sequence) for sequence in sequences("test.conll"))
    for field in ("SPEAKER", "LOCATION", "TITLE"):
        assert words_of(field, "test.conll") - words_of(field, "train.conll"), field


def test_few_are_some_of_the_training_sequences() -> None:
    train = [tuple(sequence) for sequence in sequences("train.conll")]
    assert {tuple(sequence) for sequence in sequences("few.conll")} < set(train)
    assert len(sequences("few.conll")) * 10 < len(train)


def test_news_shares_given_names_but_little_else(generators: list[ModuleType]) -> None:
    announcements, _ = generators
    news, test = (
        " ".join(w for s in sequences(n) for w, _ in s) for n in ("news.conll", "test.conll")
    )

    def known(names: list[str]) -> float:
        needed = [name for name in names if name in test.split()]
        return sum(name in news.split() for name in needed) / len(needed)

    assert known(announcements.GIVEN_NAMES) > 0.6
    assert known(announcements.FAMILY_NAMES) < 0.3
    assert known(announcements.TOWNS) < 0.5
    unseen = (announcements.BUILDINGS, announcements.NAMED_ROOMS, announcements.TITLES)
    assert not [name for names in unseen for name in names if name in news]


def test_some_names_in_the_news_are_those_of_people_and_of_places() -> None:
    assert {"Washington", "Lincoln", "Hall"} <= words_of("PER", "news.conll")
    assert {"Washington", "Lincoln", "Hall"} <= words_of("LOC", "news.conll")


def test_names_learnt_from_news_help_where_few_announcements_are_labelled() -> None:
    names = Tagger(c2=0.1).fit(dovetail.read(demo.path("news.conll")))
    corpora = (dovetail.read(demo.path(name)) for name in ("few.conll", "test.conll"))
    few, test = (corpus.with_column("ner", names.predict(corpus)) for corpus in corpora)
    word, ner = column("word"), column("ner")
    words = (word.lower.window(2), word.short_shape.window(1), word.time, word.date)

    def report(*expressions: Expression) -> Report:
        fields = Tagger(features=Template(*expressions), c2=0.05, constraints="auto")
        return evaluate(test.lists("label"), fields.fit(few, label="label").predict(test))

    without = report(*words)
    cascade = report(*words, 3 * ner, ner & (word.lower.window(1) | word.short_shape))
    assert cascade.micro.f1 > without.micro.f1 + 0.02
    assert cascade.labels["SPEAKER"].f1 > without.labels["SPEAKER"].f1 + 0.05


def test_fields_begin_and_end_with_tokens(generators: list[ModuleType]) -> None:
    generator = generators[0]
    emails = generator.compose(generator.Draw(1, 0.0), 100, set())
    for line in (line for email in emails for line in email):
        labelled = "".join(word for word, label in generator.labelled_tokens(line) if label != "O")
        assert labelled == "".join(piece for piece, field in line if field).replace(" ", "")


def test_files_are_small() -> None:
    assert sum(demo.path(name).stat().st_size for name in demo.FILES) < 400_000


def test_unknown_file_is_named() -> None:
    with pytest.raises(DataError, match=r"'dev\.conll'.*train\.conll"):
        demo.path("dev.conll")
