"""The JSON of Label Studio: a list of tasks, each a text with labelled spans.

Read are its exports "JSON" and "JSON-MIN", and what can be imported: the latest annotation of a
task that was not cancelled, or else its last prediction. Offsets count characters (code points);
older versions counted as JavaScript does, which is noticed by the text that a span says it has.
"""

from __future__ import annotations

import json
import logging
import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, Literal, TextIO, get_args
from xml.sax.saxutils import quoteattr

from dovetail.corpus.jsonl import parse_document, parse_json
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.span_texts import (
    SpanReader,
    Tokens,
    character_spans,
    document_numbers,
    require_text,
)
from dovetail.corpus.table import Corpus
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_text, write_text

Results = Literal["annotations", "predictions"]
RESULTS: tuple[Results, ...] = get_args(Results)
_log = logging.getLogger(__name__)
FROM_NAME, TO_NAME = "label", "text"  # as in Label Studio's template for named entities


def read_label_studio(path: PathLike, *, tokens: Tokens = "words") -> Corpus:
    """Read tasks of Label Studio; each text is a sequence, its spans are IOB2 labels.

    ``tokens`` are words, or what stands between "blanks". A task without annotation has no labels.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "export.json")
    >>> spans = '[{"start": 0, "end": 2, "text": "EU", "labels": ["ORG"]}]'
    >>> _ = path.write_text(f'[{{"text": "EU rejects", "label": {spans}}}]')
    >>> read_label_studio(path).lists("label")
    [['B-ORG', 'O']]
    """
    return to_corpus(_records(path, tokens), ["word"])


