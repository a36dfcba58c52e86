"""Draw the pictures of docs/design.md: the way of a sentence, and the way of a training.

Each box is a file and what it does; what is handed on stands beside the arrow. Run it from
anywhere: ``python docs/make_diagrams.py [FOLDER]``. It needs nothing but Python.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

FOLDER = Path(__file__).parent / "images"
INK = {
    "corpus": "#57606a",
    "features": "#2e7d32",
    "chain": "#b26a00",
    "base": "#8a5a44",
    "grid": "#b3262e",
    "pipeline": "#0b6e8f",
    "native": "#6f42c1",
    "io": "#3153b8",
}
MARGIN, TITLE = 24, 56
BOX, HEIGHT, STEP, GUTTER = 396, 54, 88, 48  # px: width and height of a box, rows and columns apart
WIDTH = 2 * MARGIN + 2 * BOX + GUTTER
MONO = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"


class Hop(NamedTuple):
    """A file below src/dovetail or native, what it does, and what it hands on; from some the way
    leads back, so many boxes, as often as it takes."""

    file: str
    does: str
    gives: str = ""
    back: int = 0


SENTENCE = [
    Hop("corpus/tokenizer.py", "cuts raw text into tokens", "tokens and their places"),
    Hop("corpus/text.py", "lines, paragraphs or documents as sequences", "a Corpus: columns"),
    Hop("pipeline/labelling.py", "Pipeline.tag: which layers, which decoding", "the Corpus"),
    Hop("pipeline/decode/inputs.py", "parts that are decoded at a time", "smaller corpora"),
    Hop("pipeline/representations.py", "adds classes, states, vectors of words", "more columns"),
    Hop("pipeline/decode/joint.py", "asks each layer; labels below are latent", "latent columns"),
    Hop("pipeline/layers/tagger.py", "a tagger as a layer", "its model and template"),
    Hop("features/latent.py", "rows that read latent columns, and the others", "templates"),
    Hop("native/features/extract.hpp", "features of tokens, by their keys", "features"),
    Hop("native/chain/latent.hpp", "weights, for each label that may stand below", "potentials"),
    Hop("grid/grid.py", "chains with factors between them: how to infer", "arrays of scores"),
    Hop("native/grid/messages.hpp", "eliminates the labels of layer after layer", "messages"),
    Hop("native/grid/viterbi.hpp", "the best labels of all layers together", "labels"),
    Hop("pipeline/decode/tagging.py", "spans of each layer, and how probable they are"),
]
TRAINING = [
    Hop("pipeline/train/fit.py", "which layers learn which column of which text", "tasks"),
    Hop("pipeline/train/layerwise.py", "layer by layer, each reads those below", "columns"),
    Hop("pipeline/train/cross_fitting.py", "no layer labels its own training text", "a Corpus"),
    Hop("chain/tagger.py", "Tagger.fit: parameters, and where results go", "the Corpus"),
    Hop("features/resolution.py", "what features= means, as a template", "a Template"),
    Hop("native/features/extract_dataset.hpp", "features of all tokens, numbered", "indexed data"),
    Hop("chain/train/fitting.py", "checks, priors, constraints, what is kept", "settings"),
    Hop("native/chain/problem.hpp", "weights for what occurs; the loss of a sequence", "a problem"),
    Hop("chain/train/methods.py", "which method, and what it can do", "the first weights"),
    Hop("native/chain/recursion.hpp", "forward and backward over one sequence", "expectations"),
    Hop("native/optimize/objective.hpp", "sums over all sequences, on all threads", "a gradient"),
    Hop("chain/train/lbfgs.py", "the next weights; also dual, sgd, perceptron", "weights", back=2),
    Hop("base/training.py", "progress, held-out text, checkpoints, the end", "the best weights"),
    Hop("io/model_file.py", "arrays with checksums, written whole or not at all"),
]
PICTURES = {
    "sentence.svg": ("The way of a sentence, from raw text to joint labels", SENTENCE),
    "training.svg": ("The way of a training, from labelled text to a model file", TRAINING),
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    for name, (title, hops) in PICTURES.items():
        (folder / name).write_text(svg(title, hops), encoding="utf-8")


def svg(title: str, hops: Sequence[Hop]) -> str:
    """Boxes in two columns, the first half of the way on the left."""
    rows = (len(hops) + 1) // 2
    height = TITLE + STEP * rows - (STEP - HEIGHT) + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" font-family="{SANS}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#ffffff" stroke="#d0d7de"/>',
        f'<text x="{MARGIN}" y="34" font-size="15" font-weight="bold" fill="#24292f">'
        f"{escape(title)}</text>",
    ]
    for number, hop in enumerate(hops):
        column, row = divmod(number, rows)
        x, y = MARGIN + column * (BOX + GUTTER), TITLE + STEP * row
        parts += box(hop, x, y)
        if hop.back:
            parts += loop(hop, x, y)
        if number + 1 == rows:
            parts += turn(hop, x, y)
        elif hop.gives:
            parts += arrow(hop, x, y)
    return "\n".join([*parts, "</svg>\n"])


def box(hop: Hop, x: int, y: int) -> Iterator[str]:
    """The file and what it does, in the colour of its package."""
    ink = INK[hop.file.partition("/")[0]]
    yield (
        f'<rect x="{x}" y="{y}" width="{BOX}" height="{HEIGHT}" rx="6" fill="{ink}" '
        f'fill-opacity="0.09" stroke="{ink}"/>'
    )
    yield (
        f'<text x="{x + 14}" y="{y + 22}" font-size="13.5" font-weight="bold" fill="{ink}" '
        f'font-family="{MONO}">{escape(hop.file)}</text>'
    )
    yield (
        f'<text x="{x + 14}" y="{y + 42}" font-size="13" fill="#24292f">{escape(hop.does)}</text>'
    )


def arrow(hop: Hop, x: int, y: int) -> Iterator[str]:
    """Down to the next box, with what is handed on."""
    middle, top, end = x + 40, y + HEIGHT, y + STEP
    yield line(f"M{middle} {top}V{end - 7}")
    yield head(middle, end, "down")
    yield (
        f'<text x="{middle + 14}" y="{(top + end) / 2 + 4:g}" font-size="12" font-style="italic" '
        f'fill="#57606a">{escape(hop.gives)}</text>'
    )


def turn(hop: Hop, x: int, y: int) -> Iterator[str]:
    """From the end of the left column to the top of the right one."""
    between, top = x + BOX + GUTTER // 2, TITLE + HEIGHT // 2
    yield line(f"M{x + BOX} {y + HEIGHT // 2}H{between}V{top}H{x + BOX + GUTTER - 7}")
    yield head(x + BOX + GUTTER, top, "right")
    middle = (TITLE + y + HEIGHT) / 2
    yield (
        f'<text transform="translate({between - 7} {middle:g}) rotate(-90)" text-anchor="middle" '
        f'font-size="12" font-style="italic" fill="#57606a">{escape(hop.gives)}</text>'
    )


def loop(hop: Hop, x: int, y: int) -> Iterator[str]:
    """Back to an earlier box, along the right edge."""
    right, middle = x + BOX, y + HEIGHT // 2
    target = middle - STEP * hop.back
    yield line(f"M{right} {middle}H{right + 13}V{target}H{right + 7}")
    yield head(right, target, "left")


def line(path: str) -> str:
    return f'<path d="{path}" fill="none" stroke="#8c959f" stroke-width="1.5"/>'


def head(x: int, y: int, way: str) -> str:
    across = -8 if way == "right" else 8
    points = f"{x},{y} {x + across},{y - 5} {x + across},{y + 5}"
    if way == "down":
        points = f"{x},{y} {x - 5},{y - 8} {x + 5},{y - 8}"
    return f'<polygon points="{points}" fill="#8c959f"/>'


if __name__ == "__main__":
    main()
