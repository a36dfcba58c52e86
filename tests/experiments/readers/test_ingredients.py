"""Lines of ingredients: their parts found again in the text."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dovetail import DataError
from experiments.readers.ingredients import parts_of, read_ingredients

HEAD = "input,name,quantity,unit,size,preparation,comment,purpose\n"


def file(folder: Path, *lines: str) -> Path:
    path = folder / "lines.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as written:
        written.write(HEAD + "\n".join(lines) + "\n")
    return path


def test_parts_are_aligned_with_the_line(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        '"10g/½oz tarragon, leaves only",tarragon,10 #1$2,g oz,,,leaf only,',
        "2 to 3 garlic cloves,garlic,2-3,clove,,,,",
        "some line without labels,,,,,,,",
    )
    corpus = read_ingredients(path)
    assert corpus.lists("word") == [
        ["10", "g", "/", "½", "oz", "tarragon", ",", "leaves", "only"],
        ["2", "to", "3", "garlic", "cloves"],
    ]
    measure = ["B-quantity", "B-unit"]
    assert corpus.lists("label") == [
        [*measure, "O", *measure, "B-name", "O", "B-comment", "I-comment"],
        ["B-quantity", "I-quantity", "I-quantity", "B-name", "B-unit"],
    ]
    assert len(read_ingredients(path, n_lines=1)) == 1


def test_a_word_in_two_places_goes_where_its_part_is() -> None:
    tokens = ["salt", "and", "pepper", ",", "more", "salt", "to", "taste"]
    row = {"name": "salt and pepper", "comment": "more salt to taste"}
    found = parts_of(tokens, row)
    assert found == ["B-name", *["I-name"] * 2, "O", "B-comment", *["I-comment"] * 3]


def test_a_line_that_lacks_a_word_is_left_out(tmp_path: Path) -> None:
    assert parts_of(["2", "eggs"], {"name": "hen eggs", "quantity": "2"}) is None
    path = file(tmp_path, "2 eggs,hen eggs,2,,,,,")
    with pytest.raises(DataError, match="has no labelled line"):
        read_ingredients(path)


def test_another_table(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(DataError, match="does not have the columns input"):
        read_ingredients(path)
