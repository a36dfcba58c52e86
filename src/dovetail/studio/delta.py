"""What two annotations differ in: what an action took away, and what it put there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from dovetail.studio.annotation import Annotation, Span, span_from_json, span_to_json

SPANS = ("spans", "rejected")
STATES = ("done", "flag", "note")
Delta = dict[str, Any]


def difference(before: Annotation, after: Annotation) -> tuple[Delta, Delta]:
    """What is in the one annotation only, and what in the other only."""
    old: Delta = {}
    new: Delta = {}
    for name in SPANS:
        first, second = _keyed(getattr(before, name)), _keyed(getattr(after, name))
        gone = [span_to_json(span) for key, span in first.items() if key not in second]
        come = [span_to_json(span) for key, span in second.items() if key not in first]
        if gone or come:
            old[name], new[name] = gone, come
    for name in STATES:
        if getattr(before, name) != getattr(after, name):
            old[name], new[name] = getattr(before, name), getattr(after, name)
    return old, new


def shift(annotation: Annotation, old: Delta, new: Delta) -> Annotation:
    """An annotation without what is in one delta, and with what is in the other.

    Spans that would overlap others that have been made since stay away.
    """
    values: dict[str, Any] = {}
    for name in SPANS:
        gone = _keyed(map(span_from_json, old.get(name, ())))
        kept = [s for key, s in _keyed(getattr(annotation, name)).items() if key not in gone]
        for span in map(span_from_json, new.get(name, ())):
            taken = span in kept if name == "rejected" else any(span.overlaps(s) for s in kept)
            if not taken:
                kept.append(span)
        values[name] = tuple(sorted(kept))
    values.update({name: new[name] for name in STATES if name in new})
    return replace(annotation, **values)


def _keyed(spans: Iterable[Span]) -> dict[Any, Span]:
    return {(span, span.characters): span for span in spans}


def map_spans(spans: Iterable[Span], map: Mapping[str, str | None]) -> tuple[Span, ...]:
    """Spans with other labels, without those whose label is mapped to None."""
    renamed: list[Span] = []
    for span in spans:
        label = map.get(span.label, span.label)
        if label is not None:
            renamed.append(replace(span, label=label))
    return tuple(sorted(set(renamed)))


def translate(delta: Delta, map: Mapping[str, str | None]) -> Delta:
    """A delta in the labels that there are since a change of the label set."""
    spans = {
        name: [
            span_to_json(s) for s in map_spans(tuple(span_from_json(v) for v in delta[name]), map)
        ]
        for name in SPANS
        if name in delta
    }
    return {**delta, **spans}
