"""Tables: what is known of values from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail import DataError, Template, column
from dovetail.features import Table

word = column("word")


def test_a_value_has_what_the_table_has_for_it() -> None:
    table = Table({"Rome": "city", "May": ["month", "name"]})
    template = Template(word.table("kinds"), lexicons={}, tables={"kinds": table})
    names = [[name for name, _ in token] for token in template.features([["Rome", "in", "May"]])[0]]
    start = 'word.table("kinds")='
    assert names == [[f"{start}city"], [], [f"{start}month", f"{start}name"]]


def test_a_table_is_stored_with_the_template() -> None:
    template = Template(word.table("t"), tables={"t": Table({"a": "1", "b": ["2", "3"]})})
    again = Template.from_spec(template.spec())
    assert again == template
    assert again.tables["t"] == template.tables["t"]


def test_a_table_has_to_be_given() -> None:
    with pytest.raises(DataError, match="table 'kinds' that it was not given"):
        Template(word.table("kinds"))


def test_a_file_has_a_value_a_line(tmp_path: Path) -> None:
    path = tmp_path / "kinds.tsv"
    path.write_text("Rome\tcity\nMay\tmonth\n\nMay\tname\n", encoding="utf-8")
    assert Table.from_file(path) == Table({"Rome": "city", "May": ["month", "name"]})


@pytest.mark.parametrize("line", ["Rome", "\tcity", "Rome\t"])
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "kinds.tsv"
    path.write_text(f"May\tmonth\n{line}\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"kinds\.tsv:2 is not a value, a tab and a string"):
        Table.from_file(path)


def test_only_strings_are_taken() -> None:
    with pytest.raises(DataError, match="give strings"):
        Table({"Rome": [1]})  # type: ignore[list-item]
