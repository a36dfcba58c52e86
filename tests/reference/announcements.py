"""The demo corpus as feature lists: small, and much like real text."""

from __future__ import annotations

from functools import cache

import dovetail
from dovetail import demo
from dovetail.features import Window

Lists = tuple[list[list[list[str]]], list[list[str]]]


@cache
def announcements(name: str = "train", n: int | None = None) -> Lists:
    """Features and labels of the first n lines of the demo's train or test part."""
    corpus = dovetail.read(demo.path(f"{name}.conll"))[:n]
    window = Window(("word",))
    labels = [[label or "" for label in row] for row in corpus.lists("label")]
    return [window(sequence) for sequence in corpus], labels
