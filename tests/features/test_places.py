"""Built-in columns: places in sequences, documents and layout."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.features.places import PLACES, place_column

LAYOUT = [name for name in PLACES if name not in ("@place", "@number", "@sentence")]
MAIL = """<0.1@cmu.edu>
Posted By: Ann
Topic:    Rivers
          and rain

\tWho: Ada
  All welcome


End: 3:30"""


def values(corpus: Corpus, name: str) -> list[str | None]:
    return place_column(corpus, name).values()


def by_word(name: str, text: str = MAIL) -> dict[str | None, str | None]:
    corpus = Corpus.from_texts([text])
    return dict(zip(corpus.lists("word")[0], values(corpus, name), strict=True))


def test_place_in_the_sequence() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b", "c"], [], ["d"], ["e", "f"]]})
    assert values(corpus, "@place") == ["first", "inside", "last", "only", "first", "last"]
    assert values(corpus, "@number") == ["0", "1", "2", "0", "0", "1"]


def test_numbers_in_steps() -> None:
    found = values(Corpus.from_lists({"word": [["a"] * 120]}), "@number")
    assert found[:6] == ["0", "1", "2", "3", "4", "5+"]
    assert [found[i] for i in (9, 10, 19, 20, 49, 50, 99, 100, 119)] == [
        "5+", "10+", "10+", "20+", "20+", "50+", "50+", "100+", "100+"
    ]  # fmt: skip


def test_place_of_the_sequence_in_its_document() -> None:
    corpus = Corpus.from_texts(["a b\nc", "d\n\ne\nf"], unit="line")
    assert values(corpus, "@sentence") == ["0", "0", "1", "0", "1", "2"]
    assert values(Corpus.from_lists({"word": [["a"], ["b"]]}), "@sentence") == ["0", "0"]


def test_place_in_the_line() -> None:
    corpus = Corpus.from_texts(["a b c\nd\n\n e f\n", "g"])
    assert values(corpus, "@line") == ["first", "inside", "last", "only", "first", "last", "only"]


def test_blank_lines_around() -> None:
    corpus = Corpus.from_texts(["a\nb b\n \nc\n\nd", "\ne\nf\n\n", "g"])
    found = ["", "after", "after", "both", "before", "before", "after", ""]
    assert values(corpus, "@blank") == found


def test_indentation_is_that_of_the_line() -> None:
    found = by_word("@indent")
    assert (found["Ann"], found["rain"], found["All"], found["welcome"]) == (
        "0", "8-15", "1-3", "1-3"
    )  # fmt: skip
    assert (found["Who"], found["Ada"]) == ("8-15", "8-15")
    corpus = Corpus.from_texts(["    a", "\t\tb c", "d"])
    assert values(corpus, "@indent") == ["4-7", "16+", "16+", "0"]


def test_what_stands_before() -> None:
    corpus = Corpus.from_texts(["a, b\nc\n \nd", "e", "  f", "\ng"])
    assert values(corpus, "@gap") == ["", "", " ", "line", "blank", "", " ", "blank"]


def test_words_before_the_colon() -> None:
    found = by_word("@lead")
    assert found["Posted"] == found["Ann"] == "posted by"
    assert found["Rivers"] == "topic"
    assert found["rain"] is found["All"] is found["<"] is None
    assert found["Ada"] == "who"
    assert found["3:30"] == "end"
    corpus = Corpus.from_texts(["One two three four: no", "3: no", "时间：now", "A: b: c"])
    assert values(corpus, "@lead") == [None] * 9 + ["时间"] * 4 + ["a"] * 5


def test_leads_of_other_lines_with_the_same_word() -> None:
    texts = ["Who: Ada Lee\nTopic: Lee\nAda speaks, says Lee: Ada", "Ada came\nBy: Ada Ada"]
    corpus = Corpus.from_texts(texts)
    assert values(corpus, "@elsewhere") == [
        *[None, None, None, "topic"],  # Who : Ada Lee
        *[None, None, "who"],  # Topic : Lee
        *["who", None, None, None, "who", None, "who"],  # Ada speaks , says Lee : Ada
        *["by", None, None, None, None, None],
    ]


def test_header_and_body() -> None:
    found = by_word("@header")
    assert found["<"] == found["Ann"] == found["rain"] == "header"
    assert found["Ada"] == found["End"] == "body"
    corpus = Corpus.from_texts(["no header\nA: b", "A: b\nbody", "", "A: b\n C\n\nD: e"])
    assert values(corpus, "@header") == (
        ["body"] * 5 + ["header"] * 3 + ["body"] + ["header"] * 4 + ["body"] * 3
    )


@pytest.mark.parametrize("name", LAYOUT)
def test_without_text_there_is_no_layout(name: str) -> None:
    assert values(Corpus.from_lists({"word": [["a", "b"]]}), name) == [None, None]


@pytest.mark.parametrize("name", PLACES)
def test_empty_corpora(name: str) -> None:
    assert values(Corpus.from_texts([]), name) == []
    assert values(Corpus.from_texts(["", " "]), name) == []


def test_unknown_name_lists_the_known() -> None:
    with pytest.raises(DataError, match=r"'@page'; those are: @place, @number, .*@header"):
        place_column(Corpus.from_texts(["a"]), "@page")


TEXTS = st.lists(st.text("ab: \t\n1é😀", max_size=25), max_size=4)


@given(TEXTS)
@pytest.mark.parametrize("name", [name for name in PLACES if name != "@sentence"])
def test_each_text_stands_alone(name: str, texts: list[str]) -> None:
    alone = [value for text in texts for value in values(Corpus.from_texts([text]), name)]
    assert values(Corpus.from_texts(texts), name) == alone


def _slow_layout(text: str) -> list[tuple[str, str, str]]:
    """Line, blank lines and gap of each token, one after another."""
    (sequence,) = Corpus.from_texts([text])
    lines = text.split("\n")
    number = [text.count("\n", 0, start) for start, _ in sequence.offsets.tolist()]
    found = []
    before = 0
    for t, (start, end) in enumerate(sequence.offsets.tolist()):
        k = number[t]
        is_first, is_last = number.index(k) == t, k not in number[t + 1 :]
        order = {(True, True): "only", (True, False): "first", (False, True): "last"}
        above = k > 0 and not lines[k - 1].strip()
        below = k + 1 < len(lines) and not lines[k + 1].strip()
        if k + 2 == len(lines) and not lines[k + 1]:
            below = False  # the line feed only ends the last line
        gap = text[before:start]
        kind = "blank" if above and is_first else "line" if "\n" in gap else " " if gap else ""
        blank = {(True, True): "both", (True, False): "before", (False, True): "after"}
        found.append(
            (order.get((is_first, is_last), "inside"), blank.get((above, below), ""), kind)
        )
        before = end
    return found


@given(st.text("ab: \t\n", max_size=30))
def test_layout_agrees_with_a_slow_reading(text: str) -> None:
    corpus = Corpus.from_texts([text])
    columns = [values(corpus, name) for name in ("@line", "@blank", "@gap")]
    assert list(zip(*columns, strict=True)) == _slow_layout(text)


def test_real_mail_is_quick_and_has_headers(shared_data: Path) -> None:
    paths = sorted((shared_data / "seminars" / "tagged").glob("*.txt"))
    corpus = Corpus.from_texts(path.read_text(encoding="utf-8") for path in paths)
    start = time.perf_counter()
    columns = {name: place_column(corpus, name) for name in PLACES}
    assert time.perf_counter() - start < 5
    assert all(len(column) == corpus.n_tokens for column in columns.values())
    heads = np.unique(np.repeat(np.arange(len(corpus)), np.diff(corpus.bounds))[
        columns["@header"].codes == 0
    ])  # fmt: skip
    assert len(heads) > 0.95 * len(corpus)
    assert {"who", "time", "place", "topic", "host"} <= set(columns["@lead"].levels)
