"""Exceptions that are not ours, kept with the input that raised them: one a place in the code."""

from __future__ import annotations

import hashlib
import traceback
from pathlib import Path
from types import TracebackType

from fuzzing.targets import Target


class Findings:
    """What was found of a target, in a folder."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self._known: set[str] = set()

    def try_input(self, target: Target, content: bytes) -> None:
        """Read the content; whatever is raised then and is not ours is kept."""
        try:
            target.survives(content)
        except Exception as error:
            self._keep(content, error)

    def _keep(self, content: bytes, error: Exception) -> None:
        place = f"{type(error).__name__} at {innermost(error.__traceback__)}"
        if place in self._known:
            return
        self._known.add(place)
        path = self.folder / f"{self.name}-{hashlib.sha1(content).hexdigest()[:12]}"
        path.write_bytes(content)
        lines = "".join(traceback.format_exception(error))
        path.with_suffix(".txt").write_text(f"{place}\n\n{lines}", "utf-8", "replace")
        print(f"FOUND {self.name}: {place}: {path.name}", flush=True)


def innermost(trace: TracebackType | None) -> str:
    """The last place in our own code that an exception came from."""
    frames = traceback.extract_tb(trace)
    ours = [f for f in frames if "/dovetail/" in f.filename or "/fuzzing/" in f.filename]
    last = (ours or frames)[-1]
    return f"{last.filename.rpartition('/dovetail/')[2]}:{last.lineno}"
