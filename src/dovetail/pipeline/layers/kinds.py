"""The kinds of layers that files hold, and how each is read back.

A layer's ``spec`` names its kind and holds what is needed to restore it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dovetail.errors import DovetailError
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.conversion import as_annotator
from dovetail.pipeline.layers.linear import LinearLayer
from dovetail.pipeline.layers.log_tagger import tagger_from_spec
from dovetail.pipeline.layers.mapped import Mapped
from dovetail.pipeline.layers.mapped_spans import MappedSpans
from dovetail.pipeline.layers.parts import PartsReader, Restore
from dovetail.pipeline.layers.pool import Pool
from dovetail.pipeline.layers.recalibrated import Recalibrated


def _custom_from_spec(spec: Mapping[str, Any], parts: PartsReader) -> LayerAnnotator:
    if parts.given is None:
        raise DovetailError(
            f"the layer '{parts.name}' of {parts.file.source} is an annotator of your own, which "
            f"no file can hold: give it again, load(path, layers={{'{parts.name}': ...}})"
        )
    if list(parts.given.labels_) != spec["labels"]:
        raise DovetailError(
            f"the layer '{parts.name}' has other labels than when {parts.file.source} was written"
        )
    return as_annotator(parts.given)


KINDS: dict[str, Restore] = {
    "tagger": tagger_from_spec,
    "linear": LinearLayer.from_spec,
    "mapped": Mapped.from_spec,
    "mapped spans": MappedSpans.from_spec,
    "pool": Pool.from_spec,
    "recalibrated": Recalibrated.from_spec,
    "own": _custom_from_spec,
}
