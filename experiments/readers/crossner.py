"""CrossNER: entities of five domains, with types of their own, and few sentences of each."""

from __future__ import annotations

from pathlib import Path

from dovetail import Corpus
from dovetail.corpus import read_conll

DOMAINS = ("politics", "science", "music", "literature", "ai")
PARTS = ("train", "dev", "test")


def crossner_files(folder: Path) -> list[Path]:
    """The files of a domain: to train on, to develop on, to test on."""
    return [folder / f"{part}.txt" for part in PARTS]


def read_crossner(folder: Path) -> list[Corpus]:
    """The three parts of a domain, with the columns ``word`` and ``label`` (IOB2)."""
    files = crossner_files(folder)
    return [read_conll(path, columns=["word", "label"], separator="\t") for path in files]