def stream_label_studio(
    path: PathLike, *, tokens: Tokens = "words", chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` texts; the file is read at once."""
    return to_chunks(_records(path, tokens), chunk_size, ["word"])


def write_label_studio(
    corpus: Corpus,
    target: PathLike | TextIO,
    *,
    label: str = "label",
    results: Results = "annotations",
    interface: PathLike | None = None,
) -> None:
    """Write tasks for import into Label Studio, the spans of a column as their annotations, or as
    predictions, which annotators see and have to accept.

    The labelling interface must call its text "text" and its labels "label", as the template for
    named entities does; the one for these labels is written to the file ``interface``.

    >>> import sys
    >>> write_label_studio(Corpus.from_texts(["EU rejects"]), sys.stdout)
    [
    {"data": {"text": "EU rejects"}}
    ]
    """
    require_text(corpus, "Label Studio")
    if results not in RESULTS:
        raise DataError(f"results are {' or '.join(RESULTS)}, not {results!r}")
    types: set[str] = set()
    with write_text(target) as file:
        file.write("[")
        for sequence, document in zip(corpus, document_numbers(corpus), strict=True):
            data = {"text": sequence.text} | ({} if document is None else {"document": document})
            task: dict[str, Any] = {"data": data}
            found = character_spans(sequence, label)
            if found is not None:
                text = sequence.text or ""
                result = [span_result(text, *span, number) for number, span in enumerate(found, 1)]
                task[results] = [{"result": result}]
                types |= {span.label for span in found}
            comma = "," if sequence.index else ""
            file.write(f"{comma}\n{json.dumps(task, ensure_ascii=False)}")
        file.write("\n]\n")
    if interface is not None:
        write_interface(types, interface)


def write_interface(types: Iterable[str], target: PathLike | TextIO) -> None:
    """Write the labelling interface for spans of these types, to be pasted as a project's code.

    >>> import sys
    >>> write_interface(["ORG", "LOC"], sys.stdout)
    <View>
      <Labels name="label" toName="text">
        <Label value="LOC"/>
        <Label value="ORG"/>
      </Labels>
      <Text name="text" value="$text"/>
    </View>
    """
    labels = "".join(f"    <Label value={quoteattr(one)}/>\n" for one in sorted(types))
    with write_text(target) as file:
        file.write(
            f'<View>\n  <Labels name="{FROM_NAME}" toName="{TO_NAME}">\n{labels}  </Labels>\n'
            f'  <Text name="{TO_NAME}" value="${TO_NAME}"/>\n</View>\n'
        )


def span_result(
    text: str, start: int, end: int, label: str, number: int, score: float | None = None
) -> dict[str, Any]:
    """A span of characters as Label Studio has it in annotations and predictions."""
    value = {"start": start, "end": end, "text": text[start:end], "labels": [label]}
    names = {"from_name": FROM_NAME, "to_name": TO_NAME, "type": "labels"}
    scored = {} if score is None else {"score": score}
    return {"id": str(number), **names, "value": value, **scored}


def _records(path: PathLike, tokens: Tokens) -> Iterator[Record]:
    name = os.fspath(path)
    with open_text(path) as file:
        tasks = parse_json(file.read(), name)
    if not isinstance(tasks, list):
        tasks = [tasks]
    reader = SpanReader(name, tokens)
    several = 0
    for number, task in enumerate(tasks, 1):
        where = f"{name}: task {number}"
        if not isinstance(task, dict):
            raise DataError(f"{where}: a JSON object was expected, not {str(task)[:40]!r}")
        data = task.get("data", task)
        if not isinstance(data, dict):
            raise DataError(f'{where}: "data" must be a JSON object')
        text = _text(data, where)
        values = _annotated(task, where) if "data" in task else _minimal(task, where)
        found = None
        if values is not None:
            if not isinstance(values, list):
                raise DataError(f"{where}: the spans must be a list")
            units = _Units(text)
            found = [_span(value, units, where) for value in values if _is_span(value)]
        record = reader.record(text, found, where, parse_document(data))
        several += _has_several(task)
        if record is not None:
            yield record
    reader.report()
    if several:
        count = "1 task has" if several == 1 else f"{several} tasks have"
        _log.warning("%s: %s several annotations; the latest is taken", name, count)


def _text(data: dict[str, Any], where: str) -> str:
    text = data.get("text")
    if isinstance(text, str):
        return text
    strings = [value for value in data.values() if isinstance(value, str)]
    if len(strings) != 1:
        raise DataError(f'{where}: there is no "text" among {", ".join(data) or "no data"}')
    return strings[0]


def _annotated(task: dict[str, Any], where: str) -> list[Any] | None:
    """The values of the one annotation that counts, or None if there is none."""
    for key in ("annotations", "completions", "predictions"):
        given = task.get(key) or []
        if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
            raise DataError(f'{where}: "{key}" must be a list of JSON objects')
        valid = [one for one in given if not one.get("was_cancelled")]
        if valid:
            result = max(reversed(valid), key=_time).get("result")
            if not isinstance(result, list):
                raise DataError(f'{where}: "result" must be a list')
            return [
                one.get("value") if isinstance(one, dict) and "value" in one else None
                for one in result
            ]
    return None


def _time(annotation: dict[str, Any]) -> str:
    """When an annotation was made or changed last, as text that sorts by time."""
    return str(annotation.get("updated_at") or annotation.get("created_at") or "")


def _has_several(task: dict[str, Any]) -> bool:
    """Whether several annotations of a task count."""
    given = task.get("annotations") or task.get("completions") or []
    found = given if isinstance(given, list) else []
    return sum(isinstance(one, dict) and not one.get("was_cancelled") for one in found) > 1


def _minimal(task: dict[str, Any], where: str) -> Any:
    """The spans of JSON-MIN, which has them under the name that the interface gives its labels."""
    found = [key for key, value in task.items() if _has_spans(value)]
    if len(found) > 1:
        raise DataError(f"{where} has spans under {' and '.join(found)}; keep those of one")
    return task.get(found[0] if found else "label")


def _has_spans(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) and _labels(one) for one in value)


def _is_span(value: Any) -> bool:
    """Other results, such as relations and choices, have no labels on a place."""
    return value is not None and (not isinstance(value, dict) or _labels(value) is not None)


def _labels(value: dict[str, Any]) -> Any:
    return next((given for key, given in value.items() if key.endswith("labels")), None)


def _span(value: Any, units: _Units, where: str) -> Any:
    if not isinstance(value, dict):
        raise DataError(f"{where}: a span must be a JSON object, not {str(value)[:40]!r}")
    start, end, labels = value.get("start"), value.get("end"), _labels(value)
    if not isinstance(labels, list) or len(labels) != 1:
        raise DataError(f"{where}: the span {start}-{end} must have one label, not {labels!r}")
    shown = value.get("text")
    if type(start) is int and type(end) is int and isinstance(shown, str):
        start, end = _place(start, end, shown, units, where)
    return [start, end, labels[0]]


def _place(start: int, end: int, shown: str, units: _Units, where: str) -> tuple[int, int]:
    """Offsets in code points, if the text of a span says that they were in UTF-16 units."""
    text = units.text
    if _same(text[max(start, 0) : end], shown):
        return start, end
    first, last = units.to_characters(max(start, 0)), units.to_characters(end)
    if first is not None and last is not None and _same(text[first:last], shown):
        return first, last
    raise DataError(
        f"{where}: the span {start}-{end} says {shown[:40]!r} where the text has "
        f"{text[max(start, 0) : end][:40]!r}"
    )


class _Units:
    """A text, and its places as JavaScript counts them: characters above U+FFFF are two."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _halves(self) -> list[int]:
        """The places within such characters."""
        wide = (place for place, character in enumerate(self.text) if character > "\uffff")
        return [place + number for number, place in enumerate(wide, 1)]

    def to_characters(self, place: int) -> int | None:
        """A place in characters; None within one."""
        before = bisect_left(self._halves, place)
        if self._halves[before : before + 1] == [place]:
            return None
        return min(place - before, len(self.text))


def _same(found: str, shown: str) -> bool:
    return found.split() == shown.replace("\\n", "\n").split()
