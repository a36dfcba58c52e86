"""Representations in pipelines: their columns are inputs of all layers."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import (
    HMM,
    BiasedHMM,
    Corpus,
    DataError,
    DovetailError,
    LayeredHMM,
    ModelFileError,
    Pipeline,
    Tagger,
    Template,
    WordClasses,
    column,
)
from dovetail.pipeline.representations import add_representations
from dovetail.pipeline.train.auto.members import MAPPED
from dovetail.representation import Distance, Entropy, Representation
from representation.texts import news, novel

SMALL: dict[str, Any] = {"min_count": 1, "rounds": 3, "threads": 1, "value": 1.0}


@pytest.fixture(scope="module")
def hmm() -> HMM:
    return HMM(3, **SMALL).fit([news(), novel()])


def tagger(*names: str) -> Tagger:
    return Tagger(features=Template(*map(column, names)), c2=0.1, threads=1)


def tagged(pipeline: Pipeline, corpus: Corpus) -> list[list[str]]:
    return pipeline.predict(corpus)["pos"]


def test_taggers_read_the_columns_of_representations(hmm: HMM) -> None:
    pipeline = Pipeline({"state": hmm, "pos": tagger("state")}).fit(news())
    by_hand = tagger("state").fit(hmm.annotate(news()), label="pos")
    assert pipeline.names == ["pos"]
    assert list(pipeline.get_params()["layers"]) == ["state", "pos"]
    assert tagged(pipeline, novel()) == by_hand.predict(hmm.annotate(novel()))
    assert pipeline.notes_ == []


def test_lists_of_words_are_enough(hmm: HMM) -> None:
    pipeline = Pipeline([hmm, tagger("state").fit(hmm.annotate(news()), label="pos")])
    words = novel().lists("word")
    assert pipeline.predict(words) == pipeline.predict(novel())


def test_what_was_added_is_taken_away_again(hmm: HMM) -> None:
    pipeline = Pipeline({"state": hmm, "pos": tagger("word", "state")}).fit(news())
    assert pipeline.annotate(novel()).names == ("word", "pos")
    assert pipeline.annotate(hmm.annotate(novel())).names == ("word", "state", "pos")


def test_columns_that_are_there_are_used(hmm: HMM) -> None:
    pipeline = Pipeline({"state": hmm, "pos": tagger("state")}).fit(news())
    unknown = [[None] * len(words) for words in novel().lists("word")]
    given = novel().with_column("state", unknown)
    sure, unsure = (pipeline.tag(c)[0].layers["pos"].confidences for c in (novel(), given))
    assert unsure == pytest.approx(pipeline["pos"].tag(given)[0].confidences)
    assert min(sure) > max(unsure)


def test_default_features_have_them(hmm: HMM) -> None:
    classes = WordClasses(3, min_count=1).fit([news(), novel()])
    corpus = news().without_column("half")
    pipeline = Pipeline({"state": hmm, "class": classes, "pos": Tagger(threads=1)}).fit(corpus)
    features = pipeline["pos"].features
    assert {"state", "class"} <= set(features.columns)
    plain = Tagger(threads=1).fit(corpus, label="pos")
    assert len(features.rows) == len(plain.model_.template.rows) + 2


def test_ready_columns_are_no_labels(hmm: HMM) -> None:
    corpus = hmm.annotate(news().without_column("half"))
    assert corpus.names[-1] == "state"
    pipeline = Pipeline({"state": hmm, "tags": tagger("state")}).fit(corpus)
    assert set(pipeline["tags"].labels_) == {"D", "N", "V"}
    with pytest.raises(DataError, match="no column 'state'"):
        Pipeline({"state": hmm, "tags": tagger("word")}).fit(corpus, labels={"tags": "state"})


@pytest.mark.parametrize("training", ["cascade", "soft", "gold", "joint", "auto"])
def test_every_training_and_decoding(hmm: HMM, training: Any) -> None:
    layers = {"state": hmm, "half": tagger("word"), "pos": tagger("state", "half")}
    pipeline = Pipeline(layers).fit(news(), training=training, folds=2)
    for decode in ("none", "cascade", "soft", "joint", "auto"):
        found = pipeline.predict(novel(), decode=decode)
        assert {y for labels in found["pos"] for y in labels} <= {"D", "N", "V"}
        assert [t.layers["pos"].labels for t in pipeline.tag(novel(), decode=decode)] == found[
            "pos"
        ]
    assert len(pipeline.predict_nbest(novel(), 2)) == len(novel())
    assert len(pipeline.reports(novel())) >= 1


def test_both_members_of_auto_read_them(hmm: HMM) -> None:
    layers = {"state": hmm, "half": tagger("word"), "pos": tagger("state", "half")}
    pipeline = Pipeline(layers, decode="auto").fit(news(), folds=2)
    assert pipeline.candidates_ is not None
    for member in pipeline.candidates_.members:
        if member.kind != MAPPED:
            assert "state" in member.annotator.reads_


def test_explanations_and_weights(hmm: HMM) -> None:
    layers = {"state": hmm, "half": tagger("word"), "pos": tagger("state", "half")}
    pipeline = Pipeline(layers).fit(news())
    words = novel().lists("word")[0]
    assert str(pipeline.explain(words))
    assert str(pipeline.explain(novel()[0])) == str(pipeline.explain(words))
    assert set(pipeline.tune(news(10, seed=5), candidates=[1.0, 2.0]).weights) == {"half", "pos"}


def test_one_file(hmm: HMM, tmp_path: Path) -> None:
    layered = LayeredHMM(2, HMM(2, name="deep", **SMALL)).fit(news())
    layers = {"state": hmm, "deep": layered, "pos": tagger("word", "state", "deep1", "deep2")}
    pipeline = Pipeline(layers).fit(news())
    pipeline.save(tmp_path / "all.dovetail")
    for again in (
        Pipeline.load(tmp_path / "all.dovetail"),
        pickle.loads(pickle.dumps(pipeline)),
    ):
        assert [one.names_ for one in again.representations] == [("state",), ("deep1", "deep2")]
        assert tagged(again, novel()) == tagged(pipeline, novel())
    assert Pipeline.load(pipeline.to_bytes()).to_bytes() == pipeline.to_bytes()


def test_damaged_files_give_errors(hmm: HMM) -> None:
    content = Pipeline({"state": hmm, "pos": tagger("state")}).fit(news()).to_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(len(content), size=40):
        broken = bytearray(content)
        broken[place] ^= 0xFF
        with pytest.raises(ModelFileError):
            Pipeline.load(bytes(broken))


def test_a_representation_is_no_pipeline(hmm: HMM, tmp_path: Path) -> None:
    hmm.save(tmp_path / "states.dovetail")
    with pytest.raises(ModelFileError, match="holds a hidden Markov model, not a pipeline: open"):
        Pipeline.load(tmp_path / "states.dovetail")


def biased(weight: float = 1.0) -> BiasedHMM:
    return BiasedHMM(3, [Entropy("pos", weight), Distance()], **SMALL).fit(news(), novel())


def test_a_leak_is_noted() -> None:
    hmm = biased()
    pipeline = Pipeline({"state": hmm, "pos": tagger("state")}).fit(news())
    [note] = pipeline.notes_
    assert "learned from labels (pos)" in note
    assert "annotate_left_out" in note
    pipeline.fit(hmm.annotate_left_out(news(), novel()))
    assert pipeline.notes_ == []
    layered = LayeredHMM(2, BiasedHMM(3, [Entropy("pos")], **SMALL)).fit(news())
    assert len(Pipeline({"state": layered, "pos": tagger("state1")}).fit(news()).notes_) == 1


def test_what_only_measures_does_not_leak() -> None:
    assert Pipeline({"state": biased(0.0), "pos": tagger("state")}).fit(news()).notes_ == []


def test_only_missing_columns_are_added(hmm: HMM) -> None:
    classes = WordClasses(3, min_count=1).fit(news())
    corpus = hmm.annotate(news())
    full = add_representations(corpus, [hmm, classes])
    assert full.column("state") is corpus.column("state")
    assert full.names == (*corpus.names, "class")


def refused(layers: Any, words: str) -> None:
    with pytest.raises(DovetailError, match=words) as caught:
        Pipeline(layers).fit(news())
    assert "\n" not in str(caught.value)


def test_bad_input(hmm: HMM) -> None:
    fresh: Representation = HMM(3)
    refused(
        {"state": fresh, "pos": tagger("state")},
        "'state': this hidden Markov model has not been trained",
    )
    refused({"states": hmm, "pos": tagger("state")}, "'states' calls its column 'state'")
    refused({"state": hmm}, "at least one tagger")
    refused([hmm, hmm, tagger("word").fit(news(), label="pos")], "another one both write")
    other = HMM(3, name="pos", **SMALL).fit(news())
    refused([other, tagger("word").fit(news(), label="pos")], "a task both write the column 'pos'")
    upon = HMM(3, column="pos", **SMALL).fit(news())
    refused({"state": upon, "pos": tagger("word")}, "reads the column 'pos', which a task writes")
    form = HMM(3, column="form", **SMALL).fit(Corpus.from_lists({"form": [["a", "b", "c", "d"]]}))
    refused({"state": form, "pos": tagger("state")}, "'state': .*'form'")


def test_pipelines_without_them_load_none_of_their_code() -> None:
    script = """
import sys
from dovetail import Corpus, Pipeline, Tagger
corpus = Corpus.from_lists({"word": [["a", "b"]], "x": [["N", "V"]]})
pipeline = Pipeline.load(Pipeline({"x": Tagger()}).fit(corpus).to_bytes())
pipeline.predict([["a"]])
sys.exit(any(name.startswith("dovetail.representation") for name in sys.modules))
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
