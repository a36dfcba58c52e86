"""Learning curves of the cases with little text: a panel for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.compare.plots import LIGHT, OPEN_AXES, SHAPES
from experiments.little.findings import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = ("none", "auto", "tutorial", "old")
N_COLUMNS = 4
BELOW = 0.35  # of the height of the curves; an old tagger that is lower is told by its number
PANEL = (2.7, 2.15)  # inches
INK, GRID = "#33373b", "#d9dcdf"
SETTINGS = {
    **OPEN_AXES,
    "svg.fonttype": "none",
    "svg.hashsalt": "little",  # same plot, same bytes
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.edgecolor": "#9aa0a6",
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
}


def draw(path: Path, rows: Sequence[Row]) -> None:
    """Write the picture, as the ending of its name says."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    cases = list(dict.fromkeys(row.case for row in rows))
    sizes = sorted({row.size for row in rows})
    n_columns = min(N_COLUMNS, len(cases))
    n_lines = -(-len(cases) // n_columns)
    settings: Any = SETTINGS
    with mpl.rc_context(settings):
        shape = (PANEL[0] * n_columns, PANEL[1] * n_lines + 0.5)
        figure = Figure(figsize=shape, layout="constrained", facecolor="white")
        panels: Any = figure.subplots(n_lines, n_columns, squeeze=False, sharex=True)
        for k, axes in enumerate(panels.ravel()):
            if k >= len(cases):
                axes.set_visible(False)
                continue
            _panel(axes, [row for row in rows if row.case == cases[k]], sizes)
            axes.set_title(cases[k])
            if k % n_columns == 0:
                axes.set_ylabel("F1")
            if k + n_columns >= len(cases):
                axes.tick_params(labelbottom=True)
                axes.set_xlabel("labelled sequences")
        handles = {
            label: handle
            for axes in panels.ravel()
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        names = [name for name in LINES if name in handles]
        figure.legend(
            [handles[name] for name in names],
            names,
            loc="outside upper center",
            ncols=len(names),
            frameon=False,
            fontsize=10,
        )
        metadata = {"Date": None} if path.suffix == ".svg" else None
        figure.savefig(path, metadata=metadata)


def _panel(axes: Axes, rows: Sequence[Row], sizes: Sequence[int]) -> None:
    shown: list[float] = []
    for number, system in enumerate(LINES):
        points = [(row.size, 100 * f1) for row in rows if (f1 := row.f1(system)) is not None]
        if not points:
            continue
        look: dict[str, Any] = {"color": LIGHT[number], "label": system, "linewidth": 1.5}
        if system == "old":
            _level(axes, points[0][1], shown, look)
        else:
            axes.plot(*zip(*points, strict=True), marker=SHAPES[number], markersize=4, **look)
            shown += [f1 for _, f1 in points]
    axes.set_xscale("log")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.margins(x=0.06)


def _level(axes: Axes, f1: float, curves: Sequence[float], look: dict[str, Any]) -> None:
    """A line for what no new text changes, unless it would press the curves together."""
    line = {**look, "linestyle": (0, (4, 2))}
    low, high = (min(curves), max(curves)) if curves else (f1, f1)
    if f1 >= low - BELOW * max(high - low, 1):
        axes.axhline(f1, **line)
        return
    axes.plot([], [], **line)  # for the legend
    told = {"color": look["color"], "ha": "right", "va": "bottom", "fontsize": 8}
    axes.text(0.98, 0.03, f"old: {f1:.1f}", transform=axes.transAxes, **told)
