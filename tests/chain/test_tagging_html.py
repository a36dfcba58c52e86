"""Tagged text in notebooks."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from dovetail.chain.tagging import SpanPrediction, Tagging
from dovetail.errors import DataError

SPANS = Tagging(
    ["B-PER", "I-PER", "O"], [0.9, 0.8, 0.7], 0.6, [SpanPrediction(0, 2, "PER", 0.75)], 0.1
)


def shown(html: str) -> str:
    return " ".join("".join(ElementTree.fromstring(html).itertext()).split())


def test_spans_are_marked_in_the_text() -> None:
    assert shown(SPANS.to_html(["Ada", "Day", "spoke"])) == "Ada Day PER 0.75 spoke"
    assert shown(SPANS._repr_html_()) == "1 2 PER 0.75 3"


def test_plain_labels_are_marked_token_by_token() -> None:
    plain = Tagging(["DET", "O"], [0.9, 0.8], 0.7, [], 0.1)
    assert shown(plain.to_html(["the", "cat"])) == "the DET 0.90 cat"


def test_text_is_escaped() -> None:
    odd = Tagging(["<b>", "O"], [1.0, 1.0], 1.0, [], 0.0)
    assert "<script>" not in odd.to_html(["<script>", "&"])
    assert shown(odd.to_html(["<script>", "&"])) == "<script> <b> 1.00 &"


def test_words_must_be_as_many_as_labels() -> None:
    with pytest.raises(DataError, match="3 labels but 1 words"):
        SPANS.to_html(["Ada"])
