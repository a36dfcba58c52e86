"""Pipelines that are trained again, after they were loaded or copied: their layers as given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dovetail import (
    ASO,
    Constraints,
    Corpus,
    DovetailError,
    FeatureGroup,
    LinearTagger,
    Pipeline,
    Tagger,
    Template,
    column,
)
from dovetail.features import Table
from dovetail.multitask import masked
from pipeline.conftest import random_corpus

WORD = column("word")
SAVED = Path(__file__).parents[1] / "fixtures" / "saved-0.1"


def by_auto(corpus: Corpus, **settings: Any) -> Pipeline:
    lower = Tagger(features=Template(WORD.window(1)), c2=0.3)
    upper = Tagger(c2=0.2, groups=[FeatureGroup("word=*", prior=2.0)], **settings)
    return Pipeline({"low": lower, "up": upper}, decode="auto").fit(corpus, folds=2)


def test_a_loaded_pipeline_by_auto_can_be_trained_again() -> None:
    corpus, other = random_corpus(24, seed=1), random_corpus(24, seed=5)
    trained = by_auto(corpus)
    content = trained.to_bytes()
    expected = trained.fit(other, folds=2).predict(corpus)
    for again in (Pipeline.load(content), Pipeline.load(content).clone()):
        assert again.fit(other, folds=2).predict(corpus) == expected
        assert again.notes_ == trained.notes_
    cascade = Pipeline.load(content).fit(other, training="cascade", folds=2)
    assert isinstance(cascade["up"], Tagger)


def test_parameters_of_layers_survive_a_file() -> None:
    rules = Constraints(start=["X", "Y"], follow={"X": ["Y", "X"]})
    trained = by_auto(random_corpus(24, seed=1), constraints=rules, label_weights={"X": 2.0})
    again = Pipeline.load(trained.to_bytes())
    for name in ("low", "up"):
        before, after = (one.get_params()[name] for one in (trained, again))
        assert not after.is_fitted
        assert repr(after) == repr(before)
    found, given = again.get_params()["up"].constraints, rules.matrix(["X", "Y"])
    assert (found.matrix(["X", "Y"]).transitions == given.transitions).all()
    assert again.to_bytes() == trained.to_bytes()


def test_a_template_that_a_tagger_has_is_written_once() -> None:
    corpus = random_corpus(20)
    values = {f"w{number}": str(number) for number in range(3000)}
    template = Template(WORD, WORD.table("classes"), tables={"classes": Table(values)})
    layers = {"low": Tagger(features=template, c2=0.3)}
    pipeline = Pipeline(layers, decode="cascade").fit(corpus)
    assert len(pipeline.to_bytes()) < len(pipeline["low"].to_bytes()) + 5000
    assert str(Pipeline.load(pipeline.to_bytes()).get_params()["low"].features) == str(template)


def test_trained_taggers_that_were_given_stay_trained() -> None:
    corpus = random_corpus(20)
    low = Tagger(features=Template(WORD), c2=0.3).fit(corpus, label="low")
    again = Pipeline.load(Pipeline({"low": low}, decode="cascade").to_bytes())
    assert str(again["low"].features) == "word"
    assert str(again.fit(corpus)["low"].template_) == "word"


def test_a_feature_function_must_be_given_again() -> None:
    corpus = random_corpus(20)

    def words(sequence: Any) -> list[list[str]]:
        return [[word] for word in sequence["word"]]

    pipeline = Pipeline({"low": Tagger(features=words, c2=0.3)}, decode="cascade").fit(corpus)
    again = Pipeline.load(pipeline.to_bytes(), layers={"low": words})
    assert again.fit(corpus).predict(corpus) == pipeline.predict(corpus)
    with pytest.raises(DovetailError, match="task 'low': its features are made by a function"):
        Pipeline.load(pipeline.to_bytes()).fit(corpus)


def test_linear_layers_are_trained_again_as_what_they_were() -> None:
    corpus = random_corpus(30)
    layers = {"low": LinearTagger(penalty=1e-3), "up": ASO(n_parts=2, h=2)}
    pipeline = Pipeline(layers, decode="cascade").fit(corpus, folds=2)
    again = Pipeline.load(pipeline.to_bytes())
    assert again.get_params()["low"].features is None
    assert again.fit(corpus, folds=2).predict(corpus) == pipeline.predict(corpus)
    assert isinstance(again["up"], ASO)


def test_auxiliary_tasks_must_be_given_again() -> None:
    corpus = random_corpus(30)
    aso = ASO(n_parts=0, auxiliary=[masked(corpus, "word", most=3)], h=2)
    pipeline = Pipeline({"up": aso}, decode="cascade").fit(corpus)
    with pytest.raises(DovetailError, match="auxiliary is a list of tasks"):
        Pipeline.load(pipeline.to_bytes()).fit(corpus)


def test_files_of_0_1_say_why_they_cannot_be_trained_again() -> None:
    old = Pipeline.load(SAVED / "pipeline-auto.dovetail")
    corpus = Corpus.from_lists({"word": [["a", "b"]] * 4, old.names[-1]: [["O", "O"]] * 4})
    with pytest.raises(DovetailError, match="cannot be trained"):
        old.fit({old.names[-1]: corpus})


@pytest.mark.parametrize("is_trained", [False, True])
def test_copies_have_parameters_of_their_own(is_trained: bool) -> None:
    corpus = random_corpus(20)
    given = {"low": Tagger(features=Template(WORD), c2=0.3), "up": Tagger(c2=0.3)}
    if is_trained:
        given = {name: tagger.fit(corpus, label=name) for name, tagger in given.items()}
    pipeline = Pipeline(given, decode="cascade")
    if not is_trained:
        pipeline.fit(corpus, folds=2)
    expected = pipeline.predict(corpus)
    for copy in (pipeline.with_weights(low=2.0), pipeline.with_layers(pipeline.layers)):
        copy.set_params(low__c2=7.0, up__threads=1)
        assert given["low"].c2 == 0.3 == pipeline.get_params()["low__c2"]
        assert given["up"].threads is None
        assert copy.predict(corpus) == expected
        assert copy.fit(corpus, folds=2)["low"].c2_ == 7.0
    assert pipeline.predict(corpus) == expected
    if is_trained:
        copy = pipeline.with_weights(low=2.0).set_params(low__threads=1)
        assert copy["low"].threads == 1
