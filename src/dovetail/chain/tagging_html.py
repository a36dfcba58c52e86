"""A tagged sequence as notebooks show it: its spans marked in the text, or else its labels."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.chain.tagging import SpanPrediction, Tagging

MARK = "padding:0.1em 0.3em;border-radius:0.3em;background:hsl({hue},70%,88%);color:#222"
OUTSIDE = "O"


class LabelledSequence(Protocol):
    """Labels with their probabilities, and spans with theirs."""

    @property
    def labels(self) -> list[str]: ...

    @property
    def confidences(self) -> list[float]: ...

    @property
    def spans(self) -> list[SpanPrediction]: ...


def tagging_as_html(tagging: Tagging, words: Sequence[str] | None = None) -> str:
    """The marked words, with the probability of the labelling as a hint."""
    sure = f"probability {tagging.probability:.2f}"
    return f'<div style="line-height:2" title="{sure}">{mark_words(tagging, words)}</div>'


def mark_words(tagging: LabelledSequence, words: Sequence[str] | None = None) -> str:
    """The words, or their numbers, each span or label in a colour of its own with its probability;
    one that is less sure is paler."""
    tokens = [str(n) for n in range(1, len(tagging.labels) + 1)] if words is None else list(words)
    if len(tokens) != len(tagging.labels):
        raise DataError(f"there are {len(tagging.labels)} labels but {len(tokens)} words")
    spans = {span.start: span for span in tagging.spans}
    parts, at = [], 0
    while at < len(tokens):
        if at in spans:
            span = spans[at]
            text = " ".join(tokens[at : span.end])
            parts.append(_marked(text, span.label, span.probability))
            at = span.end
            continue
        label, text = tagging.labels[at], tokens[at]
        outside = bool(spans) or label == OUTSIDE
        parts.append(escape(text) if outside else _marked(text, label, tagging.confidences[at]))
        at += 1
    return " ".join(parts)


def _marked(text: str, label: str, probability: float) -> str:
    style = MARK.format(hue=crc32(label.encode(errors="surrogatepass")) % 360)
    opacity = f"opacity:{0.5 + 0.5 * probability:.2f}"
    return (
        f'<mark style="{style};{opacity}">{escape(text)} '
        f"<b><small>{escape(label)} {probability:.2f}</small></b></mark>"
    )
