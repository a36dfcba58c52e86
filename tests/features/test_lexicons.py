"""Lexicons: their files, and what they find."""

from __future__ import annotations

import pickle
import time
from pathlib import Path

import pytest

from dovetail import DataError, Template, column
from dovetail.features import Lexicon

word = column("word")


def found(lexicon: Lexicon, text: str) -> str:
    """B, I or a point for each token of a text."""
    template = Template(word.lexicon("places"), lexicons={"places": lexicon})
    return "".join(f[0][0][-1] if f else "." for f in template.features([text.split()])[0])


def test_the_longest_entry_counts_and_takes_its_words_along() -> None:
    lexicon = Lexicon(["New York", "New York City Hall", "York", "City"])
    assert found(lexicon, "New York City Hall City") == "BIIIB"
    assert found(lexicon, "New York City is York") == "BIB.B"


def test_a_beginning_of_an_entry_is_no_match() -> None:
    assert found(Lexicon(["a b c", "b"]), "a b a b c a") == ".BBII."


def test_entries_end_with_the_sequence() -> None:
    template = Template(word.lexicon("places"), lexicons={"places": Lexicon(["New York"])})
    assert template.features([["New"], ["York"]]) == [[[]], [[]]]


@pytest.mark.parametrize("text", ["O'Hara St.Louis", "O ' Hara St.Louis", "O'Hara St . Louis"])
def test_entries_match_texts_that_are_cut_otherwise(text: str) -> None:
    tokens = text.split()
    lexicon = Lexicon([" ".join(tokens)])
    assert found(lexicon, text) == "B" + "I" * (len(tokens) - 1)


def test_an_entry_matches_a_text_cut_by_the_tokenizer() -> None:
    lexicon = Lexicon(["Smith's house (old)"])
    assert found(lexicon, "Smith 's house ( old )") == "BIIIII"
    assert found(lexicon, "Smith's house (old)") == "BII"


def test_lower_case_is_asked_for() -> None:
    lexicon = Lexicon(["New York"])
    assert found(lexicon, "NEW YORK") == ".."
    template = Template(word.lower.lexicon("l"), lexicons={"l": lexicon.lower()})
    assert all(template.features([["NEW", "York"]])[0])


def test_a_file_has_an_entry_a_line(tmp_path: Path) -> None:
    path = tmp_path / "cities.txt"
    path.write_text("# cities\nNew York\n\n  Rome \nRome\n", encoding="utf-8")
    assert Lexicon.from_file(path).entries == ("New York", "Rome")
    assert Lexicon.from_file(path, lower=True).entries == ("new york", "rome")


def test_a_file_in_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "cities.txt"
    path.write_bytes("Rom\nKöln\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"cities\.txt:2 is not UTF-8 .* convert"):
        Lexicon.from_file(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot read .*none\.txt"):
        Lexicon.from_file(tmp_path / "none.txt")


@pytest.mark.parametrize("entry", ["", "  ", None])
def test_an_empty_entry_is_refused(entry: str) -> None:
    with pytest.raises(DataError, match="entry 2 of the lexicon"):
        Lexicon(["Rome", entry])


def test_lexicons_survive_storing_and_pickling() -> None:
    lexicon = Lexicon(["St. Louis", "O'Hara"])
    _ = lexicon.native
    again = Lexicon.from_spec(lexicon.spec())
    assert again == lexicon == pickle.loads(pickle.dumps(lexicon))
    assert found(again, "St. Louis and O'Hara") == "BI.B"
    template = Template(word.lexicon("l"), lexicons={"l": lexicon})
    assert Template.from_spec(template.spec()) == template


def test_a_hundred_thousand_entries_are_no_burden() -> None:
    entries = [f"w{k % 997} w{k}" + " x" * (k % 3) for k in range(100_000)]
    start = time.perf_counter()
    template = Template(word.lexicon("l"), lexicons={"l": Lexicon(entries)})
    text = " ".join(entries[:20_000]).split()
    features = template.features([text])[0]
    assert time.perf_counter() - start < 10
    assert sum(f[0][0].endswith("=B") for f in features if f) == 20_000
