"""What notebooks show: of pipelines, of their taggings, and of reports on them."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from dovetail import Corpus, DataError, Pipeline, Tagger, Template, column
from dovetail.evaluate import evaluate

HOSTILE = '<img src=x onerror="alert(1)">&'
LABEL = f"B-{HOSTILE}"


@pytest.fixture(scope="module")
def hostile() -> Pipeline:
    """Tokens, labels and the names of columns are HTML."""
    words = [[HOSTILE, "</td></table>"], ["x", HOSTILE]]
    labels = [[LABEL, "O"], ["O", LABEL]]
    corpus = Corpus.from_lists({"word": words, HOSTILE: labels, "up": [["</b>", "Y"]] * 2})
    weights = {HOSTILE: 1.5}
    layers = {
        HOSTILE: Tagger(features=Template(column("word")), c2=0.1, label_weights={LABEL: 2.0}),
        "up": Tagger(features=Template(column("word")), c2=0.1),
    }
    return Pipeline(layers, weights=weights, decode="cascade").fit(corpus)


def parse(html: str) -> ElementTree.Element:
    return ElementTree.fromstring(f"<div>{html}</div>")


def shown(html: str) -> str:
    return " ".join("".join(parse(html).itertext()).split())


def test_each_layer_is_a_line(pipeline: Pipeline) -> None:
    words = ["a", "b"]
    [tagging] = pipeline.tag([words])
    rows = parse(tagging.to_html(words)).findall(".//tr")
    assert [row.findtext("th") for row in rows] == ["low", "mid", "up"]
    for row, (name, layer) in zip(rows, tagging.layers.items(), strict=True):
        marks = ["".join(mark.itertext()) for mark in row.iter("mark")]
        expected = [
            f"{word} {label} {sure:.2f}"
            for word, label, sure in zip(words, layer.labels, layer.confidences, strict=True)
            if label != "O"
        ]
        assert marks == expected, name
    assert shown(tagging._repr_html_()).startswith("low1 2")
    with pytest.raises(DataError, match="2 labels but 1 words"):
        tagging.to_html(["a"])


def test_hostile_text_is_escaped(hostile: Pipeline) -> None:
    words = [HOSTILE, "</td></table>"]
    [tagging] = hostile.tag([words])
    found = {name: layer.labels for name, layer in tagging.layers.items()}
    report = evaluate([[LABEL, "O"]], [found[HOSTILE]])
    views: list[Any] = [hostile, hostile[HOSTILE], report, tagging]
    for html in (*(view._repr_html_() for view in views), tagging.to_html(words)):
        assert "<img" not in html
        assert HOSTILE in shown(html)
        assert not list(parse(html).iter("img"))
    assert "</td></table>" in shown(tagging.to_html(words))


def test_half_a_character_can_be_shown(hostile: Pipeline) -> None:
    """A lone surrogate, as broken files have them, in a label and a token."""
    [tagging] = hostile.tag([["x"]])
    odd = tagging.layers["up"]._replace(labels=["\ud800"])
    assert "\ud800" in tagging._replace(layers={"up": odd}).to_html(["\udfff"])
