"""The tagger that many people begin with: the features of sklearn-crfsuite's tutorial on entities,
without parts of speech, and its settings, trained by python-crfsuite."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dovetail import DovetailError

SETTINGS: Mapping[str, Any] = {
    "c1": 0.1,
    "c2": 0.1,
    "max_iterations": 100,
    "feature.possible_transitions": True,
}
Features = dict[str, Any]
Words = Sequence[str]


def require_crfsuite() -> None:
    """Make sure that python-crfsuite is there, before hours of other work."""
    if find_spec("pycrfsuite") is None:
        raise DovetailError(
            "the tutorial's tagger needs python-crfsuite: pip install python-crfsuite"
        )


def tutorial_fingerprint() -> str:
    """Of all that the tagger is, but for its features."""
    return f"python-crfsuite {version('python-crfsuite')}, {sorted(SETTINGS.items())}"


def features_of(words: Words, old: Sequence[str] | None = None) -> list[Features]:
    """The tutorial's features of each token, and the labels that an old tagger gives to it and to
    its neighbours.

    >>> features_of(["Ada", "spoke"], ["B-PER", "O"])[1]["-1:old"]
    'B-PER'
    """
    out = []
    for at, word in enumerate(words):
        found: Features = {
            "bias": 1.0,
            "word.lower()": word.lower(),
            "word[-3:]": word[-3:],
            "word[-2:]": word[-2:],
            "word.isupper()": word.isupper(),
            "word.istitle()": word.istitle(),
            "word.isdigit()": word.isdigit(),
        }
        if old is not None:
            found["old"] = old[at]
        for offset, edge in ((-1, "BOS"), (1, "EOS")):
            place = at + offset
            if not 0 <= place < len(words):
                found[edge] = True
                continue
            near = words[place]
            found[f"{offset:+d}:word.lower()"] = near.lower()
            found[f"{offset:+d}:word.istitle()"] = near.istitle()
            found[f"{offset:+d}:word.isupper()"] = near.isupper()
            if old is not None:
                found[f"{offset:+d}:old"] = old[place]
        out.append(found)
    return out


class TutorialTagger:
    """The tutorial's tagger; sequences are lists of words, with the labels of an old tagger or
    without them."""

    def __init__(self) -> None:
        require_crfsuite()
        self._model = b""

    def fit(
        self, words: Sequence[Words], labels: Sequence[Words], old: Sequence[Words] | None = None
    ) -> TutorialTagger:
        """Train it."""
        import pycrfsuite

        trainer = pycrfsuite.Trainer("lbfgs", dict(SETTINGS), verbose=False)
        for features, own in zip(_all_features(words, old), labels, strict=True):
            trainer.append(features, own)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model")
            trainer.train(str(path))
            self._model = path.read_bytes()
        return self

    def predict(
        self, words: Sequence[Words], old: Sequence[Words] | None = None
    ) -> list[list[str]]:
        """The best labels."""
        import pycrfsuite

        tagger = pycrfsuite.Tagger()
        tagger.open_inmemory(self._model)
        return [tagger.tag(features) for features in _all_features(words, old)]


def _all_features(words: Sequence[Words], old: Sequence[Words] | None) -> list[list[Features]]:
    if old is None:
        return [features_of(own) for own in words]
    return [features_of(own, said) for own, said in zip(words, old, strict=True)]
