"""The Starlette application of the page on services answers; `test_docs.py` runs the rest of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import dovetail
from dovetail.demo import path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "howto" / "service.md"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_starlette_application(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = pytest.importorskip("starlette.testclient", exc_type=(ImportError, RuntimeError))
    monkeypatch.chdir(tmp_path)
    dovetail.Tagger().fit(dovetail.read(path("train.conll"))[:200]).save("talks.dovetail")
    source = re.search(r"```py\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert source is not None
    names: dict[str, Any] = {}
    exec(compile(source[1], "service.py", "exec"), names)
    answer = client.TestClient(names["app"]).post("/tag", content=b"When: 4:30pm")
    assert answer.status_code == 200
    [span] = answer.json()
    assert (span["start"], span["end"], span["label"], span["text"]) == (6, 12, "STIME", "4:30pm")
