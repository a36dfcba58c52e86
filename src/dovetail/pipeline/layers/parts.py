"""The files inside the file of a pipeline: one for each tagger."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.io.model_file import ModelFile

if TYPE_CHECKING:
    from dovetail.pipeline.layers.annotator import LayerAnnotator

Restore = Callable[[Mapping[str, Any], "PartsReader"], "LayerAnnotator"]


@dataclass
class PartsWriter:
    """Collects files as arrays of the one around them."""

    arrays: dict[str, Any] = field(default_factory=dict)

    def add(self, prefix: str, content: bytes) -> str:
        """Take a file, of such a length that what follows it is aligned; gives its key."""
        key = f"{prefix}{len(self.arrays)}"
        self.arrays[key] = np.frombuffer(content + b" " * (-len(content) % 8), np.uint8)
        return key


@dataclass(frozen=True)
class PartsReader:
    """Opens what belongs to one layer.

    ``given`` is what the user gives for it: an annotator that no file can hold, or the feature
    function of a tagger.
    """

    file: ModelFile
    name: str
    given: Any
    threads: int | None
    kinds: Mapping[str, Restore]

    def open(self, spec: Mapping[str, Any]) -> ModelFile:
        """The file that a spec names."""
        where = f"{self.file.source} (its part '{self.name}')"
        return ModelFile(self.file.array(spec["array"]), where, self.file.verify)

    def restore(self, spec: Mapping[str, Any]) -> LayerAnnotator:
        """The annotator that a spec describes."""
        return self.kinds[spec["kind"]](spec, self)
