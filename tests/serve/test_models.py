"""Models are listed, named, and opened again when their files are replaced."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from dovetail.errors import DataError, ModelFileError


def test_list(client: Any) -> None:
    listed = {one["name"]: one for one in client.get("/v1/models").json()["models"]}
    assert list(listed) == ["talks", "both", "pos", "listed"]
    both = listed["both"]
    assert (both["kind"], both["decodings"][0], both["reads"]) == ("pipeline", "joint", ["word"])
    assert list(both["layers"]) == both["explains"] == ["ner", "fields"]
    assert both["layers"]["ner"]["spans"]
    assert listed["talks"]["decodings"] == ["viterbi", "marginal"]
    assert not listed["pos"]["layers"]["tag"]["spans"]
    assert listed["listed"]["reads"] == []


def test_names(folder: Path, tmp_path: Path) -> None:
    from dovetail.serve.models import ServedModels

    file = folder / "pos.dovetail"
    shutil.copy(file, tmp_path / "a=b.dovetail")
    served = ServedModels.from_arguments(
        [str(file), f"words={file}", str(tmp_path / "a=b.dovetail")]
    )
    assert list(served.by_name) == ["pos", "words", "a=b"]
    with pytest.raises(DataError, match="two models would be called 'pos': name one, NAME="):
        ServedModels.from_arguments([str(file), str(file)])


def test_files_that_are_no_models(folder: Path, tmp_path: Path) -> None:
    from dovetail.serve.models import ServedModels

    damaged = tmp_path / "damaged.dovetail"
    content = bytearray((folder / "pos.dovetail").read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    empty = tmp_path / "empty"
    empty.touch()
    for path, sentence in (
        (tmp_path / "none", f"cannot open the model {tmp_path}/none: No such file"),
        (tmp_path, "Is a directory"),
        (damaged, f"{damaged} is damaged"),
        (empty, "it has only 0 bytes"),
    ):
        with pytest.raises(ModelFileError) as caught:
            ServedModels({"x": path})
        assert sentence in str(caught.value)


def test_reload(folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from starlette.testclient import TestClient

    from dovetail.serve.app import make_app
    from dovetail.serve.models import ServedModels

    file = tmp_path / "m.dovetail"
    shutil.copy(folder / "pos.dovetail", file)
    served = ServedModels({"m": file})
    old = served.by_name["m"]
    asked = {"tokens": ["the", "dog"]}

    def version() -> str:
        return str(client.post("/v1/tag", json=asked).json()["version"])

    def wait_for(sentence: str) -> None:
        until = time.monotonic() + 30
        while sentence not in caplog.text and time.monotonic() < until:
            time.sleep(0.01)
        assert sentence in caplog.text

    app = make_app(served, reload_seconds=0.02)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        first = version()
        file.write_bytes(b"half of a model, written over the old one")
        wait_for("m is served as it was")
        assert version() == first
        file.unlink()
        time.sleep(0.1)
        assert version() == first
        shutil.copy(folder / "both.dovetail", tmp_path / "new")
        (tmp_path / "new").rename(file)
        wait_for("m was replaced")
        assert version() != first
        assert "layers" in client.post("/v1/tag", json=asked).json()["results"][0]
        metrics = client.get("/metrics").text
    assert 'dovetail_reloads_total{model="m",outcome="failed"} 1' in metrics
    assert 'dovetail_reloads_total{model="m",outcome="loaded"} 1' in metrics
    assert old.labeller.predict([["the", "dog"]]) == [["DT", "NN"]]  # who has the old one keeps it


def test_health_and_metrics(make_client: Any) -> None:
    client = make_client()
    assert client.get("/healthz").json() == {"status": "ok"}
    client.post("/v1/tag", json={"texts": ["a", "b"]})
    client.post("/v1/tag", json={})
    client.get("/some/thing")
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    lines = answer.text.splitlines()
    for line in (
        'dovetail_requests_total{path="/v1/tag",status="200"} 1',
        'dovetail_requests_total{path="/v1/tag",status="400"} 1',
        'dovetail_requests_total{path="other",status="404"} 1',
        'dovetail_request_seconds_count{path="/v1/tag"} 2',
        'dovetail_request_seconds_bucket{path="/v1/tag",le="+Inf"} 2',
        "dovetail_batch_requests_count 1",
        'dovetail_items_total{model="talks"} 2',
        "dovetail_waiting_requests 0",
    ):
        assert line in lines
    for line in lines:
        assert line.startswith("#") or float(line.rpartition(" ")[2]) >= 0
