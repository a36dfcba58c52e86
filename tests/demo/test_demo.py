"""The demo runs, and shows what it should."""

from __future__ import annotations

import io
import re

from rich.console import Console

from dovetail.demo.__main__ import run


def test_demo() -> None:
    console = Console(file=io.StringIO(), width=200)
    run(console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "Training on 640 lines" in shown
    assert re.search(r"\[SPEAKER Dr\. Vikram Pellegrin [01]\.\d\d\]", shown)
    assert re.search(r"F1 [89]\d\.\d", shown)
    assert "train" in shown[shown.index("Try next") :]
