"""An imported model as a layer of a pipeline."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dovetail import Pipeline, Tagger, Template, column
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.interop import import_model
from dovetail.interop import pycrfsuite as ours

WORDS = [
    ["12", "High", "Street", "Leeds"],
    ["Mill", "Lane", "York"],
    ["7", "Mill", "Road", "Leeds"],
]
FINE = [["NUM", "NAME", "TYPE", "CITY"], ["NAME", "TYPE", "CITY"], ["NUM", "NAME", "TYPE", "CITY"]]
COARSE = [["NUM", "STREET", "STREET", "CITY"], ["STREET", "STREET", "CITY"]]


def features(sequence: Any) -> list[dict[str, Any]]:
    words = list(sequence["word"])
    made: list[dict[str, Any]] = [{"word": word.lower(), "digit": word.isdigit()} for word in words]
    for own, after in pairwise(made):
        own["next"] = {"word": after["word"]}
    return made


@pytest.fixture(scope="module")
def old_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("old") / "old.crfsuite"
    trainer = ours.Trainer(verbose=False, params={"c2": 0.1})
    for words, labels in zip(WORDS, FINE, strict=True):
        trainer.append(features({"word": words}), labels)
    trainer.train(str(path))
    return path


@pytest.fixture
def pipeline(old_model: Path) -> Pipeline:
    old = import_model(old_model, features=features, threads=1)
    template = Template(column("fine").window(1))
    made = Pipeline({"fine": old, "coarse": Tagger(features=template, c2=0.1)}, threads=1)
    return made.fit({"coarse": Corpus.from_lists({"word": WORDS[:2], "coarse": COARSE})})


@pytest.mark.parametrize("decode", ["none", "cascade", "soft", "joint"])
def test_all_ways_of_decoding(pipeline: Pipeline, decode: Any) -> None:
    found = pipeline.predict([WORDS[2]], decode=decode)
    assert found["fine"] == [FINE[2]]
    if decode != "none":
        assert found["coarse"] == [["NUM", "STREET", "STREET", "CITY"]]


def test_a_saved_pipeline_is_given_the_function_again(pipeline: Pipeline, tmp_path: Path) -> None:
    pipeline.save(tmp_path / "both.dovetail")
    again = Pipeline.load(tmp_path / "both.dovetail", layers={"fine": features})
    assert again.predict([WORDS[2]]) == pipeline.predict([WORDS[2]])
    with pytest.raises(DataError, match="a feature function of yours"):
        Pipeline.load(tmp_path / "both.dovetail").predict([WORDS[2]])


def test_without_a_function_it_reads_feature_lists(old_model: Path) -> None:
    old = import_model(old_model)
    assert old.predict([features({"word": WORDS[0]})]) == [FINE[0]]
    with pytest.raises(DataError, match="a feature function of yours"):
        old.predict(Corpus.from_lists({"word": WORDS}))
