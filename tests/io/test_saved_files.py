"""Files that earlier releases wrote: they open, and give the labels that they gave then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import Corpus
from dovetail.base.representation import Representation
from dovetail.corpus import SoftColumn

FOLDER = Path(__file__).parents[1] / "fixtures" / "saved-0.1"
SAVED = json.loads((FOLDER / "labels.json").read_text(encoding="utf-8"))
SENTENCES: list[list[str]] = SAVED["sentences"]


def feature_lists(sentences: list[list[str]]) -> list[list[list[str]]]:
    return [[[f"w={word.lower()}", f"s={word[-2:]}"] for word in s] for s in sentences]


def said(model: Any, name: str) -> Any:
    if isinstance(model, Representation):
        corpus = model.annotate(Corpus.from_lists({"word": SENTENCES}))
        return {column: values(corpus, column) for column in model.names_}
    return model.predict(feature_lists(SENTENCES) if "feature-lists" in name else SENTENCES)


def values(corpus: Corpus, name: str) -> Any:
    column = corpus.column(name)
    if isinstance(column, SoftColumn):
        return pytest.approx(np.asarray(column.weights, np.float64), abs=1e-4)
    return corpus.lists(name)


def test_all_files_are_tested() -> None:
    assert {path.stem for path in FOLDER.glob("*.dovetail")} == set(SAVED["labels"])


@pytest.mark.parametrize("name", SAVED["labels"])
def test_files_of_0_1_give_the_same_labels(name: str) -> None:
    expected = SAVED["labels"][name]
    if isinstance(expected, dict):
        expected = {
            column: np.array(rows) if isinstance(rows[0][0], float) else rows
            for column, rows in expected.items()
        }
    assert said(dovetail.load(FOLDER / f"{name}.dovetail"), name) == expected
