"""The page on services: its Starlette application answers, and the service answers what the page
shows; `test_docs.py` runs the rest of it."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

import dovetail
from dovetail.demo import path
from serve.process import serving

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


def test_service_answers_as_shown(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn")
    model = tmp_path / "talks.dovetail"
    dovetail.Tagger().fit(dovetail.read(path("train.conll"))).save(model)
    shown = re.findall(
        r"```sh\n(curl .*?)```\s*```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert len(shown) == 2
    with serving(model) as running:
        for command, answer in shown:
            _, address, flag, body = shlex.split(command)
            assert flag == "-d"
            where = address.replace(":8000", f":{running.port}")
            with urlopen(where, data=body.encode()) as response:
                assert json.load(response) == loosely(json.loads(answer))


def loosely(value: Any) -> Any:
    """What the page shows: numbers with a decimal point are near, "..." is any string."""
    if isinstance(value, float):
        return pytest.approx(value, abs=0.03)
    if isinstance(value, dict):
        return {key: loosely(one) for key, one in value.items()}
    if isinstance(value, list):
        return [loosely(one) for one in value]
    return Anything() if value == "..." else value


class Anything:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]
