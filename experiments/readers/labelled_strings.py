"""Strings whose tokens are labelled, as usaddress and probablepeople have them, as spans."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from dovetail import Corpus
from dovetail.corpus import read_parserator


def read_labelled_strings(path: Path, label: str = "label") -> Corpus:
    """Strings as sequences with IOB2 labels; neighbours with one label are one span."""
    corpus = read_parserator(path)
    labels = []
    for own in corpus.lists("label"):
        runs = (list(run) for _, run in groupby(own))
        labels.append([f"{'I' if k else 'B'}-{tag}" for run in runs for k, tag in enumerate(run)])
    return Corpus.from_lists({"word": corpus.lists("word"), label: labels})
