"""Small corpora and pipelines that tests of composition share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, Pipeline, Tagger, Template, column

WORDS = list("abcdefgh")
LOWER, MIDDLE, UPPER = ["O", "P", "L"], ["N", "V"], ["X", "Y"]


def random_corpus(n: int = 25, seed: int = 0, longest: int = 5) -> Corpus:
    """Words with labels of three tasks that depend on them and on one another, with noise."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[list[str]]] = {"word": [], "low": [], "mid": [], "up": []}
    for _ in range(n):
        codes = rng.integers(len(WORDS), size=rng.integers(1, longest + 1))
        noise = rng.random((3, len(codes))) < 0.25
        low = (codes + noise[0]) % len(LOWER)
        mid = (codes // 2 + noise[1]) % len(MIDDLE)
        up = (low + mid + noise[2]) % len(UPPER)
        for name, values, found in zip(
            rows, [WORDS, LOWER, MIDDLE, UPPER], [codes, low, mid, up], strict=True
        ):
            rows[name].append([values[k] for k in found])
    return Corpus.from_lists(rows)


def only(corpus: Corpus, *names: str) -> Corpus:
    """A corpus with some of its columns."""
    return Corpus({name: corpus.column(name) for name in names}, corpus.bounds)


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return random_corpus()


@pytest.fixture(scope="session")
def layers(corpus: Corpus) -> dict[str, Any]:
    """Three taggers, the last of which reads both others in several ways."""
    word, low, mid = column("word"), column("low"), column("mid")
    templates = {
        "low": Template(word.window(1)),
        "mid": Template(word, word & low, low[-1]),
        "up": Template(word[-1], low, mid, word & low, low & mid, mid[-1] & word),
    }
    return {
        name: Tagger(features=template, c2=0.1).fit(corpus, label=name)
        for name, template in templates.items()
    }


@pytest.fixture
def pipeline(layers: dict[str, Any]) -> Pipeline:
    return Pipeline(layers)
