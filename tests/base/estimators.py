"""Every estimator, small: how it is made, trained, and used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dovetail import (
    ASO,
    HMM,
    BiasedHMM,
    Consistency,
    Corpus,
    LayeredHMM,
    LinearTagger,
    Pipeline,
    Tagger,
    Template,
    WordClasses,
    WordTable,
    WordVectors,
    column,
)
from dovetail.base import Estimator
from dovetail.base.representation import Representation
from dovetail.corpus import SoftColumn
from dovetail.multitask import Structure, masked
from dovetail.representation import Distance, Entropy

WORD = Template(column("word").lower, column("word").suffix(2))
WORDS = [["the", "cat", "sat"], ["a", "dog", "ran"], ["Ada", "saw", "the", "dog"], ["she", "ran"]]
TAGS = [["D", "N", "V"], ["D", "N", "V"], ["N", "V", "D", "N"], ["P", "V"]]
SMALL: dict[str, Any] = {"min_count": 1, "rounds": 3}


def text() -> Corpus:
    return Corpus.from_lists({"word": WORDS * 3, "pos": TAGS * 3})


def capitals() -> Corpus:
    """A second task over the same words."""
    return Corpus.from_lists(
        {"word": WORDS, "tag": [["A" if word[0].isupper() else "a" for word in s] for s in WORDS]}
    )


@dataclass(frozen=True)
class Case:
    """An estimator: ``make`` takes parameters that differ from those that it would have."""

    name: str
    make: Callable[..., Estimator]
    fit: Callable[[Any, Corpus], Any] | None = lambda one, corpus: one.fit(corpus)

    def fitted(self, **parameters: Any) -> Any:
        one = self.make(**parameters)
        return one if self.fit is None else self.fit(one, text())


def used(model: Any, words: list[list[str]] = WORDS) -> Any:
    """What a trained estimator says of some text, as plain data."""
    if not isinstance(model, Representation):
        return model.predict(words)
    corpus = model.annotate(Corpus.from_lists({"word": words}))
    return {name: plain(corpus, name) for name in model.names_}


def plain(corpus: Corpus, name: str) -> Any:
    found = corpus.column(name)
    return found.weights.tolist() if isinstance(found, SoftColumn) else corpus.lists(name)


def layers() -> dict[str, Any]:
    above = Template(*WORD.expressions, column("tag"))
    return {"tag": Tagger(features=WORD, c2=0.1), "pos": Tagger(features=above, c2=0.1)}


VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)
CASES = [
    Case("tagger", lambda **p: Tagger(**{"features": WORD, "c2": 0.1, **p})),
    Case("linear", lambda **p: LinearTagger(**{"features": WORD, **p})),
    Case("aso", lambda **p: ASO(**{"features": WORD, "n_parts": 2, "h": 2, **p})),
    Case(
        "structure",
        lambda **p: Structure(**{"features": Template(column("word").window(1)), "h": 2, **p}),
        lambda one, corpus: one.fit([masked(corpus, "word", most=3)]),
    ),
    Case("hmm", lambda **p: HMM(**{"states": 3, **SMALL, **p})),
    Case(
        "biased hmm",
        lambda **p: BiasedHMM(
            **{"states": 3, "properties": [Entropy("pos"), Distance()], **SMALL, **p}
        ),
        lambda one, corpus: one.fit(corpus, corpus.without_column("pos")),
    ),
    Case("layered hmm", lambda **p: LayeredHMM(**{"layers": 2, "of": HMM(2, **SMALL), **p})),
    Case("word classes", lambda **p: WordClasses(**{"classes": 3, "min_count": 1, **p})),
    Case(
        "word vectors",
        lambda **p: WordVectors(
            **{"words": ["cat", "dog", "the", "a"], "vectors": VECTORS, "clusters": 2, **p}
        ),
        None,
    ),
    Case("word table", lambda **p: WordTable(**{"values": {"cat": "01", "dog": "00"}, **p}), None),
    Case(
        "consistency",
        lambda **p: Consistency(**{"tagger": Tagger(features=WORD, c2=0.1), "label": "pos", **p}),
    ),
    Case(
        "pipeline",
        lambda **p: Pipeline(**{"layers": layers(), "decode": "cascade", **p}),
        lambda one, corpus: one.fit({"tag": capitals(), "pos": corpus}, folds=2),
    ),
]
