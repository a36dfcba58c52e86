"""Draw docs/images/tagging.svg: an announcement as the demo's model tags it, with confidences.

Run it from anywhere: ``python docs/make_picture.py [OUT]``. It trains on the demo's corpus, tags
lines that the model has not seen, and writes plain SVG.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

from dovetail import Tagger
from dovetail.chain.tagging import Tagging
from dovetail.corpus import Sequence, read_conll, read_text
from dovetail.demo import path

OUT = Path(__file__).parent / "images" / "tagging.svg"
LINES = (34, 37, 39)  # sequences of unlabelled.txt: a subject, a venue and a sentence
INK = {
    "SPEAKER": "#0b6e8f",
    "LOCATION": "#2e7d32",
    "STIME": "#b26a00",
    "ETIME": "#8e3b8e",
    "DATE": "#3153b8",
    "TITLE": "#b3262e",
}
WIDTH, MARGIN, TOP = 840, 32, 74
SIZE, ADVANCE, STEP = 16, 9.6, 58  # letters of 16 px, 9.6 px wide; lines 58 px apart
LETTERS = int((WIDTH - 2 * MARGIN) / ADVANCE)
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Piece(NamedTuple):
    """Part of a row of letters that lies in one span, or in none."""

    start: int
    text: str
    label: str | None
    probability: float
    opens: bool


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else OUT
    tagger = Tagger(c2=0.1, constraints="auto").fit(read_conll(path("train.conll")))
    chosen = read_text(path("unlabelled.txt")).select(LINES)
    rows = [
        row
        for sequence, tagging in zip(chosen, tagger.tag(chosen), strict=True)
        for row in rows_of(sequence, tagging)
    ]
    out.write_text(svg(rows), encoding="utf-8")


def rows_of(sequence: Sequence, tagging: Tagging) -> Iterator[list[Piece]]:
    """The text of a sequence, broken into rows, each cut at the ends of its spans."""
    text, offsets = sequence.text or "", sequence.offsets
    assert offsets is not None  # plain text always has them
    marks = [
        (int(offsets[span.start][0]), int(offsets[span.end - 1][1]), span.label, span.probability)
        for span in tagging.spans
    ]
    begin = 0
    for row in textwrap.wrap(text, LETTERS, drop_whitespace=False):
        end = begin + len(row)
        edges = {begin, end}
        edges |= {edge for mark in marks for edge in mark[:2] if begin < edge < end}
        pieces = []
        for a, b in pairwise(sorted(edges)):
            mark = next((m for m in marks if m[0] <= a and b <= m[1]), None)
            label, probability = mark[2:] if mark else (None, 0.0)
            opens = mark is not None and mark[0] == a
            pieces.append(Piece(a - begin, text[a:b], label, probability, opens))
        yield pieces
        begin = end


def svg(rows: list[list[Piece]]) -> str:
    height = TOP + STEP * len(rows) - 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" font-family="{FONT}">',
        "<title>An announcement with the spans that a tagger found, and how sure it is</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#ffffff" stroke="#d0d7de"/>',
        f'<text x="{MARGIN}" y="36" font-size="13" fill="#57606a">'
        "New text, as a model tags it. Each number is the probability of exactly that span.</text>",
    ]
    for number, row in enumerate(rows):
        for piece in row:
            parts += drawn(piece, TOP + STEP * number)
    return "\n".join([*parts, "</svg>\n"])


def drawn(piece: Piece, y: float) -> Iterator[str]:
    """The letters of a piece, on the colour of its span, over the span's label and a meter."""
    blank = len(piece.text) - len(piece.text.lstrip())
    shown = piece.text.strip()
    if not shown:
        return
    x, width = MARGIN + ADVANCE * (piece.start + blank), ADVANCE * len(shown)
    ink = INK.get(piece.label or "", "#24292f")
    if piece.label:
        left, full = x - 3, width + 6
        yield (
            f'<rect x="{left:.1f}" y="{y - 16}" width="{full:.1f}" height="23" rx="4" '
            f'fill="{ink}" fill-opacity="0.13"/>'
        )
        yield (
            f'<rect x="{left:.1f}" y="{y + 9}" width="{full:.1f}" height="3" rx="1.5" '
            f'fill="{ink}" fill-opacity="0.18"/>'
        )
        yield (
            f'<rect x="{left:.1f}" y="{y + 9}" width="{full * piece.probability:.1f}" height="3" '
            f'rx="1.5" fill="{ink}"/>'
        )
    # Word by word at fixed places, so that another font than the one hoped for does little harm.
    words = "".join(
        f'<tspan x="{x + ADVANCE * word.start():.1f}" textLength="{ADVANCE * len(word[0]):.1f}" '
        f'lengthAdjust="spacingAndGlyphs">{escape(word[0])}</tspan>'
        for word in re.finditer(r"\S+", shown)
    )
    yield f'<text y="{y}" font-size="{SIZE}" fill="{ink}">{words}</text>'
    if piece.label and piece.opens:
        yield (
            f'<text x="{x - 3:.1f}" y="{y + 25}" font-size="11" font-weight="bold" fill="{ink}">'
            f"{piece.label} {piece.probability:.2f}</text>"
        )


if __name__ == "__main__":
    main()
