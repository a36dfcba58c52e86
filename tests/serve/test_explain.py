"""Explanations are those of the library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import dovetail


def test_a_token_of_a_text(client: Any, folder: Path) -> None:
    text = "Speaker:\nDr. Ada Lopez"
    asked = {"model": "talks", "text": text, "sequence": 1, "token": 1, "top": 3}
    answer = client.post("/v1/explain", json=asked).json()
    tagger = dovetail.load(folder / "talks.dovetail")
    corpus = dovetail.Corpus.from_texts([text], unit="line")
    expected = tagger.explain(corpus[1], top=3).only(1).to_dict()
    assert answer["tokens"] == expected
    assert (answer["first"], expected[0]["word"]) == (1, "Ada")


def test_why_not_another_label(client: Any) -> None:
    asked = {"model": "talks", "tokens": ["Dr.", "Ada"], "why_not": "DATE"}
    tokens = client.post("/v1/explain", json=asked).json()["tokens"]
    assert {token["rival"] for token in tokens} <= {"B-DATE", "I-DATE"}


def test_a_layer(client: Any, folder: Path) -> None:
    pipeline = dovetail.load(folder / "both.dovetail")
    for layer in ("ner", "fields"):
        asked = {"model": "both", "tokens": ["by", "Ada"], "layer": layer}
        answer = client.post("/v1/explain", json=asked).json()
        assert answer["layer"] == layer
        assert answer["tokens"] == pipeline.explain_layer(layer, ["by", "Ada"]).to_dict()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"text": "a\nb", "sequence": 2}, "the text has 2 sequences"),
        ({"tokens": ["a"], "token": 1}, "the sequence has 1 tokens"),
        ({"tokens": ["a"], "sequence": 1}, "tokens are one sequence"),
        ({"tokens": ["a"], "why_not": "NO"}, "the model has no label 'NO'"),
        ({"tokens": ["a"], "why_not": 3}, "why_not is 3"),
        ({"tokens": ["a"], "layer": "x"}, 'layer is "x"'),
        ({"tokens": ["a"], "top": 0}, "top is 0: give a whole number, 1 to 1000"),
        ({"sequences": [["a"]]}, 'no key "sequences"'),
    ],
)
def test_bad_requests(client: Any, more: dict[str, Any], sentence: str) -> None:
    answer = client.post("/v1/explain", json={"model": "talks", **more})
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]


def test_long_sequences_are_refused(make_client: Any) -> None:
    tokens = ["Talk"] * 2001
    answer = make_client().post("/v1/explain", json={"tokens": tokens, "token": 0})
    assert answer.status_code == 400
    assert "explanations take at most 2,000" in answer.json()["error"]
