"""Commands by name: similar names are suggested, and shells can complete them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest
from click.testing import Result

from dovetail.cli.group import CommandGroup

Run = Callable[..., Result]
LAUNCH = "from dovetail.cli import main; main(prog_name='dovetail')"


@pytest.mark.parametrize(
    ("typed", "meant"), [("trian", "train"), ("Tag", "tag"), ("import", "import-model")]
)
def test_a_misspelt_command_is_suggested(run: Run, typed: str, meant: str) -> None:
    shown = run(typed, "x", code=2).output
    assert f"No such command '{typed}'. Did you mean '{meant}'" in shown


def test_nothing_is_suggested_for_what_is_like_no_command(run: Run) -> None:
    shown = run("xyzzy", code=2).output
    assert "No such command 'xyzzy'.\n" in shown
    assert "mean" not in shown


def test_a_misspelt_option_is_suggested(run: Run) -> None:
    assert "--marginals" in run("tag", "--mariginals", "x", code=2).output
    assert "--version" in run("--verson", code=2).output


def test_ctrl_c_while_arguments_are_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CommandGroup, "parse_args", interrupted)
    assert run("info", "m", code=130).output == "dovetail: interrupted\n"


def complete(*words: str) -> list[str]:
    """What a shell offers for the last of these words."""
    asked = {
        "_DOVETAIL_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH],
        env={**os.environ, **asked},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    return done.stdout.split()


def test_shells_complete_commands_options_and_choices() -> None:
    assert complete("dovetail", "tr") == ["plain,train"]
    assert complete("dovetail", "tag", "--output-") == ["plain,--output-format"]
    assert "plain,viterbi" in complete("dovetail", "tag", "--decode", "vi")


def test_shells_complete_files_where_files_are_meant() -> None:
    assert complete("dovetail", "eval", "mod") == ["file,mod"]
    assert complete("dovetail", "tag", "--output", "out") == ["file,out"]
    assert complete("dovetail", "eval", "--label", "x") == []
