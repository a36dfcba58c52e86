"""What the README promises beside its code (which test_docs.py runs) is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = [
    "one evaluation",
    "training to 0.1 %",
    "text to model",
    "tagging",
    "start-up",
    "peak memory",
    "F1",
]


def test_results_table_has_all_rows() -> None:
    table = README.partition("<!-- results -->")[2].partition("<!-- /results -->")[0]
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    header, _, *body = [[cell.strip() for cell in row] for row in rows]
    assert len(header) >= 7
    assert all(len(row) == len(header) for row in body)
    for name in ROWS:
        assert any(row[0].startswith(name) for row in body), name


@pytest.mark.parametrize("target", sorted(set(re.findall(r"(?m)(?:^|`)make (\w+)", README))))
def test_make_targets_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"(?<!reproduce )NAME=(\w+)", README))))
def test_benchmarks_exist(name: str) -> None:
    assert (ROOT / "benchmarks" / f"{name}.py").is_file()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"make reproduce NAME=(\w+)", README))))
def test_experiments_exist(name: str) -> None:
    assert (ROOT / "experiments" / name / "__main__.py").is_file()


def test_first_result_is_soon() -> None:
    before = README.partition("```text")[0]
    assert before.count("\n") < 50
    assert "make demo" in before
    assert "auto" in before


@pytest.mark.parametrize("paper", ["Sutton", "He et al. (2009)", "Yates (2012)"])
def test_papers_are_named(paper: str) -> None:
    assert paper in README


def test_licence_is_the_one_named() -> None:
    assert "Apache-2.0" in README
    assert "Apache License" in (ROOT / "LICENSE").read_text(encoding="utf-8")
