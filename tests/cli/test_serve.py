"""``dovetail serve`` refuses what cannot be served, in a sentence."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cli.conftest import Run

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


def test_models_that_cannot_be_served(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "none.dovetail"
    assert run("serve", missing, code=1).output == (
        f"dovetail: cannot open the model {missing}: No such file or directory\n"
    )
    missing.write_bytes(b"no model at all, but long enough")
    assert "is not a model file" in run("serve", missing, code=1).output


def test_other_addresses_need_a_token(run: Run, model: Path) -> None:
    output = run("serve", model, "--host", "0.0.0.0", code=1).output
    assert "0.0.0.0 can be reached from other machines" in output
    assert "easy to guess" in run("serve", model, "--token", "x", code=1).output


def test_addresses_that_do_not_exist(run: Run, model: Path) -> None:
    token = ["--token", "a-secret-of-sixteen"]
    assert (
        "there is no address" in run("serve", model, "--host", "no.invalid", *token, code=1).output
    )
    assert "cannot listen on 203.0.113.1" in (
        run("serve", model, "--host", "203.0.113.1", *token, code=1).output
    )


def test_without_starlette(run: Run, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("starlette", "dovetail.serve."))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette", None)
    assert run("serve", model, code=1).output == (
        "dovetail: dovetail serve needs starlette: pip install 'dovetail[studio]'\n"
    )
