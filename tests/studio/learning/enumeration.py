"""What a model says of short texts, by listing all their labels."""

from __future__ import annotations

import itertools
from math import prod

import numpy as np

from dovetail.corpus.labels import spans
from dovetail.studio.annotation import Document
from dovetail.studio.learning.model import Model
from studio.learning.made_up import document

TEXTS = [
    document(1, ["by", "Zeno"]),
    document(2, ["in", "Lund", "by", "Ada"], bounds=(0, 2, 4)),
    document(3, ["trees"]),
]


def distribution(model: Model, text: Document) -> dict[tuple[str, ...], float]:
    """The probability of each label sequence of a document, by its scores."""
    assert model.annotator is not None
    corpus = model.old.read([text])
    scores = model.annotator.potentials(corpus, {})
    names = list(model.annotator.labels_)
    each: list[dict[tuple[str, ...], float]] = []
    for a, b in text.sequences:
        own = {}
        for codes in itertools.product(range(len(names)), repeat=b - a):
            total = sum(scores.node[a + t, y] for t, y in enumerate(codes))
            total += sum(scores.transitions[x, y] for x, y in itertools.pairwise(codes))
            own[tuple(names[y] for y in codes)] = float(np.exp(total))
        z = sum(own.values())
        each.append({labels: p / z for labels, p in own.items()})
    return {
        tuple(label for part in parts for label in part): prod(
            own[part] for own, part in zip(each, parts, strict=True)
        )
        for parts in itertools.product(*each)
    }


def found_in(text: Document, labels: tuple[str, ...]) -> set[tuple[int, int, str]]:
    return {
        (a + s.start, a + s.end, s.label)
        for a, b in text.sequences
        for s in spans(list(labels[a:b]))
    }
