"""What each request of the page comes to; plain functions of plain values, called in threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, NamedTuple

from dovetail.errors import DataError
from dovetail.interop.conversion import WRITABLE
from dovetail.serve.errors import ServiceError
from dovetail.studio.annotation import Document, annotation_to_json, edit
from dovetail.studio.exporting import suffix_of
from dovetail.studio.journal import Current, Place, StaleError
from dovetail.studio.loop import Loop
from dovetail.studio.project import STATES, Project
from dovetail.studio.requests import (
    check_change,
    read_action,
    read_key,
    read_number,
    refuse_unknown,
)

MOST_LISTED = 1000


class Reply(NamedTuple):
    """A status and the JSON value that goes with it."""

    status: HTTPStatus
    value: Any


class Studio:
    """Answers what annotators ask of a project; ``me`` is who asks."""

    def __init__(self, project: Project, loop: Loop) -> None:
        self.project, self.loop = project, loop
        self._reasons: dict[tuple[str, int], str] = {}  # why documents were chosen

    def show_project(self, me: str, _: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/project``"""
        return {
            "name": self.project.name,
            "layers": [layer.to_dict() for layer in self.project.layers],
            "annotators": self.project.annotators,
            "me": me,
            "counts": self.project.count(me),
            "strategy": self.loop.strategy,
            "strategies": self.loop.strategies(),
            "suggestions_version": self.loop.version(me),
            "formats": [{"name": name, "suffix": suffix_of(name)} for name in sorted(WRITABLE)],
        }

    def list_documents(self, me: str, query: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/documents``"""
        state = query.get("state", "all")
        if state not in STATES:
            raise DataError(f"there is no state {state!r}; choose one of: {', '.join(STATES)}")
        total, listed = self.project.list_documents(
            me,
            state=state,
            search=query.get("search", ""),
            offset=_number(query, "offset", 0),
            limit=min(_number(query, "limit", 100), MOST_LISTED),
        )
        return {"total": total, "documents": [asdict(one) for one in listed]}

    def show_document(self, me: str, number: int, _: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/documents/{id}``"""
        document = self._document(number)
        self.loop.opened(me, number)
        version = self.loop.version(me)
        suggestions = self._suggestions(me, number)
        self._note_suggested(me, number, suggestions, version)
        return {
            "id": document.id,
            "name": document.name,
            "text": document.text,
            "tokens": document.offsets,
            "bounds": document.bounds,
            "suggestions": suggestions,
            "suggestions_version": version,
            **self._state(me, number),
        }

    def act(self, me: str, number: int, given: Mapping[str, Any]) -> Reply:
        """``POST /api/documents/{id}/actions``"""
        document = self._document(number)
        asked = read_action(given)
        layer = self.project.layer(asked.layer)
        if self.project.journal.knows(me, asked.key):
            return Reply(HTTPStatus.OK, self._answer(me, number, layer.name))
        check_change(asked.change, document, layer.names)
        place = Place(me, number, layer.name)
        present = self.project.journal.current(place)
        try:
            if asked.base is not None and asked.base != present.action:
                raise StaleError
            current = self.project.journal.act(
                place,
                asked.kind,
                edit(present.annotation, asked.change),
                base=present.action,
                seconds=asked.seconds,
                key=asked.key,
            )
        except StaleError:
            sentence = "this document was changed in another window: here it is as it is now"
            return Reply(
                HTTPStatus.CONFLICT, {"error": sentence, **self._answer(me, number, layer.name)}
            )
        self.loop.changed(me, [number])
        return Reply(HTTPStatus.OK, self._answer(me, number, layer.name, current))

    def undo(self, me: str, number: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """``POST /api/documents/{id}/undo``"""
        return self._turn(me, number, given, self.project.journal.undo)

    def redo(self, me: str, number: int, given: Mapping[str, Any]) -> dict[str, Any]:
        """``POST /api/documents/{id}/redo``"""
        return self._turn(me, number, given, self.project.journal.redo)

    def _turn(
        self,
        me: str,
        number: int,
        given: Mapping[str, Any],
        turn: Callable[[str, int, str | None], list[Place]],
    ) -> dict[str, Any]:
        refuse_unknown(given, ("key",))
        key = read_key(given)
        document = self._document(number)
        places: list[Place] = []
        if not self.project.journal.knows(me, key):
            places = turn(me, document.id, key)
        changed = sorted({place.document for place in places})
        self.loop.changed(me, changed)
        return {**self._state(me, number), "changed": changed}

    def suggest(self, me: str, query: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/suggestions``"""
        parts = [part for part in query.get("documents", "").split(",") if part]
        numbers = [read_number(part) for part in parts]
        if None in numbers or len(parts) > MOST_LISTED:
            raise DataError(f"'documents' must be at most {MOST_LISTED} numbers with commas")
        version = self.loop.version(me)
        documents = {
            str(number): self._suggestions(me, self._document(number).id)
            for number in numbers
            if number is not None
        }
        return {"version": version, "documents": documents}

    def next(self, me: str, query: Mapping[str, str]) -> dict[str, Any]:
        """``GET /api/next``"""
        after = _number(query, "after", 0) or None
        found = self.loop.next(me, after)
        if found is None:
            return {"id": None, "reason": "all are done"}
        number, reason = found
        self._reasons[me, number] = reason
        return {"id": number, "reason": reason}

    def _document(self, number: int) -> Document:
        try:
            return self.project.document(number)
        except DataError as error:
            raise ServiceError(HTTPStatus.NOT_FOUND, str(error)) from None

    def _note_suggested(
        self, me: str, number: int, suggestions: Mapping[str, Any], version: int
    ) -> None:
        """Keep what is suggested before an annotator has seen a document: scores rest on it."""
        if self.project.journal.was_suggested(me, number):
            return
        labelled = self.project.count(me)["done"]
        reason = self._reasons.pop((me, number), "")
        self.project.journal.note_suggested(
            {
                Place(me, number, layer): {
                    "spans": spans,
                    "version": version,
                    "labelled": labelled,
                    "reason": reason,
                }
                for layer, spans in suggestions.items()
            }
        )

    def _suggestions(self, me: str, number: int) -> dict[str, Any]:
        found = self.loop.suggest(me, number)
        return {layer: [asdict(one) for one in spans] for layer, spans in found.items()}

    def _state(self, me: str, number: int) -> dict[str, Any]:
        annotations = {
            layer.name: _to_json(self.project.current(me, number, layer.name))
            for layer in self.project.layers
        }
        return {"annotations": annotations, **self._turnable(me, number)}

    def _turnable(self, me: str, number: int) -> dict[str, bool]:
        done, undone = self.project.journal.history(me, number)
        return {"can_undo": bool(done), "can_redo": bool(undone)}

    def _answer(
        self, me: str, number: int, layer: str, current: Current | None = None
    ) -> dict[str, Any]:
        current = current or self.project.current(me, number, layer)
        return {
            "annotation": _to_json(current),
            "action": current.action,
            **self._turnable(me, number),
        }


def _to_json(current: Current) -> dict[str, Any]:
    return {**annotation_to_json(current.annotation), "action": current.action}


def _number(query: Mapping[str, str], key: str, default: int) -> int:
    given = query.get(key)
    if given is None:
        return default
    number = read_number(given)
    if number is None:
        raise DataError(f"{key!r} must be a whole number")
    return number
