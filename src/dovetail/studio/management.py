"""What is asked of the project as a whole: its labels, rules, agreement and exports."""

from __future__ import annotations

import io
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from dovetail.errors import DataError
from dovetail.studio.agreement import label_tokens, measure_agreement
from dovetail.studio.annotation import (
    Annotation,
    Document,
    Span,
    annotation_to_json,
    span_from_json,
    span_to_json,
)
from dovetail.studio.exporting import WHATS, export
from dovetail.studio.finishing import finish
from dovetail.studio.journal import Place
from dovetail.studio.label_set import change_layers, count_labels, read_maps
from dovetail.studio.layers import read_layers
from dovetail.studio.loop import Loop
from dovetail.studio.project import SETTLED, Project
from dovetail.studio.requests import (
    check_spans,
    flag,
    read_key,
    refuse_unknown,
    string,
    whole_number,
)
from dovetail.studio.rule import Match, apply_rule, find_matches
from dovetail.studio.settled import agreed_annotations, done_annotations

MOST_MATCHES = 500  # that are shown
MOST_DIFFERENCES = 200  # documents of a layer
AROUND = 40  # characters before and after one


class Download(NamedTuple):
    """A file for the browser to keep."""

    name: str
    content: bytes


class Management:
    """Answers what annotators ask of a project as a whole; ``me`` is who asks."""

    def __init__(self, project: Project, loop: Loop, tell_labels: Callable[[], None]) -> None:
        self.project, self.loop = project, loop
        self._tell_labels = tell_labels
        self._finishing = Lock()

    def show_labels(self, me: str, _: Mapping[str, str]) -> dict[str, Any]:  # noqa: ARG002
        """How often each label was given, by layer."""
        return {layer: dict(own) for layer, own in count_labels(self.project.journal).items()}

    def set_layers(self, me: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """``PUT /api/layers``"""
        refuse_unknown(given, ("layers", "map"))
        layers = read_layers(given.get("layers"))
        changed = change_layers(self.project, layers, read_maps(given.get("map")))
        self.loop.relabelled()
        self._tell_labels()
        return {
            "layers": [layer.to_dict() for layer in self.project.layers],
            "changed": changed,
            "counts": self.project.count(me),
        }

    def rule(self, me: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """``POST /api/rule``: the same string everywhere, shown or done."""
        refuse_unknown(given, ("layer", "text", "label", "dry", "done", "key"))
        layer, key = string(given, "layer"), read_key(given)
        found = list(
            find_matches(
                self.project,
                me,
                layer,
                string(given, "text"),
                string(given, "label"),
                in_done=flag(given, "done") or False,
            )
        )
        applied: list[Match] = []
        if flag(given, "dry") is False and not self.project.journal.knows(me, key):
            applied = found
            self.loop.changed(me, apply_rule(self.project, me, layer, found, key))
        return {
            "total": len(found),
            "matches": [_match_to_json(match) for match in found[:MOST_MATCHES]],
            "applied": len(applied),
            "changed": sorted({match.document.id for match in applied}),
        }

    def show_agreement(self, me: str, _: Mapping[str, str]) -> dict[str, Any]:  # noqa: ARG002
        """``GET /api/agreement``"""
        pairs: list[dict[str, Any]] = []
        alpha: dict[str, float | None] = {}
        differences: list[dict[str, Any]] = []
        for layer in self.project.layers:
            done = done_annotations(self.project, layer.name)
            settled = done.pop(SETTLED, {})
            numbers = {number for own in done.values() for number in own}
            documents = {number: self.project.document(number) for number in numbers}
            measured = measure_agreement(documents, done, settled)
            alpha[layer.name] = measured.alpha
            pairs += [{"layer": layer.name, **asdict(pair)} for pair in measured.pairs]
            ordered = sorted(measured.differing.items(), key=lambda one: (-one[1], one[0]))
            for number, tokens in ordered[:MOST_DIFFERENCES]:
                spans = {
                    name: [_with_text(span, documents[number]) for span in own[number].spans]
                    for name, own in done.items()
                    if number in own
                }
                found = {"document": number, "name": documents[number].name, "layer": layer.name}
                differences.append({**found, "tokens": tokens, "annotations": spans})
        return {
            "annotators": self.project.annotators,
            "pairs": pairs,
            "alpha": alpha,
            "differences": differences,
        }

    def compare(self, me: str, number: int, query: Mapping[str, str]) -> dict[str, Any]:  # noqa: ARG002
        """``GET /api/documents/{id}/compare``: what each annotator says of a document."""
        document = self.project.document(number)
        layer = self.project.layer(query.get("layer") or self.project.layers[0].name).name
        done = done_annotations(self.project, layer, number)
        found = {name: own[number] for name, own in done.items()}
        settled = found.pop(SETTLED, None)
        columns = [label_tokens(document, one) for one in found.values()]
        return {
            "id": number,
            "name": document.name,
            "text": document.text,
            "tokens": document.offsets,
            "bounds": document.bounds,
            "layer": layer,
            "annotations": {name: annotation_to_json(one) for name, one in found.items()},
            "settled": None if settled is None else annotation_to_json(settled),
            "differing": [
                token
                for token, labels in enumerate(zip(*columns, strict=True))
                if len(set(labels)) > 1
            ],
        }

    def settle(self, me: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """``POST /api/settle``: what holds of a document, an annotator's labels or others."""
        refuse_unknown(given, ("document", "layer", "annotator", "spans", "key"))
        document = self.project.document(whole_number(given, "document"))
        layer = self.project.layer(string(given, "layer"))
        name = string(given, "annotator", None)
        if (name is None) == (given.get("spans") is None):
            raise DataError("say whose labels hold, or give spans, and not both")
        if name is not None:
            if name not in self.project.annotators:
                raise DataError(f"there is no annotator {name!r}")
            spans = self.project.current(name, document.id, layer.name).annotation.spans
        else:
            if not isinstance(given["spans"], list):
                raise DataError("'spans' must be a list")
            spans = tuple(sorted(map(span_from_json, given["spans"])))
            check_spans(spans, document, layer.names)
        self.project.token_of(SETTLED)
        place = Place(SETTLED, document.id, layer.name)
        note = f"settled by {me}"
        current = self.project.journal.act(
            place, "settle", Annotation(spans=spans, done=True, note=note)
        )
        return {"settled": annotation_to_json(current.annotation)}

    def finish(self, me: str, given: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG002
        """``POST /api/finish``: a model of what is done, with all to make it again."""
        refuse_unknown(given, ("key",))
        if not self._finishing.acquire(blocking=False):
            raise DataError("a model is being trained already: wait for it")
        try:
            finished = finish(self.project)
        finally:
            self._finishing.release()
        return {
            "text": finished.to_text(),
            "folder": str(finished.folder),
            "models": {
                layer: {"file": str(model), "documents": count}
                for layer, (model, count) in finished.models.items()
            },
            "empty": finished.empty,
        }

    def export(self, me: str, query: Mapping[str, str]) -> Download:
        """``GET /api/export``: a file, or several in one."""
        format, what = query.get("format", "jsonl"), query.get("what", "done")
        if what not in WHATS:
            raise DataError(f"choose what to export, {' or '.join(WHATS)}, not {what!r}")
        whose = query.get("annotator", me)
        layer = query.get("layer") or None
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder, "export")
            written = export(
                self.project,
                target,
                format,
                agreed_annotations(self.project, whose),
                what="all" if what == "all" else "done",
                layer=layer,
            )
            return _pack(target, written.name, self.project.name)


def _match_to_json(match: Match) -> dict[str, Any]:
    document, span = match
    first, end = document.offsets[span.start][0], document.offsets[span.end - 1][1]
    text = document.text
    return {
        "document": document.id,
        "name": document.name,
        "start": span.start,
        "end": span.end,
        "context": [text[max(first - AROUND, 0) : first], text[first:end], text[end:][:AROUND]],
    }


def _pack(target: Path, name: str, project: str) -> Download:
    if target.is_file():
        return Download(_plain(name), target.read_bytes())
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(target.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(target).as_posix())
    return Download(f"{_plain(project)}.zip", packed.getvalue())


def _plain(name: str) -> str:
    """A name that any system and header can hold."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", name).lstrip(".") or "export"


def _with_text(span: Span, document: Document) -> dict[str, Any]:
    first, end = span.characters or (
        document.offsets[span.start][0],
        document.offsets[span.end - 1][1],
    )
    return {**span_to_json(span), "text": document.text[first:end]}
