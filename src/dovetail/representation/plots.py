"""How a training went, and which states each domain uses, as a picture."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.base.representation import Representation
from dovetail.corpus import Corpus, SoftColumn
from dovetail.errors import DataError, DovetailError
from dovetail.io.files import atomic_write
from dovetail.representation.text import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".png", ".svg", ".pdf")
PLOT_METADATA: dict[str, Any] = {  # who made it, but not when: same plot, same bytes
    "png": {"Software": "Dovetail"},
    "svg": {"Creator": "Dovetail", "Date": None},
    "pdf": {"Creator": "Dovetail", "CreationDate": None},
}
AT_ONCE = 50_000  # tokens
TITLES = {
    "likelihood": "log-likelihood, nats a token",
    "entropy": "H(label | state), nats",
    "distance": "distance of source and target",
    "predict": "share of earlier layers told",
}

Curves = Mapping[str, Mapping[str, Sequence[float]]]
Use = Mapping[str, Sequence[Floats]]


def check_plot(path: str | os.PathLike[str]) -> None:
    """Make sure that a picture can be drawn, before the work that it is to show."""
    if Path(path).suffix not in FORMATS:
        raise DataError(f"a plot ends in {', '.join(FORMATS)}, not as {os.fspath(path)} does")
    if find_spec("matplotlib") is None:
        raise DovetailError("a plot needs matplotlib: pip install 'dovetail[report]'")


def use_of_states(representation: Representation, corpora: Sequence[Corpus]) -> Use:
    """For each column, how often its levels are used in each corpus: shares that sum to 1."""
    sums = {
        name: [np.zeros(len(representation.labels_)) for _ in corpora]
        for name in representation.names_
    }
    for number, corpus in enumerate(corpora):
        places = np.searchsorted(corpus.bounds, np.arange(0, corpus.n_tokens, AT_ONCE))
        for first, last in pairwise(np.unique([*places, len(corpus)]).tolist()):
            for name, column in representation.columns(corpus[first:last]).items():
                if isinstance(column, SoftColumn):
                    sums[name][number] += column.weights.sum(axis=0)
                else:
                    codes = column.codes[column.codes >= 0]
                    sums[name][number] += np.bincount(codes, minlength=len(column.levels))
    return {name: [one / max(one.sum(), 1e-300) for one in own] for name, own in sums.items()}


def draw(path: str | os.PathLike[str], curves: Curves, use: Use) -> None:
    """Write a picture: a panel for each curve, by rounds, with a line for each column; and, where
    two domains are given, one of how often states are used in each."""
    from matplotlib.figure import Figure

    names = [name for name in TITLES if any(name in own for own in curves.values())]
    compared = all(len(shares) == 2 for shares in use.values())
    n = len(names) + compared
    figure = Figure(figsize=(4.0 * min(n, 3), 3.2 * ((n + 2) // 3)), layout="constrained")
    panels: Any = figure.subplots((n + 2) // 3, min(n, 3), squeeze=False).ravel()
    for axes, name in zip(panels, names, strict=False):
        for color, (column, own) in enumerate(curves.items()):
            if name in own:
                values = own[name]
                axes.plot(range(1, len(values) + 1), values, label=column, color=f"C{color}")
        axes.set(title=TITLES[name], xlabel="round")
        axes.grid(alpha=0.3)
    if compared:
        _draw_use(panels[n - 1], use)
    for axes in panels[n:]:
        axes.set_axis_off()
    if len(curves) > 1:
        panels[0].legend(fontsize="small")
    written = io.BytesIO()
    kind = Path(path).suffix[1:]
    figure.savefig(written, format=kind, dpi=150, metadata=PLOT_METADATA.get(kind))
    with atomic_write(path) as file:
        file.write(written.getvalue())


def _draw_use(axes: Axes, use: Use) -> None:
    largest = max(float(share.max()) for shares in use.values() for share in shares)
    axes.plot([0, largest], [0, largest], color="grey", linewidth=0.8)
    for column, (source, target) in use.items():
        axes.scatter(source, target, s=12, alpha=0.7, label=column)
    axes.set(title="use of states", xlabel="share in the source", ylabel="share in the target")
    axes.grid(alpha=0.3)
