"""Raw texts in, spans of characters out."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from dovetail import Corpus, Tagger, Template, column
from dovetail.chain.tagged_text import TaggedText, TextSpan
from dovetail.errors import DataError

CORPUS = Corpus.from_lists(
    {
        "form": [["by", "Ada", "Lopez", "."], ["in", "Rome"], ["by", "Bob"]],
        "ner": [["O", "B-PER", "I-PER", "O"], ["O", "B-LOC"], ["O", "B-PER"]],
    }
)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(features=Template(column("form").window(1)), c2=0.05).fit(CORPUS)


def test_spans_by_characters(tagger: Tagger) -> None:
    text = "\n\n  by Ada  Lopez.\r\n \nin Rome\n"
    for unit in ("line", "paragraph", "document", None):
        [found] = tagger.tag_texts([text], unit=unit)  # type: ignore[arg-type]
        assert found.text == text
        assert [(span.text, span.label) for span in found.spans] == [
            ("Ada  Lopez", "PER"),
            ("Rome", "LOC"),
        ]
        for span in found.spans:
            assert text[span.start : span.end] == span.text
            assert 0.5 < span.probability <= 1


def test_one_answer_for_each_text(tagger: Tagger) -> None:
    texts = ["by Bob", "", " \n", "in Rome\nin Rome"]
    found = tagger.tag_texts(iter(texts))
    assert [one.text for one in found] == texts
    assert [[span.start for span in one.spans] for one in found] == [[3], [], [], [3, 11]]
    assert tagger.tag_texts([]) == []


def test_probabilities_are_those_of_the_tagger(tagger: Tagger) -> None:
    [found] = tagger.tag_texts(["by Ada Lopez"])
    [tagging] = tagger.tag([["by", "Ada", "Lopez"]])
    assert found.spans[0].probability == tagging.spans[0].probability


def test_plain_labels_mark_each_token() -> None:
    corpus = Corpus.from_lists({"word": [["the", "cat"]], "pos": [["DET", "NOUN"]]})
    [found] = Tagger(c2=0.1).fit(corpus).tag_texts(["the cat"])
    assert [(span.text, span.label) for span in found.spans] == [("the", "DET"), ("cat", "NOUN")]


def test_what_is_no_list_of_texts_is_refused(tagger: Tagger) -> None:
    with pytest.raises(DataError, match="a list of texts"):
        tagger.tag_texts("by Bob")
    with pytest.raises(DataError, match="text 2 is a list"):
        tagger.tag_texts(["by Bob", ["by", "Bob"]])  # type: ignore[list-item]
    with pytest.raises(DataError, match="no unit 'word'"):
        tagger.tag_texts(["by Bob"], unit="word")  # type: ignore[arg-type]


def test_html_is_escaped_and_shows_probability_as_strength() -> None:
    text = "a <b> & c"
    spans = [TextSpan(2, 5, "<b>", "<i>", 0.9), TextSpan(8, 9, "c", "X", 0.2)]
    html = TaggedText(text, spans)._repr_html_()
    root = ElementTree.fromstring(html)
    assert "".join(root.itertext()) == "a <b><i> 0.90 & cX 0.20"
    strengths = [mark.attrib["style"].rsplit(",", 1)[1] for mark in root.iter("mark")]
    assert strengths == ["0.65)", "0.26)"]


def test_plain_data(tagger: Tagger) -> None:
    [found] = tagger.tag_texts(["by Bob"])
    assert found.to_dict()["spans"][0]["text"] == "Bob"
