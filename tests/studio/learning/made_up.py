"""Made-up documents: sentences in which people are named after "by" and places after "in"."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from dovetail.studio.annotation import Annotation, Document, Span

PEOPLE = ["Ada", "Lopez", "Kurt", "Gödel", "Emmy", "Noether", "Alan", "Turing", "Grace", "Hopper"]
PLACES = ["Lund", "Oslo", "Hall", "Room", "Paris", "Wean", "Baker"]
REST = ["a", "talk", "on", "graphs", "is", "given", "today", "about", "trees", "again"]


def document(number: int, words: Sequence[str], bounds: Sequence[int] = ()) -> Document:
    """A document of words; each is a line of its own where ``bounds`` say so."""
    offsets, at = [], 0
    for word in words:
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    text = " ".join(words)
    ends = tuple(bounds) or (0, len(words))
    ranges = tuple(
        (offsets[a][0], offsets[b - 1][1]) if a < b else (0, 0) for a, b in pairwise(ends)
    )
    return Document(number, f"d{number}", text, tuple(words), tuple(offsets), ends, ranges)


def talks(n: int, seed: int = 0) -> tuple[dict[int, Document], dict[int, Annotation]]:
    """So many documents with their right spans."""
    draw = random.Random(seed)
    documents, annotations = {}, {}
    for k in range(n):
        words: list[str] = []
        found: list[Span] = []
        for _ in range(draw.randint(1, 3)):
            words += draw.sample(REST, draw.randint(1, 4))
            key, names, label = draw.choice([("by", PEOPLE, "PER"), ("in", PLACES, "LOC")])
            own = draw.sample(names, draw.randint(1, 2))
            words += [key, *own]
            found.append(Span(len(words) - len(own), len(words), label))
        words += draw.sample(REST, 2)
        documents[k] = document(k, words)
        annotations[k] = Annotation(tuple(found), done=True)
    return documents, annotations
