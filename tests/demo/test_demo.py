"""The demo runs, and shows what it should."""

from __future__ import annotations

import io

from rich.console import Console

from dovetail.demo.__main__ import run


def test_demo() -> None:
    console = Console(file=io.StringIO(), width=200)
    run(console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Training on 640 lines" in shown
    assert "[SPEAKER Dr. Vikram Pellegrin 0." in shown
    assert "F1 8" in shown
    assert "train" in shown[shown.index("Try next") :]
