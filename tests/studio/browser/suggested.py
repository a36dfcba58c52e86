"""Answers that a model would make, put between server and page: they are always the same."""

from __future__ import annotations

import json
import re
from typing import Any

DOCUMENT = re.compile(r"/api/documents/\d+$")


def suggest(page: Any, found: dict[str, tuple[str, float]], layer: str = "fields") -> None:
    """Suggest these strings wherever they stand, each with a label and a probability."""

    def add(route: Any) -> None:
        answer = route.fetch()
        document = answer.json()
        document["suggestions"][layer] = spans_of(document, found)
        route.fulfill(response=answer, body=json.dumps(document))

    page.route(DOCUMENT, add)
    page.route("**/api/suggestions*", lambda route: route.abort())
    page.reload()
    page.wait_for_selector("mark")


def spans_of(document: dict[str, Any], found: dict[str, tuple[str, float]]) -> list[dict[str, Any]]:
    spans = []
    starts = {start: number for number, (start, _) in enumerate(document["tokens"])}
    ends = {end: number + 1 for number, (_, end) in enumerate(document["tokens"])}
    for string, (label, probability) in found.items():
        for match in re.finditer(re.escape(string), document["text"]):
            span = {"start": starts[match.start()], "end": ends[match.end()]}
            spans.append({**span, "label": label, "probability": probability})
    return sorted(spans, key=lambda span: span["start"])


def answer(page: Any, path: str, value: Any) -> None:
    """Answer a request of the page with this value."""
    page.route(re.compile(rf"/api/{path}(\?|$)"), lambda route: route.fulfill(json=value))
