"""Pictures of what examples print: scores as bars, spans as labelled text. Plain SVG, in the
colours of the page around it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape

SCORE = re.compile(r"^(.*?)[:,]?\s+(?:mean )?F1(?: of \w+)? (\d\.\d+)", re.MULTILINE)
SPAN = re.compile(r"\b([A-Z]{2,}) +(\d\.\d\d)  (.+)$", re.MULTILINE)
WIDTH, ROW = 420, 30  # px
BAR, CHARACTER = 150, 7.2  # px: length of a score of 1, and width of a letter


def draw(output: str) -> str:
    """A picture of what an example printed, or nothing if there is nothing to draw."""
    scores = [(name.strip(), float(score)) for name, score in SCORE.findall(output)]
    if len(scores) > 1:
        start = CHARACTER * min(max(len(name) for name, _ in scores), 30) + 10
        bars = (_bar(name, score, start, ROW * row) for row, (name, score) in enumerate(scores))
        return _svg(len(scores), bars)
    spans = SPAN.findall(output)
    return _svg(len(spans), (_span(*span, ROW * row) for row, span in enumerate(spans)))


def _svg(rows: int, shapes: Iterable[str]) -> str:
    if not rows:
        return ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {ROW * rows}" role="img" '
        f'font-family="inherit" font-size="13" fill="currentColor">{"".join(shapes)}</svg>'
    )


def _bar(name: str, score: float, start: float, top: float) -> str:
    shown = name if len(name) <= 30 else f"{name[:29]}…"
    return (
        f'<text x="0" y="{top + 20}">{escape(shown)}</text>'
        f'<rect x="{start:.0f}" y="{top + 6}" width="{BAR * score:.0f}" height="18" rx="2" '
        'fill="var(--color-brand-primary, #0b6e8f)"/>'
        f'<text x="{start + BAR * score + 8:.0f}" y="{top + 20}">{score:.2f}</text>'
    )


def _span(label: str, probability: str, words: str, top: float) -> str:
    width = min(CHARACTER * len(words) + 16, WIDTH - 150)
    return (
        f'<rect x="0" y="{top + 3}" width="{width:.0f}" height="24" rx="4" '
        'fill="var(--color-brand-primary, #0b6e8f)" fill-opacity="0.15"/>'
        f'<text x="8" y="{top + 20}">{escape(words)}</text>'
        f'<text x="{width + 10:.0f}" y="{top + 20}" fill="var(--color-brand-primary, #0b6e8f)">'
        f"{escape(label)} {probability}</text>"
    )
