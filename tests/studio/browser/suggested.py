"""Suggestions: those of a tagger that knows a text by heart, and, where they must always be the
same, answers put between server and page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dovetail import Corpus, Tagger
from dovetail.corpus import labels_from_spans, tokenize

DOCUMENT = re.compile(r"/api/documents/\d+$")


def teach(file: Path, text: str, found: dict[str, str]) -> Path:
    """A tagger that finds these strings in the lines of a text, for the ``--with`` of a studio."""
    words, labels = [], []
    for line in text.splitlines():
        places = tokenize(line)
        starts = {start: number for number, (start, _) in enumerate(places)}
        ends = {end: number + 1 for number, (_, end) in enumerate(places)}
        spans = sorted(
            (starts[match.start()], ends[match.end()], label)
            for string, label in found.items()
            for match in re.finditer(re.escape(string), line)
        )
        words.append([line[start:end] for start, end in places])
        labels.append(labels_from_spans(spans, len(places)))
    corpus = Corpus.from_lists({"word": words * 5, "label": labels * 5})
    Tagger(c2=0.01, constraints="IOB2").fit(corpus).save(file)
    return file


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
