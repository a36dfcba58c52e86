"""The demo corpus as feature lists: small, and much like real text."""

from __future__ import annotations

from functools import cache

import dovetail
from dovetail import demo
from reference.templates import WORDS, feature_lists

Lists = tuple[list[list[list[str]]], list[list[str]]]


@cache
def announcements(name: str = "train", n: int | None = None) -> Lists:
    """Features and labels of the first n lines of the demo's train or test part."""
    corpus = dovetail.read(demo.path(f"{name}.conll"))[:n]
    labels = [[label or "" for label in row] for row in corpus.lists("label")]
    return feature_lists(WORDS, corpus), labels
