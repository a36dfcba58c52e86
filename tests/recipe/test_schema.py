"""The schema of recipes: what the parser, the command line and the pages say is the same."""

from __future__ import annotations

import re
import runpy
from collections.abc import Mapping
from pathlib import Path

import click
import pytest

from dovetail import Tagger
from dovetail.cli import main as cli
from dovetail.multitask import ASO
from dovetail.recipe.schema.keys import Key, Table, parameters_for
from dovetail.recipe.schema.recipe import COMPARE, RECIPE
from dovetail.recipe.schema.representations import FROM_FILE, READY_MADE, REPRESENTATION_KINDS
from dovetail.recipe.schema.tagger import TAGGER
from dovetail.recipe.schema.tasks import ANY_TASK, TASK_KINDS
from dovetail.recipe.schema.values import (
    POSITIVE,
    SEED,
    SHARE,
    AutoOr,
    Choice,
    ColumnName,
    Integer,
    Number,
    ValueType,
)

DOCS = Path(__file__).parents[2] / "docs"


def united(tables: Mapping[str, Table]) -> dict[str, Key]:
    return {name: key for keys in tables.values() for name, key in keys.items()}


TABLES: dict[str, Table] = {
    "task": {**ANY_TASK, **united(TASK_KINDS)},
    "recipe": RECIPE,
    "representation": {**FROM_FILE, **READY_MADE, **united(REPRESENTATION_KINDS)},
    "compare": COMPARE,
}


def test_defaults_are_those_of_the_estimators() -> None:
    usual = Tagger().get_params()
    assert {name: key.default for name, key in TAGGER.items()} == {n: usual[n] for n in TAGGER}
    assert TASK_KINDS["aso"]["parts"].default == ASO().n_parts


def test_a_key_that_is_no_parameter_is_an_error() -> None:
    with pytest.raises(KeyError, match="strength"):
        parameters_for(Tagger, {"strength": Key(POSITIVE, "There is none.")})


@pytest.mark.parametrize("table", TABLES)
def test_defaults_are_among_the_choices_and_summaries_are_sentences(table: str) -> None:
    for name, key in TABLES[table].items():
        assert not isinstance(key.type, Choice) or key.default in (None, *key.type.names), name
        assert re.fullmatch(r"[A-Z][^|\n]+\.", key.summary), name


@pytest.mark.parametrize(
    ("type", "good", "bad"),
    [
        (Integer(2), [2, 10**30], [1, 2.0, True, "2"]),
        (SEED, [0, 2**63 - 1], [-1, 2**63]),
        (Number(minimum=0), [0, 0.5], [-0.1, float("nan"), float("inf"), False]),
        (SHARE, [0.01, 0.99], [0, 1]),
        (AutoOr(POSITIVE), ["auto", 1], [0, "high"]),
        (ColumnName(), ["word"], ["", "a b", "@x", 1]),
    ],
)
def test_values(type: ValueType, good: list[object], bad: list[object]) -> None:
    assert [value for value in good if not type.accepts(value)] == []
    assert [value for value in bad if type.accepts(value)] == []


def test_the_reference_has_the_tables_of_the_schema() -> None:
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    maker = runpy.run_path(str(DOCS / "make_key_tables.py"))
    assert maker["with_tables"](page) == page, "run python docs/make_key_tables.py"


@pytest.mark.parametrize(
    ("page", "heading", "table"),
    [
        ("pipelines.md", "### Keys of a task\n", "task"),
        ("pipelines.md", "### Keys of the recipe\n", "recipe"),
        ("pipelines.md", "### Keys of a representation\n", "representation"),
        ("compare.md", "| key of `[compare]` | what |\n", "compare"),
    ],
)
def test_pages_name_keys_that_there_are(page: str, heading: str, table: str) -> None:
    text = (DOCS / "howto" / page).read_text(encoding="utf-8")
    section = text.partition(heading)[2].partition("\n#")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    names = {name.strip("[]") for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert names
    assert not names - {*TABLES[table]}


@pytest.mark.parametrize("command", ["train", "represent", "tune"])
def test_the_reference_has_the_defaults_of_options(command: str) -> None:
    page = (DOCS / "reference.md").read_text(encoding="utf-8")
    section = page.partition(f"### dovetail {command}\n")[2].partition("\n### ")[0]
    assert isinstance(cli, click.Group)
    found = cli.get_command(click.Context(cli), command)
    assert found is not None
    checked = 0
    for option in found.params:
        default = re.search(r"\(([^ ()]+)\)\.$", getattr(option, "help", None) or "")
        if default is None:
            continue
        row = re.search(rf"^\| [^|]*`{option.opts[0]}[ `].*$", section, re.MULTILINE)
        assert row is not None, option.opts[0]
        known = re.findall(r"[^\s()`,;]+", row[0])
        assert default[1] in known or "as of `dovetail represent`" in row[0], row[0]
        checked += 1
    assert checked >= 4
