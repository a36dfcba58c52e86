"""What the page asks for, checked: JSON in, changes out, or a sentence that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from dovetail.errors import DataError
from dovetail.studio.annotation import Change, Document, Span, check_span, span_from_json
from dovetail.studio.journal import KINDS

LONGEST_NOTE = 10_000
LONGEST_KEY = 100
MOST_SPANS = 10_000
MOST_DIGITS = 15
ACTION_KEYS = ("layer", "kind", "add", "remove", "reject", "unreject", "done", "flag", "note")
META_KEYS = ("base", "seconds", "key")
EXAMPLE = '{"layer": "label", "kind": "label", "add": [{"start": 0, "end": 1, "label": "A"}]}'


@dataclass(frozen=True)
class ActionRequest:
    """A change of one layer, the action that the page saw last, and how long it took."""

    layer: str
    kind: str
    change: Change
    base: int | None
    seconds: float | None
    key: str | None


def read_action(given: Mapping[str, Any]) -> ActionRequest:
    """The request of ``POST /api/documents/{id}/actions``."""
    refuse_unknown(given, (*ACTION_KEYS, *META_KEYS))
    kind = string(given, "kind", "label")
    if kind not in KINDS:
        raise DataError(f"there is no kind of action {kind!r}; choose one of: {', '.join(KINDS)}")
    spans = {name: _spans(given, name) for name in ("add", "remove", "reject", "unreject")}
    note = string(given, "note", None)
    if note is not None and len(note) > LONGEST_NOTE:
        raise DataError(f"a note has at most {LONGEST_NOTE} characters")
    change = Change(**spans, done=flag(given, "done"), flag=flag(given, "flag"), note=note)
    return ActionRequest(
        string(given, "layer"),
        kind,
        change,
        whole_number(given, "base", None),
        _seconds(given),
        read_key(given),
    )


def check_change(change: Change, document: Document, labels: Iterable[str]) -> None:
    """Refuse spans that cannot be in a document; what is rejected may be of no label, which says
    that there is no span at all."""
    known = tuple(labels)
    for span in change.add:
        check_span(span, document, known)
    for span in change.reject:
        check_span(span, document, (*known, ""))


def check_spans(spans: Sequence[Span], document: Document, labels: Iterable[str]) -> None:
    """Refuse spans, in their order, that cannot be in a document together."""
    check_change(Change(add=tuple(spans)), document, labels)
    for one, other in pairwise(spans):
        if one.overlaps(other):
            raise DataError(
                f"the spans {one.start}-{one.end} and {other.start}-{other.end} overlap"
            )


def refuse_unknown(given: Mapping[str, Any], known: Iterable[str]) -> None:
    """Refuse keys that mean nothing here."""
    names = tuple(known)
    for key in given:
        if key not in names:
            raise DataError(f"there is no {key!r} here; there are: {', '.join(names)}")


REQUIRED = object()


def string(given: Mapping[str, Any], key: str, default: Any = REQUIRED) -> Any:
    """A string of a request."""
    value = _value(given, key, default)
    if value is not default and not isinstance(value, str):
        raise DataError(f"{key!r} must be a string")
    return value


def whole_number(given: Mapping[str, Any], key: str, default: Any = REQUIRED) -> Any:
    """A whole number of a request."""
    value = _value(given, key, default)
    if value is not default and (type(value) is not int or not 0 <= value < 2**53):
        raise DataError(f"{key!r} must be a whole number")
    return value


def read_number(given: str) -> int | None:
    """A whole number in digits, if it is one that a database can hold."""
    return int(given) if given.isdecimal() and len(given) <= MOST_DIGITS else None


def flag(given: Mapping[str, Any], key: str) -> bool | None:
    """True, false or nothing."""
    value = given.get(key)
    if value is not None and not isinstance(value, bool):
        raise DataError(f"{key!r} must be true or false")
    return value


def _value(given: Mapping[str, Any], key: str, default: Any) -> Any:
    value = given.get(key)
    if value is None:
        if default is REQUIRED:
            raise DataError(f"there is no {key!r}")
        return default
    return value


def read_key(given: Mapping[str, Any]) -> str | None:
    """What the page calls a request, so that one that it sends again is not done twice."""
    key: str | None = string(given, "key", None)
    if key is not None and not 0 < len(key) <= LONGEST_KEY:
        raise DataError(f"'key' must have 1 to {LONGEST_KEY} characters")
    return key


def _seconds(given: Mapping[str, Any]) -> float | None:
    value = given.get("seconds")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e9:
        raise DataError("'seconds' must be a number")
    return float(value)


def _spans(given: Mapping[str, Any], key: str) -> tuple[Span, ...]:
    value = given.get(key)
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MOST_SPANS:
        raise DataError(f"{key!r} must be a list of at most {MOST_SPANS} spans")
    return tuple(map(span_from_json, value))
