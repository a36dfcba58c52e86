"""The journal: every action of every annotator, in order, never changed.

A row has what an action took away (``before``) and what it put there (``after``), of the spans and
of the rest. The present annotations are the journal replayed; the table that holds them is a
cache. Undo and redo are actions too: they take back, or do again, a *unit*, which is one action or,
for a rule that changed many documents, all that it did.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from dovetail.errors import DataError
from dovetail.studio.annotation import (
    EMPTY,
    Annotation,
    annotation_from_json,
    annotation_to_json,
)
from dovetail.studio.database import Database
from dovetail.studio.delta import Delta, difference, map_spans, shift, translate

UNDO, REDO = "undo", "redo"
KINDS = ("label", "accept", "reject", "done", "note", "flag", "rule", "settle", "answer")
SUGGESTED = "suggested"
OUTSIDE = ("import", "map", SUGGESTED)
"""Kinds of rows that undo passes over: they were no action of an annotator on a document."""


class StaleError(Exception):
    """The annotation was changed since the client saw it, from another window."""


@dataclass(frozen=True)
class Place:
    """Whose annotation of what."""

    annotator: str
    document: int
    layer: str


@dataclass(frozen=True)
class Current:
    """The present annotation, and the action that made it (0: none)."""

    annotation: Annotation
    action: int


class Journal:
    """Appends actions, and knows what they come to."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def current(self, place: Place) -> Current:
        """The annotation as it is now."""
        rows = self._database.select(
            "SELECT value, action FROM annotations "
            "WHERE annotator = ? AND layer = ? AND document = ?",
            (place.annotator, place.layer, place.document),
        )
        if not rows:
            return Current(EMPTY, 0)
        return Current(annotation_from_json(json.loads(rows[0][0])), rows[0][1])

    def act(
        self,
        place: Place,
        kind: str,
        annotation: Annotation,
        *,
        base: int | None = None,
        seconds: float | None = None,
        key: str | None = None,
    ) -> Current:
        """Make this the annotation of a place.

        ``base`` is the action that the client saw last, ``key`` is what it calls this one: see
        `knows`.
        """
        with self._database.transaction() as run:
            before = self.current(place)
            if self.knows(place.annotator, key):
                return before
            if base is not None and base != before.action:
                raise StaleError
            delta = difference(before.annotation, annotation)
            if delta == ({}, {}):
                return before
            action = _append(run, place, kind, *delta, seconds=seconds, key=key)
            return _store(run, place, annotation, action)

    def knows(self, annotator: str, key: str | None) -> bool:
        """Whether an annotator's client has asked for the action of this key before, and did not
        hear the answer; then it is not to be done twice."""
        if key is None:
            return False
        found = self._database.select(
            "SELECT 1 FROM journal WHERE annotator = ? AND key = ?", (annotator, key)
        )
        return bool(found)

    def act_together(
        self, kind: str, annotations: Mapping[Place, Annotation], key: str | None = None
    ) -> dict[Place, Current]:
        """The same for many places, as one unit."""
        found: dict[Place, Current] = {}
        unit: int | None = None
        with self._database.transaction() as run:
            for place, annotation in annotations.items():
                if unit is None and self.knows(place.annotator, key):
                    break
                delta = difference(self.current(place).annotation, annotation)
                if delta == ({}, {}):
                    continue
                action = _append(run, place, kind, *delta, unit=unit, key=None if unit else key)
                unit = unit or action
                found[place] = _store(run, place, annotation, action)
        return found

    def take_in(self, run: Any, annotations: Mapping[Place, Annotation]) -> None:
        """What is known of new documents, within the transaction that adds them."""
        for place, annotation in annotations.items():
            action = _append(run, place, "import", *difference(EMPTY, annotation))
            _store(run, place, annotation, action)

    def note_suggested(self, places: Mapping[Place, Mapping[str, Any]]) -> None:
        """Keep what models suggested to an annotator who saw a document for the first time."""
        with self._database.transaction() as run:
            for place, value in places.items():
                _append(run, place, SUGGESTED, {}, dict(value))

    def was_suggested(self, annotator: str, document: int) -> bool:
        """Whether an annotator has seen a document."""
        return bool(
            self._database.select(
                "SELECT 1 FROM journal WHERE document = ? AND annotator = ? AND kind = ? LIMIT 1",
                (document, annotator, SUGGESTED),
            )
        )

    def suggested(self, annotator: str, layer: str) -> dict[int, dict[str, Any]]:
        """What was suggested to an annotator who saw a document for the first time."""
        rows = self._database.select(
            "SELECT document, after FROM journal WHERE annotator = ? AND layer = ? AND kind = ? "
            "ORDER BY id DESC",
            (annotator, layer, SUGGESTED),
        )
        return {document: json.loads(after) for document, after in rows}

    def undo(self, annotator: str, document: int, key: str | None = None) -> list[Place]:
        """Take back the last unit of an annotator in a document; the places it changed."""
        return self._turn(annotator, document, UNDO, key)

    def redo(self, annotator: str, document: int, key: str | None = None) -> list[Place]:
        """Do again what was taken back last."""
        return self._turn(annotator, document, REDO, key)

    def history(self, annotator: str, document: int) -> tuple[list[int], list[int]]:
        """The units that can be taken back, and those that can be done again, the next one last."""
        done: list[int] = []
        undone: list[int] = []
        rows = self._database.select(
            "SELECT id, kind, unit FROM journal WHERE document = ? AND annotator = ? ORDER BY id",
            (document, annotator),
        )
        for id, kind, unit in rows:
            if kind in OUTSIDE:
                continue
            unit = unit or id
            if kind == UNDO:
                _move(unit, done, undone)
            elif kind == REDO:
                _move(unit, undone, done)
            else:
                if unit not in done:
                    done.append(unit)
                undone.clear()
        return done, undone

    def _turn(self, annotator: str, document: int, kind: str, key: str | None) -> list[Place]:
        with self._database.transaction() as run:
            if self.knows(annotator, key):
                return []
            done, undone = self.history(annotator, document)
            units = done if kind == UNDO else undone
            if not units:
                raise DataError(f"there is nothing to {kind} in this document")
            unit = units[-1]
            rows = self._database.select(
                "SELECT id, document, layer, before, after FROM journal "
                "WHERE (id = ? OR unit = ?) AND kind NOT IN (?, ?) ORDER BY id",
                (unit, unit, UNDO, REDO),
            )
            if kind == UNDO:
                rows.reverse()
            places: list[Place] = []
            for id, number, layer, before, after in rows:
                place = Place(annotator, number, layer)
                present = self.current(place).annotation
                old, new = json.loads(before), json.loads(after)
                if kind == UNDO:
                    old, new = new, old
                for map in self._maps_after(id, layer):
                    old, new = translate(old, map), translate(new, map)
                annotation = shift(present, old, new)
                delta = difference(present, annotation)
                action = _append(run, place, kind, *delta, unit=unit, key=None if places else key)
                _store(run, place, annotation, action)
                places.append(place)
        return places

    def seconds(self, annotator: str) -> dict[int, float]:
        """How long an annotator took for each document, as far as the page said."""
        rows = self._database.select(
            "SELECT document, sum(seconds) FROM journal "
            "WHERE annotator = ? AND seconds IS NOT NULL GROUP BY document ORDER BY max(id)",
            (annotator,),
        )
        return dict(rows)

    def last_time(self) -> int:
        """When the last action was, in seconds since 1970."""
        [(last,)] = self._database.select("SELECT max(time) FROM journal")
        return 0 if last is None else int(datetime.fromisoformat(last).timestamp())

    def map_labels(self, layer: str, map: Mapping[str, str | None]) -> int:
        """Rename labels of a layer, or drop (None) the spans that have them, in all annotations,
        and in what undo will bring back; how many annotations changed."""
        changed = 0
        with self._database.transaction() as run:
            for annotator, document, value in self._database.select(
                "SELECT annotator, document, value FROM annotations WHERE layer = ?", (layer,)
            ):
                place = Place(annotator, document, layer)
                before = annotation_from_json(json.loads(value))
                annotation = replace(
                    before,
                    spans=map_spans(before.spans, map),
                    rejected=map_spans(before.rejected, map),
                )
                if annotation != before:
                    action = _append(run, place, "map", *difference(before, annotation))
                    _store(run, place, annotation, action)
                    changed += 1
            maps = self._maps()
            [(last,)] = self._database.select("SELECT coalesce(max(id), 0) FROM journal")
            maps.append([last, layer, dict(map)])
            run("INSERT OR REPLACE INTO meta VALUES ('label maps', ?)", (json.dumps(maps),))
        return changed

    def _maps(self) -> list[Any]:
        rows = self._database.select("SELECT value FROM meta WHERE key = 'label maps'")
        maps: list[Any] = json.loads(rows[0][0]) if rows else []
        return maps

    def _maps_after(self, action: int, layer: str) -> list[dict[str, str | None]]:
        return [map for at, mapped, map in self._maps() if at >= action and mapped == layer]

    def replay(self) -> dict[Place, Annotation]:
        """The annotations that the journal comes to, from its first row on."""
        found: dict[Place, Annotation] = {}
        for annotator, document, layer, before, after in self._database.select(
            "SELECT annotator, document, layer, before, after FROM journal "
            "WHERE kind != ? ORDER BY id",
            (SUGGESTED,),
        ):
            place = Place(annotator, document, layer)
            present = found.get(place, EMPTY)
            found[place] = shift(present, json.loads(before), json.loads(after))
        return found

    def all_current(self) -> dict[Place, Annotation]:
        """All annotations as they are now."""
        return {
            Place(annotator, document, layer): annotation_from_json(json.loads(value))
            for annotator, document, layer, value in self._database.select(
                "SELECT annotator, document, layer, value FROM annotations"
            )
        }


def _move(unit: int, source: list[int], target: list[int]) -> None:
    if unit in source:
        source.remove(unit)
    if unit not in target:
        target.append(unit)


def _append(
    run: Any,
    place: Place,
    kind: str,
    before: Delta,
    after: Delta,
    *,
    unit: int | None = None,
    seconds: float | None = None,
    key: str | None = None,
) -> int:
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    cursor = run(
        "INSERT INTO journal "
        "(time, annotator, document, layer, kind, before, after, unit, seconds, key) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            time,
            place.annotator,
            place.document,
            place.layer,
            kind,
            _dumps(before),
            _dumps(after),
            unit,
            seconds,
            key,
        ),
    )
    return int(cursor.lastrowid)


def _store(run: Any, place: Place, annotation: Annotation, action: int) -> Current:
    run(
        "INSERT OR REPLACE INTO annotations "
        "(document, layer, annotator, value, done, flag, action) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            place.document,
            place.layer,
            place.annotator,
            _dumps(annotation_to_json(annotation)),
            annotation.done,
            annotation.flag,
            action,
        ),
    )
    return Current(annotation, action)


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
