"""What the models tell an annotator beside suggestions: questions, progress, doubts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from dovetail.errors import DataError
from dovetail.studio.annotation import Span
from dovetail.studio.loop import Loop
from dovetail.studio.project import Project
from dovetail.studio.requests import refuse_unknown, string

MOST_SKIPPED = 1000
_PLACE = re.compile(r"(\d{1,15}):(\d{1,15}):(\d{1,15})")


class Guidance:
    """Answers what annotators ask of the models; ``me`` is who asks."""

    def __init__(self, project: Project, loop: Loop) -> None:
        self.project, self.loop = project, loop

    def question(self, me: str, query: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/questions``: a single span, to be confirmed, refused or corrected."""
        skip = _read_places(query.get("skip", ""))
        found = self.loop.question(me, self._layer(query), skip)
        return {"question": found, "message": "" if found else self.loop.message(me)}

    def progress(self, me: str, query: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/progress``"""
        layer = self._layer(query)
        return {
            "layer": layer,
            "counts": self.project.count(me),
            "strategy": self.loop.strategy,
            "strategies": self.loop.strategies(),
            **self.loop.progress(me, layer),
        }

    def suspicious(self, me: str, query: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/suspicious``: labels that models doubt which have not seen them."""
        items = self.loop.suspicious(me, self._layer(query))
        return {
            "items": [
                {**one, "spans": [_span_to_json(span) for span in one["spans"]]} for one in items
            ],
            "message": "" if items else "models doubt no label of what is done",
        }

    def set_settings(self, me: str, given: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """``PUT /api/settings``"""
        refuse_unknown(given, ("strategy", "key"))
        self.loop.set_strategy(string(given, "strategy"))
        return {"strategy": self.loop.strategy}

    def _layer(self, query: Mapping[str, str]) -> str:
        return self.project.layer(query.get("layer") or self.project.layers[0].name).name


def _span_to_json(span: Span) -> dict[str, Any]:
    found = asdict(span)
    del found["characters"]
    return found


def _read_places(given: str) -> set[tuple[int, int, int]]:
    parts = [part for part in given.split(",") if part]
    found = [_PLACE.fullmatch(part) for part in parts]
    if len(parts) > MOST_SKIPPED or not all(found):
        raise DataError(f"'skip' must be at most {MOST_SKIPPED} places, DOCUMENT:START:END each")
    return {(int(m[1]), int(m[2]), int(m[3])) for m in found if m is not None}
