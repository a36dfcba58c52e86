"""TEI: elements as spans of tokens."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from dovetail import DataError
from dovetail.corpus import read_tei, stream_tei

REFERENCE = (
    "<TEI xmlns='http://www.tei-c.org/ns/1.0'><bibl><author>J. Smith<lb/>and A.\n  Bo</author>. "
    "<title level='j'>Acta</title> <biblScope unit='volume'>10</biblScope>, "
    "<note/><date><year>1977</year></date>);</bibl><bibl> </bibl></TEI>"
)


def test_outermost_elements_are_spans_with_their_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.tei.xml"
    path.write_text(REFERENCE)
    corpus = read_tei(path, "bibl")
    assert corpus.texts == ("J. Smith and A. Bo. Acta 10, 1977);",)
    assert corpus.lists("word") == [
        ["J.", "Smith", "and", "A.", "Bo", ".", "Acta", "10", ",", "1977", ")", ";"]
    ]
    author = ["B-author", *["I-author"] * 4]
    fields = ["O", "B-title.j", "B-biblScope.volume", "O", "B-date", "O", "O"]
    assert corpus.lists("label") == [[*author, *fields]]


def test_labels_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(REFERENCE)

    def label(element: Element) -> str | None:
        return "YEAR" if element.tag.endswith("year") else None

    [labels] = read_tei(path, "bibl", label=label).lists("label")
    assert [name for name in labels if name != "O"] == ["B-YEAR"]


def test_a_folder_is_read_in_the_order_of_names_and_streamed(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("deep/c.xml", "b.xml", "a.xml"):
        word = name[-5]
        content = f"<r><u><x>{word}</x></u><u>{word}2</u></r>"
        (tmp_path / name).write_text(content)
    (tmp_path / "notes.txt").write_text("no XML")
    whole = read_tei(tmp_path, "u")
    assert [words[0] for words in whole.lists("word")] == ["a", "a2", "b", "b2", "c", "c2"]
    assert whole.document_bounds is not None
    assert whole.document_bounds.tolist() == [0, 2, 4, 6]
    parts = list(stream_tei(tmp_path, "u", chunk_size=4))
    assert [len(part) for part in parts] == [4, 2]
    assert [own for part in parts for own in part.lists("label")] == whole.lists("label")


def test_an_element_within_the_last_token_of_another_is_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "a.xml"
    path.write_text("<r><u><x>ab</x><y>cd</y> e</u></r>")
    corpus = read_tei(path, "u")
    assert corpus.lists("word") == [["abcd", "e"]]
    assert corpus.lists("label") == [["B-x", "O"]]
    assert "1 elements begin within the last token of another" in caplog.text
    assert "such as y 'cd' in 'abcd e'" in caplog.text


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<r>\n<u>a", r"a\.xml:2: not XML: "),
        ("<!DOCTYPE r [<!ENTITY e 'x'>]><r><u>&e;</u></r>", "declares the entity 'e'"),
        ("<r/>", "there is no <u> in .*: give another unit"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "a.xml"
    path.write_text(content)
    with pytest.raises(DataError, match=message):
        read_tei(path, "u")


def test_a_file_of_empty_elements_has_the_columns_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<r><bibl> </bibl></r>")
    assert read_tei(tmp_path / "a.xml", "bibl").names == ("word", "label")
