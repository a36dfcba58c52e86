"""Keys of 64 bits stand for strings: the same strings, the same keys, on every corpus at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import dovetail
from dovetail import Corpus, Template
from dovetail.features import Dataset
from dovetail.features.sets import default

CORPORA = [
    "conll2000/train.txt.gz",
    "conll2003/eng.train.gz",
    "wnut17",
    "wikigold",
    "crossner",
    "brown",
    "litbank",
    "gum",
    "lcmc",
    "ud-english-ewt",
    "ud-chinese-gsd",
    "usaddress",
    "grobid",
    "ingredients",
    "seminars",
    "unlabelled-en",
]
SEQUENCES = 800


def readable(place: Path) -> Corpus | None:
    """The first corpus that can be read there, as columns or else as plain text."""
    paths = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.is_file())
    for path in paths:
        if path.name.startswith("README"):
            continue
        conllu = ".conllu" in path.name
        for format in ["conllu"] if conllu else ["conll", "text"]:
            try:
                corpus = dovetail.read(path, format=format)
            except dovetail.DataError:
                continue
            if corpus.n_tokens > 100:
                return corpus[:SEQUENCES]
    return None


@pytest.mark.parametrize("name", CORPORA)
def test_as_many_keys_as_strings(shared_data: Path, name: str) -> None:
    if not (shared_data / name).exists():
        pytest.skip(f"no {name} in {shared_data}")
    corpus = readable(shared_data / name)
    if corpus is None:
        pytest.skip(f"nothing in {name} is columns or plain text")
    template: Template = default(corpus.names[:2])
    data = Dataset.from_template(template, corpus, [["X"] * len(s) for s in corpus])
    names = data.native.feature_names()
    strings = {
        feature for tokens in template.features(corpus) for token in tokens for feature, _ in token
    }
    assert len(set(names)) == len(names)
    assert set(names) - {"⟨start⟩", "⟨end⟩"} == strings
