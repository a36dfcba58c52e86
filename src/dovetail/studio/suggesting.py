"""What the studio needs of that which suggests, and one that suggests nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from dovetail.studio.annotation import Suggestion

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

    def opened(self, annotator: str, document: int) -> None:
        """A document was opened, and is to have suggestions first."""

    def suggest(self, annotator: str, document: int) -> Mapping[str, Sequence[Suggestion]]:
        """The suggestions of each layer."""

    def next(self, annotator: str, after: int | None) -> tuple[int, str] | None:
        """The document to label next, and why; None if all are done."""
