"""One loader for all kinds of files, and one sentence for what it cannot open."""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import Pipeline, Tagger, WordClasses
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.interop import pycrfsuite
from dovetail.io.loading import OPENERS, is_imported, kind_of
from dovetail.io.model_file import open_model, to_bytes

SAVED = Path(__file__).parents[1] / "fixtures" / "saved-0.1"
FILES = sorted(SAVED.glob("*.dovetail"))


@pytest.mark.parametrize("kind", OPENERS)
def test_the_table_names_classes_of_these_kinds(kind: str) -> None:
    module, _, name = OPENERS[kind].where.partition(":")
    cls = getattr(import_module(module), name)
    assert cls.kind == kind
    assert {*OPENERS[kind].options} <= {*signature(cls.load).parameters}


def test_what_is_no_file_is_no_model_of_another_program(tmp_path: Path) -> None:
    assert is_imported(tmp_path / "none") is False
    assert is_imported("a\0b") is False
    assert is_imported(FILES[0]) is False
    assert is_imported(open_model(FILES[0])) is False


def test_the_saved_files_are_of_all_kinds() -> None:
    assert {kind_of(path) for path in FILES} == set(OPENERS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_kind_is_opened_and_written_as_it_was(path: Path) -> None:
    model = dovetail.load(path)
    assert model.kind == kind_of(path)
    assert model.is_fitted
    again = dovetail.load(model.to_bytes(), threads=1)
    assert type(again) is type(model)
    assert again.to_bytes() == model.to_bytes()


def test_models_of_other_programs(tmp_path: Path) -> None:
    path = tmp_path / "old.crfsuite"
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 0.01})
    trainer.append([["w=the"], ["w=dog"]], ["DET", "NOUN"])
    trainer.train(str(path))
    for source in (path, str(path), path.read_bytes()):
        assert kind_of(source) == "tagger"
        assert dovetail.load(source).predict([[["w=dog"]]]) == [["NOUN"]]


@pytest.mark.parametrize(
    ("name", "cls", "words"),
    [
        ("pipeline-joint", Tagger, "pipeline-joint.dovetail holds a pipeline, not a tagger: open"),
        ("tagger", Pipeline, "tagger.dovetail holds a tagger, not a pipeline: open it with dovet"),
        ("hmm", WordClasses, "holds a hidden Markov model, not a set of word classes: open it"),
        ("linear-aso", Tagger, "holds a linear tagger, not a tagger: open it with dovetail.load"),
    ],
)
def test_a_file_of_another_kind(name: str, cls: Any, words: str) -> None:
    with pytest.raises(ModelFileError, match=words):
        cls.load(SAVED / f"{name}.dovetail")


def test_a_kind_of_a_newer_version_is_refused_by_name(tmp_path: Path) -> None:
    facts = {"kind": "neural tagger", "labels": [], "training": {}, "dovetail": "7.0.0"}
    path = tmp_path / "new.dovetail"
    path.write_bytes(to_bytes({"a": np.zeros(8, np.uint8)}, facts))
    with pytest.raises(ModelFileError, match=r"'neural tagger', as Dovetail 7\.0\.0 writes them"):
        dovetail.load(path)
    with pytest.raises(ModelFileError, match="holds a neural tagger, not a tagger"):
        Tagger.load(path)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_damaged_file_is_one_sentence(path: Path) -> None:
    content = path.read_bytes()
    with pytest.raises(ModelFileError, match="cut short"):
        dovetail.load(content[:-20])
    with pytest.raises(ModelFileError, match="damaged: its description has changed"):
        dovetail.load(content.replace(b"labels", b"lebals", 1))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_facts_that_lack_something_are_one_sentence(path: Path) -> None:
    file = open_model(path)
    arrays = {name: np.frombuffer(file.array(name), np.uint8) for name in file._arrays}
    for lacking in set(file.facts) - {"labels", "training", "kind"}:
        facts = {key: value for key, value in file.facts.items() if key != lacking}
        with suppress(DovetailError):  # and no other error
            dovetail.load(to_bytes(arrays, facts))


def test_options_that_a_kind_does_not_take() -> None:
    with pytest.raises(DataError, match="a pipeline takes no features when it is opened"):
        dovetail.load(SAVED / "pipeline-joint.dovetail", features=len)
    with pytest.raises(DataError, match="a set of word classes takes no layers"):
        dovetail.load(SAVED / "word-classes.dovetail", layers={})
    assert dovetail.load(SAVED / "word-classes.dovetail", threads=2).is_fitted
    assert dovetail.load(SAVED / "hmm.dovetail", threads=2).threads == 2


def test_threads_are_checked_whatever_is_opened() -> None:
    for path in FILES:
        for threads in (0, -1, 1.5, "2", True):
            with pytest.raises(DataError, match="threads"):
                dovetail.load(path, threads=threads)  # type: ignore[arg-type]
