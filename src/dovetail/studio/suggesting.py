"""What the studio needs of that which suggests, and one that suggests nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from dovetail.studio.annotation import Suggestion
from dovetail.studio.project import Project

Listener = Callable[[Mapping[str, Any]], None]
"""Called from any thread with what is new: version, seconds, training, message."""


class Suggester(Protocol):
    """Suggests spans, and learns from what was annotated."""

    version: int

    def start(self, listener: Listener) -> None:
        """Begin to work; ``listener`` is called whenever there is something new."""

    def stop(self) -> None:
        """End all work."""

    def changed(self, annotator: str, document: int) -> None:
        """Something was annotated."""

    def relabelled(self) -> None:
        """The labels of the project were changed."""

    def opened(self, annotator: str, document: int) -> None:
        """A document was opened, and is to have suggestions first."""

    def suggest(self, annotator: str, document: int) -> Mapping[str, Sequence[Suggestion]]:
        """The suggestions of each layer."""

    def next(self, annotator: str, after: int | None) -> tuple[int, str] | None:
        """The document to label next, and why; None if all are done."""


class InOrder:
    """Suggests nothing; documents come in their order."""

    version = 0

    def __init__(self, project: Project) -> None:
        self._project = project

    def start(self, listener: Listener) -> None:
        """Nothing is to be told."""

    def stop(self) -> None:
        """Nothing runs."""

    def changed(self, annotator: str, document: int) -> None:
        """Nothing is learnt."""

    def relabelled(self) -> None:
        """Nothing was learnt."""

    def opened(self, annotator: str, document: int) -> None:
        """Nothing is to be made ready."""

    def suggest(self, annotator: str, document: int) -> Mapping[str, Sequence[Suggestion]]:  # noqa: ARG002 - as all that suggest
        """No suggestions."""
        return {layer.name: [] for layer in self._project.layers}

    def next(self, annotator: str, after: int | None) -> tuple[int, str] | None:
        """The first document after another that is not done, or else the first of all."""
        _, listed = self._project.list_documents(annotator, state="open", limit=100_000)
        ids = [one.id for one in listed]
        later = [id for id in ids if id > (after or 0)]
        return (([*later, *ids])[0], "in order") if ids else None
