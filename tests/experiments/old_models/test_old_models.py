"""The command of the experiments with usaddress's model, and that all experiments have one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from experiments.old_models.__main__ import main

ROOT = Path(__file__).parents[3]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_experiment_can_be_run() -> None:
    [listed] = re.findall(r"experiments/x \((.*)\)", MAKEFILE)
    folders = {path.parent.name for path in (ROOT / "experiments").glob("*/__init__.py")}
    assert set(listed.split(", ")) == folders - {"common", "readers"}
    for name in listed.split(", "):
        assert (ROOT / "experiments" / name / "__main__.py").exists()


@pytest.mark.parametrize("part", ["transfer", "repeats"])
def test_without_addresses_it_says_what_to_do(part: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [part, "--data", str(tmp_path)])
    assert isinstance(result.exception, SystemExit)
    assert "there are no addresses in" in str(result.exception.code or result.output)
