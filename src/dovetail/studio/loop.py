"""The models in the loop of a project: each annotator's learn from what that annotator says."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from threading import RLock
from typing import Any

from dovetail.errors import DataError
from dovetail.studio.annotation import Document, Suggestion
from dovetail.studio.learning.choose import REASONS, STRATEGIES, Strategy
from dovetail.studio.learning.learning import Learning
from dovetail.studio.learning.text import WORD
from dovetail.studio.opening import SAME, old_taggers
from dovetail.studio.project import Project
from dovetail.studio.settled import annotations_of

Listener = Callable[[str, Mapping[str, Any]], None]
"""Hears for which annotator there is something new, and what; called from any thread."""

STRATEGY = "strategy"  # the setting
AROUND = 40  # characters before and after a doubtful span
MOST_DOUBTS = 200
PATIENCE = 3.0  # seconds that a training may go on after the end


class Loop:
    """Suggests from models that follow the annotations of a project."""

    def __init__(self, project: Project, *, threads: int | None = None) -> None:
        self._project = project
        self._threads = threads
        self._old = old_taggers(project)
        self._ids = project.document_ids()
        self._columns = common_columns(map(project.document, self._ids))
        for name, tagger in self._old.items():
            lacking = [name for name in tagger.reads_ if name not in self._columns]
            if lacking:
                raise DataError(
                    f"the tagger {name!r} reads the column {lacking[0]!r}, which not all "
                    f"documents have; they have {', '.join(self._columns)}"
                )
        self._learning: dict[str, Learning] = {}
        self._lock = RLock()
        self._listener: Listener | None = None
        self.is_at_work = False
        """Whether trainings go on though all should have ended."""

    # What runs beside the requests

    def start(self, listener: Listener) -> None:
        """Begin to work, for all annotators that there are."""
        self._listener = listener
        for annotator in self._project.annotators:
            self.learning(annotator)

    def stop(self) -> None:
        """Begin no other training; those at work may go on for a moment."""
        with self._lock:
            for learning in self._learning.values():
                self.is_at_work |= not learning.stop(PATIENCE)

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until all is learnt."""
        return all(one.wait(timeout) for one in list(self._learning.values()))

    def learning(self, annotator: str) -> Learning:
        """What follows an annotator, made when it is first needed."""
        with self._lock:
            found = self._learning.get(annotator)
            if found is None:
                found = Learning(
                    self._labels(),
                    self._project.document,
                    self._ids,
                    old=self._old or None,
                    same=self._project.setting(SAME, {}),
                    columns=self._columns,
                    threads=self._threads,
                )
                self._learning[annotator] = found
                found.changed(annotations_of(self._project, annotator))
                found.start(lambda news: self._tell(annotator, news))
            return found

    def _labels(self) -> dict[str, tuple[str, ...]]:
        return {layer.name: layer.names for layer in self._project.layers}

    def _tell(self, annotator: str, news: Mapping[str, Any]) -> None:
        if self._listener is not None:
            self._listener(annotator, news)

    # What is told

    def changed(self, annotator: str, documents: Iterable[int]) -> None:
        """Something was annotated."""
        found = {
            number: {
                layer.name: self._project.current(annotator, number, layer.name).annotation
                for layer in self._project.layers
            }
            for number in documents
        }
        self.learning(annotator).changed(found)

    def relabelled(self) -> None:
        """The labels of the project were changed."""
        with self._lock:
            for annotator, learning in self._learning.items():
                learning.relabelled(self._labels())
                learning.changed(annotations_of(self._project, annotator))

    def opened(self, annotator: str, document: int) -> None:
        """A document was opened, and is to have suggestions first."""
        self.learning(annotator).opened(document)

    # What is asked

    def version(self, annotator: str) -> int:
        """The number of the newest model."""
        return self.learning(annotator).version

    def message(self, annotator: str) -> str:
        """Why there is no model, or nothing."""
        return self.learning(annotator).message

    def suggest(self, annotator: str, document: int) -> Mapping[str, Sequence[Suggestion]]:
        """The suggestions of each layer, but for what is decided already."""
        found = self.learning(annotator).suggest(document)
        return {layer: self._undecided(annotator, document, layer, found[layer]) for layer in found}

    def _undecided(
        self, annotator: str, document: int, layer: str, found: Iterable[Suggestion]
    ) -> list[Suggestion]:
        known = self._project.current(annotator, document, layer).annotation
        refused = {(span.start, span.end, span.label) for span in known.rejected}
        return [
            one
            for one in found
            if (one.start, one.end, one.label) not in refused
            and (one.start, one.end, "") not in refused
            and not any(one.start < span.end and span.start < one.end for span in known.spans)
        ]

    def next(self, annotator: str, after: int | None) -> tuple[int, str] | None:
        """The document to label next, and why; None if all are done."""
        found = self.learning(annotator).next(after, self.strategy)
        return None if found is None else (found.document, found.reason)

    @property
    def strategy(self) -> Strategy:
        """How the next document is chosen."""
        kept = self._project.setting(STRATEGY, STRATEGIES[0])
        return next((one for one in STRATEGIES if one == kept), STRATEGIES[0])

    def set_strategy(self, name: str) -> None:
        """Choose the next documents in another way."""
        if name not in STRATEGIES:
            raise DataError(
                f"there is no strategy {name!r}; choose one of: {', '.join(STRATEGIES)}"
            )
        self._project.set_setting(STRATEGY, name)

    @staticmethod
    def strategies() -> list[dict[str, str]]:
        """The ways to choose, each with what it looks for."""
        return [{"name": name, "title": REASONS[name]} for name in STRATEGIES]

    def question(
        self, annotator: str, layer: str, skip: Collection[tuple[int, int, int]]
    ) -> dict[str, Any] | None:
        """A single span to ask about, if there is one."""
        found = self.learning(annotator).question(layer, skip)
        return None if found is None else found._asdict()

    def progress(self, annotator: str, layer: str) -> dict[str, Any]:
        """How far a layer is."""
        seen = {
            number: (row["labelled"], [Suggestion(**span) for span in row["spans"]])
            for number, row in self._project.journal.suggested(annotator, layer).items()
        }
        seconds = self._project.journal.seconds(annotator)
        return self.learning(annotator).progress(layer, seen, seconds)

    def suspicious(self, annotator: str, layer: str) -> list[dict[str, Any]]:
        """Labels that may be wrong, the most doubtful first."""
        found = self.learning(annotator).suspicious(layer)
        return [self._doubt_to_json(one) for one in found[:MOST_DOUBTS]]

    def _doubt_to_json(self, doubt: Any) -> dict[str, Any]:
        document = self._project.document(doubt.document)
        first = document.offsets[doubt.start][0]
        end = document.offsets[doubt.end - 1][1]
        text = document.text
        places = [
            (document.offsets[span.start][0], document.offsets[span.end - 1][1])
            for span in doubt.spans
        ]
        return {
            **doubt._asdict(),
            "name": document.name,
            "texts": [text[a:b] for a, b in places],
            "context": [text[max(first - AROUND, 0) : first], text[first:end], text[end:][:AROUND]],
        }


def common_columns(documents: Iterable[Document]) -> tuple[str, ...]:
    """The columns that all documents have."""
    names: list[str] | None = None
    for document in documents:
        own = document.columns
        names = list(own) if names is None else [name for name in names if name in own]
        if not names:
            break
    return (WORD, *(names or ()))
