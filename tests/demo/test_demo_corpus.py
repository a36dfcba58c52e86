"""The demo corpus is what its generator writes, and is fit to train on."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from dovetail import demo
from dovetail.errors import DataError

FIELDS = {"SPEAKER", "LOCATION", "STIME", "ETIME", "DATE", "TITLE"}
Sequence = list[tuple[str, str]]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    script = Path(__file__).parents[2] / "examples" / "make_demo_corpus.py"
    spec = importlib.util.spec_from_file_location("make_demo_corpus", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def sequences(name: str) -> list[Sequence]:
    blocks = demo.path(name).read_text(encoding="utf-8").rstrip("\n").split("\n\n")
    rows = ([line.split("\t") for line in block.split("\n")] for block in blocks)
    return [[(word, label) for word, label in block] for block in rows]


def words_of(field: str, name: str) -> set[str]:
    labelled = (token for sequence in sequences(name) for token in sequence)
    return {word for word, label in labelled if label.endswith(f"-{field}")}


def test_generator_writes_the_shipped_files(generator: ModuleType, tmp_path: Path) -> None:
    generator.main(tmp_path)
    assert {file.name for file in tmp_path.iterdir()} == set(demo.FILES)
    for name in demo.FILES:
        assert (tmp_path / name).read_bytes() == demo.path(name).read_bytes(), name


@pytest.mark.parametrize("name", ["train.conll", "test.conll"])
def test_labels_are_legal_iob2(name: str) -> None:
    for sequence in sequences(name):
        before = "O"
        for _, label in sequence:
            letter, _, field = label.partition("-")
            assert letter in {"B", "I"} if field else label == "O", sequence
            assert field in FIELDS | {""}, sequence
            if letter == "I":
                assert before in {f"B-{field}", f"I-{field}"}, sequence
            before = label


@pytest.mark.parametrize(("name", "least"), [("train.conll", 600), ("test.conll", 200)])
def test_every_field_occurs_often_enough(name: str, least: int) -> None:
    corpus = sequences(name)
    assert len(corpus) >= least
    for field in FIELDS:
        starts = sum(label == f"B-{field}" for sequence in corpus for _, label in sequence)
        assert starts >= least / 10, field


def test_test_file_has_sequences_and_values_that_training_lacks() -> None:
    train = {tuple(sequence) for sequence in sequences("train.conll")}
    assert train.isdisjoint(tuple(sequence) for sequence in sequences("test.conll"))
    for field in ("SPEAKER", "LOCATION", "TITLE"):
        assert words_of(field, "test.conll") - words_of(field, "train.conll"), field


def test_fields_begin_and_end_with_tokens(generator: ModuleType) -> None:
    emails = generator.compose(generator.Draw(1, 0.0), 100, set())
    for line in (line for email in emails for line in email):
        labelled = "".join(word for word, label in generator.labelled_tokens(line) if label != "O")
        assert labelled == "".join(piece for piece, field in line if field).replace(" ", "")


def test_files_are_small() -> None:
    assert sum(demo.path(name).stat().st_size for name in demo.FILES) < 400_000


def test_unknown_file_is_named() -> None:
    with pytest.raises(DataError, match=r"'dev\.conll'.*train\.conll"):
        demo.path("dev.conll")
