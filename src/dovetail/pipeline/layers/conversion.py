"""What users give as a layer, as what a pipeline asks of its layers."""

from __future__ import annotations

from typing import Any

from dovetail.base.annotator import Annotator
from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.custom import CustomLayer
from dovetail.pipeline.layers.linear import LinearLayer, is_linear_tagger
from dovetail.pipeline.layers.tagger import TaggerLayer


def as_annotator(given: Any) -> LayerAnnotator:
    """A tagger, a linear tagger or an annotator with all that a pipeline asks of it."""
    if isinstance(given, LayerAnnotator):
        return given
    if isinstance(given, Tagger):
        return TaggerLayer(given)
    if is_linear_tagger(given):
        return LinearLayer(given)
    if isinstance(given, Annotator):
        return CustomLayer(given)
    raise DataError(f"{given!r} is no layer; give a Tagger, a Pool, Scores or an Annotator")


def taggers_of(given: Any) -> list[Tagger]:
    """All taggers that something is made of that can be a layer."""
    return as_annotator(given).taggers
