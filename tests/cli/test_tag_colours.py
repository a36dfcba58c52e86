"""dovetail tag on a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dovetail.cli.outputs.colours import label_style
from dovetail.cli.terminal import printable

pty = pytest.importorskip("pty")
LAUNCH = "from dovetail.cli import main; main()"


def on_terminal(*arguments: object, **variables: str) -> str:
    """What a command shows on a terminal of 256 colours."""
    ours, theirs = pty.openpty()
    environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM")}
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, *map(str, arguments)],
        env={**environment, "TERM": "xterm-256color", **variables},
        stdin=subprocess.DEVNULL,
        stdout=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # how Linux says that the other end was closed
            piece = b""
        if not piece:
            break
        shown += piece
    os.close(ours)
    assert process.wait() == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "mail.txt"
    path.write_text("Come at 4:30pm\n\x1b[2J\x9b31m\u202e at 5pm\n")
    return path


def test_spans_are_in_colours_and_escapes_are_not_obeyed(model: Path, mail: Path) -> None:
    shown = on_terminal("tag", model, mail, "--format", "text")
    first, second = shown.splitlines()
    assert first.startswith("Come at \x1b[38;5;")
    assert " STIME " in first
    assert "\\x1b[2J" in second
    assert "\\x9b31m" in second
    assert "\\u202e" in second
    assert not set("\x9b\u202e") & set(shown)
    assert "\x1b[2J" not in shown


@pytest.mark.parametrize(
    ("options", "variables"),
    [
        ([], {"NO_COLOR": "1"}),
        ([], {"TERM": "dumb"}),
        (["--output-format", "jsonl"], {}),
        (["--output-format", "conll"], {}),
        (["--nbest", "2"], {}),
    ],
)
def test_no_colours_where_they_are_not_wanted(
    model: Path, mail: Path, options: list[str], variables: dict[str, str]
) -> None:
    shown = on_terminal("tag", model, mail, "--format", "text", *options, **variables)
    assert "4:30pm" in shown or "4:30" in shown
    assert not set("\x1b\x9b\u202e") & set(shown)


def test_columns_and_plain_labels(pos_model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("the DT l\ndog NN l\n\n")
    shown = on_terminal("tag", pos_model, data)
    assert "the\x1b[0m" in shown
    assert " DT " in shown
    assert shown.count("\n") == 1


def test_pipelines_show_the_last_layer(pipeline: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("by\nAda\n\n")
    shown = on_terminal("tag", pipeline, data)
    assert " SPEAKER " in shown
    assert " PER " not in shown


def test_probability_is_strength() -> None:
    def spread(probability: float) -> int:
        color = label_style("PER", probability).bgcolor
        assert color is not None
        assert color.triplet is not None
        return max(color.triplet) - min(color.triplet)

    assert spread(0.1) < spread(0.5) < spread(1.0)
    assert label_style("PER", 0.9) != label_style("LOC", 0.9)


def test_ordinary_text_is_left_alone() -> None:
    assert printable("Žižek\t東京 🙂\n") == "Žižek\t東京 🙂\n"
