"""Representations in words: made by a description, opened by a file, drawn as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dovetail import load
from dovetail.corpus import Corpus
from dovetail.errors import DataError, ModelFileError
from dovetail.representation import (
    HMM,
    BiasedHMM,
    LayeredHMM,
    Representation,
    WordClasses,
    WordVectors,
)
from dovetail.representation.build import make_representation, select_text, train_representation
from dovetail.representation.plots import check_plot, use_of_states
from representation.texts import news, novel

SMALL: dict[str, Any] = {"states": 3, "min_count": 1, "rounds": 2, "threads": 1}


@pytest.mark.parametrize(
    ("kind", "settings", "expected"),
    [
        ("hmm", {}, HMM),
        ("biased", {"labels": "pos", "distance": 1.0}, BiasedHMM),
        ("layered", {"layers": 2, "repel": 0.1}, LayeredHMM),
        ("layered", {"layers": 2, "labels": "pos"}, LayeredHMM),
    ],
)
def test_every_kind_is_learned_kept_and_opened(
    kind: Any, settings: dict[str, Any], expected: type[Representation]
) -> None:
    made = train_representation(make_representation(kind, **SMALL, **settings), news(), novel())
    assert type(made) is expected
    assert made.biased_by_ == (("pos",) if "labels" in settings else ())
    again = load(made.to_bytes())
    assert type(again) is expected
    assert again.biased_by_ == made.biased_by_
    assert again.annotate(novel()).names == made.annotate(novel()).names


def test_classes_and_vectors_are_opened() -> None:
    classes = train_representation(
        make_representation("classes", states=3, min_count=1), news(), novel()
    )
    vectors = WordVectors(["girl", "bank", "sold"], [[1, 0], [0.9, 0], [0, 1]], clusters=2)
    for made in (classes, vectors):
        again = load(made.to_bytes())
        assert type(again) is type(made)
        assert again.columns(novel()) == made.columns(novel())
    [girl] = [k for k in (0, 1) if "girl" in dict(vectors.typical_words(k))]
    assert set(dict(vectors.typical_words(girl))) == {"girl", "bank"}


def test_typical_words_of_a_class_are_its_most_frequent() -> None:
    words = [["a", "cat"], ["a", "dog"], ["the", "cat"], ["a", "cat"]]
    classes = WordClasses(2, min_count=1).fit(Corpus.from_lists({"word": words}))
    found = classes.typical_words(classes.class_of("cat"))
    assert found == [("cat", 0.75), ("dog", 0.25)]
    assert load(classes.to_bytes()).typical_words(classes.class_of("cat")) == found  # type: ignore[attr-defined]


def test_only_representations_are_opened() -> None:
    with pytest.raises(ModelFileError, match="is not a model file"):
        load(b"nothing" * 10)


def test_text_has_the_column_of_words_or_the_first() -> None:
    form = Corpus.from_lists({"form": [["b"]], "x": [["y"]]})
    both = select_text([Corpus.from_lists({"pos": [["N"]], "word": [["a"]]}), form], "word")
    assert both.lists("word") == [["a"], ["b"]]
    assert select_text([form], "word", "x").names == ("word", "x")


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        ("hmm", {"labels": "pos"}, "takes no biases"),
        ("biased", {}, "needs a bias"),
        ("biased", {"distance": 1.0, "entropy": 1.0}, "entropy is the weight of labels: name"),
        ("layered", {"sigma": 1.0}, "there are none"),
    ],
)
def test_descriptions_that_contradict_themselves(kind: Any, settings: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        make_representation(kind, **settings)


@pytest.mark.parametrize("soft", [True, False])
def test_use_of_states_is_their_share(soft: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made: Any = train_representation(make_representation("hmm", **SMALL, soft=soft), news())
    monkeypatch.setattr("dovetail.representation.plots.AT_ONCE", 50)
    [shares] = use_of_states(made, [news(), novel()]).values()
    expected = made.marginals(news()).mean(axis=0)
    if not soft:
        expected = np.bincount(made.best_states(news()), minlength=3) / news().n_tokens
    assert shares[0] == pytest.approx(expected, abs=0.01)
    assert len(shares) == 2


def test_a_plot_that_cannot_be_drawn(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"a plot ends in \.png"):
        check_plot(tmp_path / "plot.doc")
