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
TEXT = "line-height:2.5;white-space:pre-wrap;overflow-wrap:anywhere"
BOX = "color:inherit;padding:0.35em 0.5em;margin:0 0.2em;line-height:1;border-radius:0.35em"
TAG = "font-size:0.75em;font-weight:bold;vertical-align:middle;margin-left:0.5em"
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


class MarkedSpan(Protocol):
    """Characters of a text with a label, and how probable it is."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def label(self) -> str: ...

    @property
    def probability(self) -> float: ...


def mark_text(text: str, spans: Sequence[MarkedSpan]) -> str:
    """A text with its spans in the look of displaCy: a coloured box, the label in it; the colour of
    one that is less probable is weaker, so that it can be read on light and dark pages alike."""
    parts, at = [], 0
    for span in spans:
        strength = 0.15 + 0.55 * span.probability
        hue = _hue(span.label)
        parts.append(escape(text[at : span.start]))
        parts.append(
            f'<mark style="{BOX};background:hsla({hue},70%,60%,{strength:.2f})"'
            f' title="probability {span.probability:.3f}">{escape(text[span.start : span.end])}'
            f'<span style="{TAG}">{escape(span.label)} {span.probability:.2f}</span></mark>'
        )
        at = span.end
    parts.append(escape(text[at:]))
    return f'<div style="{TEXT}">{"".join(parts)}</div>'


def _hue(label: str) -> int:
    """A colour that a label always has."""
    return crc32(label.encode(errors="surrogatepass")) % 360


def _marked(text: str, label: str, probability: float) -> str:
    style = MARK.format(hue=_hue(label))
    opacity = f"opacity:{0.5 + 0.5 * probability:.2f}"
    return (
        f'<mark style="{style};{opacity}">{escape(text)} '
        f"<b><small>{escape(label)} {probability:.2f}</small></b></mark>"
    )
