"""Raw texts with what each layer found in them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from dovetail.chain.tagged_text import CutTexts, TextSpan
from dovetail.chain.tagging_html import mark_text
from dovetail.corpus.schemes import detect_scheme
from dovetail.pipeline.decode.tagging import PipelineTagging
from dovetail.pipeline.layers.layer import Layer


class LayeredText(NamedTuple):
    """A text, and the spans that each layer found in it, by characters."""

    text: str
    layers: dict[str, list[TextSpan]]

    @property
    def spans(self) -> list[TextSpan]:
        """Those of the last layer."""
        return list(self.layers.values())[-1]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        layers = {name: [span._asdict() for span in found] for name, found in self.layers.items()}
        return {"text": self.text, "layers": layers}

    def to_html(self) -> str:
        """The text with the spans of each layer marked, one below the other."""
        return "".join(
            f"<div><b>{escape(name)}</b>{mark_text(self.text, found)}</div>"
            for name, found in self.layers.items()
        )

    def _repr_html_(self) -> str:
        return self.to_html()


def layered_texts(
    cut: CutTexts, taggings: Sequence[PipelineTagging], layers: Sequence[Layer]
) -> list[LayeredText]:
    """What was found in each text, from what was found in its sequences."""
    found = {
        layer.name: cut.place(
            [tagging.layers[layer.name] for tagging in taggings],
            by_spans=detect_scheme([list(layer.labels)]) != "none",
        )
        for layer in layers
    }
    return [
        LayeredText(text, {name: spans[number] for name, spans in found.items()})
        for number, text in enumerate(cut.texts)
    ]
