"""The service does what its description says, whatever it is sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from serve.process import serving

schemathesis = pytest.importorskip("schemathesis")
FOLDER = Path(__file__).parents[2] / "src" / "dovetail" / "serve"


@pytest.fixture(scope="module")
def described(folder: Path) -> Iterator[Any]:
    with serving(folder / "talks.dovetail", folder / "both.dovetail") as running:
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{running.port}/openapi.json")


@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        ("POST", "/v1/tag", "POSITIVE"),
        ("POST", "/v1/tag", "NEGATIVE"),
        ("POST", "/v1/explain", "POSITIVE"),
        ("POST", "/v1/explain", "NEGATIVE"),
        ("GET", "/v1/models", "POSITIVE"),
        ("GET", "/healthz", "POSITIVE"),
        ("GET", "/metrics", "POSITIVE"),
    ],
)
def test_requests_of_all_kinds(described: Any, method: str, path: str, mode: str) -> None:
    """Statuses, types and contents are those described, and what is not described is refused."""
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    kind = schemathesis.GenerationMode[mode]
    operation = described[path][method]
    left_out = [positive_data_acceptance]  # what a model reads is known only to /v1/models

    @given(case=operation.as_strategy(generation_mode=kind))
    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    def check(case: Any) -> None:
        case.call_and_validate(excluded_checks=left_out)

    check()


def test_description_is_complete(make_client: Any) -> None:
    description = make_client().get("/openapi.json").json()
    assert set(description["paths"]) == {
        "/v1/models",
        "/v1/tag",
        "/v1/explain",
        "/healthz",
        "/metrics",
    }
    kept = json.loads((FOLDER / "openapi.json").read_text(encoding="utf-8"))
    assert description["components"] == kept["components"]
    assert description["info"]["version"]


def test_decodings_are_all_there_are() -> None:
    from dovetail.serve.models import CHAIN_DECODINGS, DECODINGS

    text = (FOLDER / "openapi.json").read_text(encoding="utf-8")
    offered = _enums_of(json.loads(text), "decode")
    assert offered
    assert all({*one} == {*CHAIN_DECODINGS, *DECODINGS} for one in offered)


def _enums_of(described: Any, key: str) -> list[list[str]]:
    found = []
    if isinstance(described, dict):
        found += [described[key]["enum"]] if "enum" in described.get(key, {}) else []
        described = list(described.values())
    if isinstance(described, list):
        found += [one for value in described for one in _enums_of(value, key)]
    return found
