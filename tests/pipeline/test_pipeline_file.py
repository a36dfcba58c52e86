"""Pipelines in files, in memory, and as copies."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import (
    Corpus,
    DovetailError,
    ModelFileError,
    Pipeline,
    Pool,
    Scores,
    Tagger,
    Template,
    column,
)


def test_one_file_for_all_layers(layers: dict[str, Any], corpus: Corpus, tmp_path: Path) -> None:
    other = Tagger(features=Template(column("word")), c2=0.1).fit(corpus, label="up")
    pool = Pool([layers["up"], other], weights=[0.7, 0.3])
    pipeline = Pipeline(
        {**layers, "up": pool}, decode="soft", weights={"low": 1.5}, inference="sparse", lattice=3
    )
    pipeline.save(tmp_path / "all.dovetail")
    again = Pipeline.load(tmp_path / "all.dovetail")
    assert again.names == pipeline.names
    assert (again.decode, again.weights, again.lattice) == ("soft", pipeline.weights, 3)
    assert again.inference == "sparse"
    for decode in ("cascade", "joint"):
        expected = pipeline.predict(corpus, decode=decode)  # type: ignore[arg-type]
        assert again.predict(corpus, decode=decode) == expected  # type: ignore[arg-type]
    assert dovetail.load(tmp_path / "all.dovetail").names == again.names
    with pytest.raises(ModelFileError, match="holds a pipeline, not a tagger: open it with doveta"):
        Tagger.load(tmp_path / "all.dovetail")
    layers["low"].save(tmp_path / "one.dovetail")
    with pytest.raises(ModelFileError, match="holds a tagger, not a pipeline"):
        Pipeline.load(tmp_path / "one.dovetail")


def test_damaged_files_give_errors(pipeline: Pipeline) -> None:
    content = pipeline.to_bytes()
    for cut in (3, 40, len(content) // 2, len(content) - 9):
        with pytest.raises(ModelFileError):
            Pipeline.load(content[:cut])
    rng = np.random.default_rng(0)
    for place in rng.integers(len(content), size=40):
        broken = bytearray(content)
        broken[place] ^= 0xFF
        try:
            Pipeline.load(bytes(broken))
        except ModelFileError:
            continue
        pytest.fail(f"a changed byte at {place} was not noticed")


def test_layers_of_ones_own_are_given_again(layers: dict[str, Any], corpus: Corpus) -> None:
    own = Scores(layers["low"].labels_, lambda c: [np.zeros((len(s), 3)) for s in c])
    content = Pipeline({**layers, "low": own}).to_bytes()
    with pytest.raises(DovetailError, match=r"'low' .* annotator of your own"):
        Pipeline.load(content)
    again = Pipeline.load(content, layers={"low": own})
    assert len(again.predict(corpus)["up"]) == len(corpus)


def test_a_pool_with_a_layer_of_ones_own_is_given_again(
    layers: dict[str, Any], corpus: Corpus
) -> None:
    own = Scores(layers["low"].labels_, lambda c: [np.zeros((len(s), 3)) for s in c])
    pool = Pool([layers["low"], own])
    pipeline = Pipeline({**layers, "low": pool})
    again = Pipeline.load(pipeline.to_bytes(), layers={"low": pool})
    assert again["low"] is pool
    assert again.predict(corpus) == pipeline.predict(corpus)
    other = Scores(["A", "B"], lambda c: [np.zeros((len(s), 2)) for s in c])
    with pytest.raises(DovetailError, match="has other labels than when"):
        Pipeline.load(pipeline.to_bytes(), layers={"low": other})


def test_taggers_of_a_pipeline_can_be_pickled_and_copied(layers: dict[str, Any]) -> None:
    tagger = pickle.loads(pickle.dumps(layers["up"]))
    assert Pipeline({**layers, "up": tagger}).names == ["low", "mid", "up"]


def test_a_pipeline_that_has_been_used_can_be_pickled(pipeline: Pipeline, corpus: Corpus) -> None:
    expected = pipeline.predict(corpus)
    assert pickle.loads(pickle.dumps(pipeline)).predict(corpus) == expected
