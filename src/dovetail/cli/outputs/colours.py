"""Tagged sequences as text in colours, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from colorsys import hls_to_rgb
from typing import TextIO
from zlib import crc32

from rich.color import Color
from rich.console import Console
from rich.style import Style
from rich.text import Text

from dovetail.cli.outputs import OutputFormat
from dovetail.cli.outputs.results import LayeredResult, Result, SpanShown, last_layers
from dovetail.cli.outputs.text import text_of
from dovetail.cli.terminal import printable
from dovetail.corpus import Corpus
from dovetail.corpus.offsets import Offsets

OUTSIDE = "O"


def write_coloured(corpus: Corpus, results: Sequence[Result], file: TextIO) -> None:
    """Text in which each span, or each label but for O, has a background: its colour tells the
    label, its strength the probability. A blank line divides documents."""
    console = Console(file=file, force_terminal=True, highlight=False)
    bounds = [] if corpus.document_bounds is None else corpus.document_bounds.tolist()
    for sequence, result in zip(corpus, results, strict=True):
        if sequence.index in bounds[1:]:
            console.print()
        console.print(colour_text(*text_of(sequence), result), soft_wrap=True)


def write_layered_coloured(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """The same of the last layer."""
    write_coloured(corpus, last_layers(results), file)


COLOURS = OutputFormat(
    write=write_coloured,
    write_layered=write_layered_coloured,
    suffix="",
    spans="always",
    is_text=True,
    confidences=True,
)


def colour_text(text: str, offsets: Offsets, result: Result) -> Text:
    """One text with its spans, or its labels, in colours."""
    out, at = Text(), 0
    for first, after, label, probability in _pieces(result):
        start, end = offsets[first][0], offsets[after - 1][1]
        sure = 1.0 if probability is None else probability
        style = label_style(label, sure)
        out.append(printable(text[at:start]))
        out.append(printable(text[start:end]), style)
        share = "" if probability is None else f" {probability:.2f}"
        out.append(f" {printable(label)}{share}", style + Style(bold=True))
        at = end
    out.append(printable(text[at:]))
    return out


def label_style(label: str, probability: float) -> Style:
    """Black on a colour that a label always has; it is greyer where the label is less probable."""
    hue = crc32(label.encode(errors="surrogatepass")) % 360 / 360
    red, green, blue = hls_to_rgb(hue, 0.85 - 0.15 * probability, 0.1 + 0.75 * probability)
    background = Color.from_rgb(255 * red, 255 * green, 255 * blue)
    return Style(color=Color.from_rgb(0, 0, 0), bgcolor=background)


def _pieces(result: Result) -> Sequence[SpanShown]:
    if result.spans is not None:
        return result.spans
    return [
        (t, t + 1, label, None if result.confidences is None else result.confidences[t])
        for t, label in enumerate(result.labels)
        if label != OUTSIDE
    ]
