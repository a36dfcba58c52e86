"""The tutorial's tagger, with an old one's labels and without."""

from __future__ import annotations

import pytest

from dovetail import DovetailError
from experiments.little import crfsuite_tutorial as tutorial
from experiments.little.crfsuite_tutorial import TutorialTagger, features_of

WORDS = [["by", "Ada"], ["by", "Bo"], ["the", "Ada"]] * 3
LABELS = [["O", "B-X"], ["O", "B-X"], ["O", "O"]] * 3


def test_features_are_those_of_the_tutorial() -> None:
    first, second = features_of(["The", "DOGS"])
    assert first == {
        "bias": 1.0,
        "word.lower()": "the",
        "word[-3:]": "The",
        "word[-2:]": "he",
        "word.isupper()": False,
        "word.istitle()": True,
        "word.isdigit()": False,
        "BOS": True,
        "+1:word.lower()": "dogs",
        "+1:word.istitle()": False,
        "+1:word.isupper()": True,
    }
    assert second["EOS"] is True
    assert "old" not in second


def test_old_labels_are_features_of_the_token_and_its_neighbours() -> None:
    found = features_of(["a", "b", "c"], ["O", "B-X", "I-X"])[1]
    assert (found["-1:old"], found["old"], found["+1:old"]) == ("O", "B-X", "I-X")


def test_it_learns() -> None:
    pytest.importorskip("pycrfsuite")
    assert TutorialTagger().fit(WORDS, LABELS).predict([["by", "Bo"]]) == [["O", "B-X"]]
    old = [["O", "B-Y" if own[1] == "B-X" else "O"] for own in LABELS]
    tagger = TutorialTagger().fit(WORDS, LABELS, old)
    assert tagger.predict([["x", "y"]], [["O", "B-Y"]]) == [["O", "B-X"]]


def test_without_the_package_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tutorial, "find_spec", lambda _: None)
    with pytest.raises(DovetailError, match="pip install python-crfsuite"):
        TutorialTagger()
