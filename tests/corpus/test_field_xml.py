"""XML whose elements stand over words: spans, not tokens."""

from __future__ import annotations

import tarfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from dovetail.corpus import format_of, read, stream
from dovetail.errors import DataError

ANYSTYLE = """<?xml version="1.0" encoding="UTF-8"?>
<dataset>
  <sequence>
    <author>Hammett, Daniel.</author>
    <date>2012.</date>
    <volume>(39)1:</volume>
  </sequence>
  <sequence>
    <date>(2005).</date>
    <journal>Linguistic Inquiry</journal>
  </sequence>
</dataset>
"""


def _write(folder: Path, content: str) -> Path:
    path = folder / "x.xml"
    path.write_text(content)
    return path


def test_elements_over_several_words_are_spans(tmp_path: Path) -> None:
    corpus = read(_write(tmp_path, ANYSTYLE), tokens="blanks")
    assert corpus.texts == ("Hammett, Daniel. 2012. (39)1:", "(2005). Linguistic Inquiry")
    assert corpus.lists("word")[1] == ["(2005).", "Linguistic", "Inquiry"]
    assert corpus.lists("label") == [
        ["B-author", "I-author", "B-date", "B-volume"],
        ["B-date", "B-journal", "I-journal"],
    ]
    words = read(tmp_path / "x.xml")
    assert words.lists("word")[0][:4] == ["Hammett", ",", "Daniel", "."]
    assert [part.lists("label") for part in stream(tmp_path / "x.xml", chunk_size=1)] == [
        [labels] for labels in words.lists("label")
    ]


def test_elements_that_group_others_are_not_marked(tmp_path: Path) -> None:
    affiliation = (
        "<affiliation><orgName type='institution'>Yazd University</orgName>, "
        "<address><settlement>Yazd</settlement>,\n<country>Iran</country></address></affiliation>"
    )
    path = _write(tmp_path, f"<tei xmlns='x'><head/><author>{affiliation}</author></tei>")
    corpus = read(path, tokens="blanks")
    assert corpus.lists("word") == [["Yazd", "University,", "Yazd,", "Iran"]]
    assert corpus.lists("label") == [
        ["B-orgName.institution", "I-orgName.institution", "B-settlement", "B-country"]
    ]


@pytest.mark.parametrize(
    ("content", "format"),
    [
        ("<A><B><C>x</C> <C>y</C></B><B>not labelled</B></A>", "parserator"),
        ("<A><B><C>x y</C></B></A>", "xml"),
        ("<A><B>Received <C>May</C></B></A>", "xml"),
        ("<A><B><C>x<D>y</D></C></B></A>", "xml"),
    ],
)
def test_tokens_and_fields_are_told_apart(tmp_path: Path, content: str, format: str) -> None:
    assert format_of(_write(tmp_path, content)) == format


def test_sequences_are_named_where_they_cannot_be_guessed(tmp_path: Path) -> None:
    name = "<name><first>Ada</first> <last>Lopez</last></name>"
    path = _write(tmp_path, f"<r><list>{name}</list><list>{name} and {name}</list></r>")
    message = r"of name \(1\), list \(1\); name them: dovetail convert --element"
    with pytest.raises(DataError, match=message):
        read(path)
    assert read(path, element="name").lists("label") == [["B-first", "B-last"]] * 3
    assert len(read(path, element="list")) == 2


def test_empty_xml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no elements with text"):
        read(_write(tmp_path, "<r><u/></r>"), format="xml")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("<b>" * 200_000 + "x" + "</b>" * 200_000, "more than 200 elements within one another"),
        ("<b>" * 201 + "x y" + "</b>" * 201, ":1: there are more than 200 elements"),
        ("<?xml version='1.0' encoding='x'?><a>b</a>", "says that it is in another encoding"),
    ],
)
def test_what_expat_takes_and_we_do_not(tmp_path: Path, content: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(_write(tmp_path, content), format="xml")


def test_as_many_levels_as_allowed(tmp_path: Path) -> None:
    path = _write(tmp_path, "<b>" * 200 + "x y" + "</b>" * 200)
    assert read(path, format="xml").lists("word")[0] == ["x", "y"]


@pytest.mark.parametrize(
    "content",
    ["<r><s>" + "<a>x y</a> " * 20_000 + "</s></r>", f"<r><s>x{chr(10) * 1_000_000}y</s></r>"],
    ids=["fields", "lines"],
)
def test_time_grows_with_the_length_alone(tmp_path: Path, content: str) -> None:
    path = _write(tmp_path, content)
    start = time.process_time()
    with suppress(DataError):
        read(path, format=format_of(path))
    assert time.process_time() - start < 4  # more than 10 seconds where it grows with the square


@pytest.mark.parametrize(
    ("archive", "sequences", "labels"),
    [
        ("citation", 327, {"author", "title.j", "date"}),
        ("date", 260, {"day", "month", "year"}),
    ],
)
def test_real_references_and_dates(
    tmp_path: Path, shared_data: Path, archive: str, sequences: int, labels: set[str]
) -> None:
    with tarfile.open(shared_data / "grobid" / f"{archive}.tar.gz") as opened:
        opened.extractall(tmp_path, filter="data")
    corpus = read(tmp_path / archive / "evaluation")
    assert len(corpus) == sequences
    assert labels <= {level[2:] for level in corpus.column("label").levels}
