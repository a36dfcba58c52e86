"""The examples run as they stand, each in a process of its own, and print what they promise."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SHOWN = {
    "01_tagger": r"F1 0\.[89].*\nSPEAKER +[01]\.\d+  Dr\. Ada Lopez\nSTIME +[01]\.\d+  4:30 pm",
    "02_own_features": r"word\.short_shape=Xx\n(.*\n)+the template: [\d,]+ features, F1 0\.[67]",
    "03_joint": r"joint +F1 0\.[67](.*\n)+fields +SPEAKER +0\.\d+  Prof\. Ada Lopez(.*\n)+because",
    "04_little_text": r"plain tagger +F1 0\.5(.*\n)+auto +F1 0\.6",
    "05_representations": r"Friday(.*\n)+with nothing +F1 0\.5(.*\n)+with HMM +F1 0\.6",
    "06_multitask": r"ASO +F1 0\.\d+\n  round 1(.*\n)+CRF above the linear tagger F1 0\.4",
    "07_raw_text": r"9-26  SPEAKER +[01]\.\d+  Dr\. Renata Tanaka\n(.*\n)+the least sure of 40 ",
    "08_compare": r"above_names +mean F1 0\..*\ndifference [+-]0\.\d+; better on \d of 5 ",
    "09_import_a_model": r"9 labels, \d+ features\nalone +F1 0\.5.\nabove .*model +F1 0\.[56]",
    "10_own_annotator": r"above the rule +F1 of speakers 0\.\d+\npeople +O O B-PERSON I-PERSON",
    "11_all_together": r"alone +F1 0\.[56].*\nall three +F1 0\.[67].*\nfields: cross-validated",
}


def test_all_examples_are_expected_to_print_something() -> None:
    assert [path.stem for path in sorted(EXAMPLES.glob("*.py"))] == list(SHOWN)


@pytest.mark.parametrize("name", SHOWN)
def test_example_runs(name: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert re.search(SHOWN[name], done.stdout), done.stdout
    assert not list(tmp_path.iterdir()), "an example leaves files behind"


@pytest.mark.parametrize("name", SHOWN)
def test_example_is_short_and_says_what_it_shows(name: str) -> None:
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert 20 <= len(source.splitlines()) <= 50
    assert ast.get_docstring(ast.parse(source))
