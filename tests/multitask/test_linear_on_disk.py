"""Linear taggers trained on a corpus on disk, here and by the workers of a cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import ASO, Corpus, LinearTagger, Template, column
from dovetail.corpus import Shards
from dovetail.errors import DataError
from dovetail.multitask.matrix import LOSSES
from multitask.corpora import random_corpus

WORDS = Template(column("word").window(1), column("pos"))


@pytest.fixture(scope="module")
def text() -> Corpus:
    return random_corpus(60, seed=2)


def write(text: Corpus, folder: Path, tokens: int = 60) -> Shards:
    return Shards.write(folder, text, tokens=tokens)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("more", [{}, {"min_count": 3, "penalty": 1e-2}])
def test_the_minimum_is_that_of_the_text_in_memory(
    text: Corpus, tmp_path: Path, loss: Any, more: dict[str, Any]
) -> None:
    settings: dict[str, Any] = {"features": WORDS, "loss": loss, "tolerance": 1e-6, **more}
    here = LinearTagger(**settings).fit(text)
    there = LinearTagger(**settings).fit(write(text, tmp_path / "text"))
    assert there.training_["objective"] == pytest.approx(here.training_["objective"], rel=1e-4)
    order = [there.labels_.index(label) for label in here.labels_]
    np.testing.assert_allclose(there.scores(text)[:, order], here.scores(text), atol=2e-2)
    assert there.factor_ == pytest.approx(here.factor_, rel=2e-2)


def test_workers_find_the_same_bits(text: Corpus, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    shards = write(text, tmp_path / "text", 40)
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as made,
        distributed.Client(made) as client,
    ):
        there = LinearTagger(features=WORDS).fit(shards, cluster=client)
    here = LinearTagger(features=WORDS).fit(shards)
    np.testing.assert_array_equal(here.scores(text), there.scores(text))
    assert here.factor_ == there.factor_


def test_missing_labels_are_left_out(tmp_path: Path) -> None:
    words = [["a", "b"], ["a", "c"], ["b", "c"]] * 4
    labels = [["A", None], ["A", "C"], [None, "C"]] * 4
    text = Corpus.from_lists({"word": words, "pos": labels})
    features = Template(column("word"))
    settings: dict[str, Any] = {"features": features, "tolerance": 1e-6, "calibrate": False}
    here = LinearTagger(**settings).fit(text)
    there = LinearTagger(**settings).fit(Shards.write(tmp_path / "text", text, tokens=3))
    assert there.training_["objective"] == pytest.approx(here.training_["objective"], rel=1e-4)
    assert there.predict([["a", "c"]]) == [["A", "C"]]
    assert there.factor_ is None


def test_what_is_refused(text: Corpus, tmp_path: Path) -> None:
    shards = write(text, tmp_path / "text")
    with pytest.raises(DataError, match="a cluster works on a corpus on disk"):
        LinearTagger().fit(text, cluster="local:1")
    with pytest.raises(DataError, match="parts of a text on disk are no tasks"):
        ASO().fit(shards)
    with pytest.raises(DataError, match=r"no column 'chunk'"):
        LinearTagger().fit(shards, label="chunk")
    with pytest.raises(DataError, match=r"no feature occurs 1000 times"):
        LinearTagger(min_count=1000).fit(shards)
    same = Corpus.from_lists({"word": [["a"]], "pos": [["X"]]})
    with pytest.raises(DataError, match=r"only the label 'X': classifiers need at least two"):
        LinearTagger().fit(Shards.write(tmp_path / "same", same))
