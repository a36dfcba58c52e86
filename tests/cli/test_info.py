"""dovetail info, and the commands as a whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import dovetail
from dovetail import _native

Run = Callable[..., Result]


def test_text(run: Run, model: Path) -> None:
    shown = run("info", model, "--top", 3).stdout
    for part in (
        "13 (IOB2): O, ",
        "template over word",
        "largest weights for B-STIME",
        "largest transitions",
        " -> I-",
        "stopped",
        f"CPU level {_native.LEVEL}",
    ):
        assert part in shown


def test_json(run: Run, model: Path) -> None:
    facts = json.loads(run("info", model, "--json", "--top", 2).stdout)
    tagger = dovetail.load(model)
    assert facts["labels"] == tagger.labels_
    assert facts["cpu_level"] == _native.LEVEL
    assert facts["n_features"] == tagger.n_features_
    assert len(facts["top_weights"]["O"]) == 2
    assert facts["training"]["tokens"] == 9_869


def test_feature_text_model(run: Run, feature_text: Path, tmp_path: Path) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    assert "given as lists or feature text" in run("info", tmp_path / "m").stdout


@pytest.mark.parametrize("command", ["train", "tag", "eval", "info"])
def test_every_command_has_help(run: Run, command: str) -> None:
    assert command in run("--help").stdout
    assert "Usage:" in run(command, "--help").stdout


def test_version_and_unknown_command(run: Run) -> None:
    expected = f"dovetail {dovetail.__version__} (CPU level {_native.LEVEL})\n"
    assert run("--version").stdout == expected
    assert "No such command" in run("fly", code=2).output
