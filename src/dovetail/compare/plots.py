"""The plots of a report, each an ``svg`` element; its fonts and colours are those of the page.

Colours are written as ``var(--ink)``, ``var(--grid)`` and ``var(--system-0)`` and so on, so that a
page can give other ones for a dark background.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dovetail.compare.summary import Score, Summary
from dovetail.compare.svg import for_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Apart from one another for any colour vision, on light and on dark ground; the shapes tell systems
# apart without colour.
LIGHT = ("#5f6368", "#0072b2", "#d55e00", "#008a63", "#b4579a", "#a67c00", "#3a9bdc", "#7a3b00")
DARK = ("#a8adb3", "#4aa8e0", "#ff8a3d", "#2fc99c", "#e394c8", "#e0b430", "#8fd0ff", "#d69a66")
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
SIGNS = ("●", "■", "▲", "◆", "▼", "✚", "✖", "⬟")  # the same shapes, for the legend of a page

INK, GRID = "#010203", "#010204"  # stand for the page's colours until the SVG is written
PAGE_COLORS = {INK: "var(--ink)", GRID: "var(--grid)"} | {
    color: f"var(--system-{number})" for number, color in enumerate(LIGHT)
}
WIDTH = 5.6  # inches; small enough for the letters to stay readable on a phone
LONGEST_NAME = 24
OPEN_AXES = {  # no frame, and lines across
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
}
SETTINGS = {
    **OPEN_AXES,
    "svg.fonttype": "none",  # text stays text, in the page's font
    "text.parse_math": False,
    "font.size": 11.5,
    "axes.edgecolor": GRID,
    "axes.labelcolor": INK,
    "text.color": INK,
    "xtick.color": GRID,
    "ytick.color": GRID,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
}


def learning_curve(summary: Summary) -> str:
    """Overall F1 against the training size, with standard deviations; one line a system."""

    def draw(axes: Axes) -> None:
        nudge = 0.012 * (summary.full_size - summary.sizes[0])
        for number, system in enumerate(summary.systems):
            curve = summary.curve(system)
            shift = nudge * (number - (len(summary.systems) - 1) / 2)
            axes.errorbar(
                [score.size + shift for score in curve],
                [100 * score.f1.mean for score in curve],
                yerr=[100 * (score.f1.deviation or 0) for score in curve],
                linewidth=1.6,
                **_with_bars(number),
            )
        ticks = _apart(summary.sizes)
        axes.set_xticks(ticks, [f"{size:,}" for size in ticks])
        axes.set_xlabel(f"training size ({summary.unit})")
        axes.set_ylabel("F1")

    return as_svg("Learning curve: overall F1 of each system by training size", 3.4, draw)


def scores_by_type(summary: Summary) -> str:
    """F1 of each type and overall at full size, with standard deviations."""
    rows = ["overall", *summary.types]
    n = len(summary.systems)

    def draw(axes: Axes) -> None:
        for number, system in enumerate(summary.systems):
            score = summary.score(system, summary.full_size)
            if score is None:
                continue
            spreads = [score.f1, *(score.types.get(name) for name in summary.types)]
            known = [(row, spread) for row, spread in enumerate(spreads) if spread is not None]
            shift = 0.75 * ((number + 0.5) / n - 0.5)
            axes.errorbar(
                [100 * spread.mean for _, spread in known],
                [row + shift for row, _ in known],
                xerr=[100 * (spread.deviation or 0) for _, spread in known],
                linestyle="none",
                **_with_bars(number),
            )
        for border in range(1, len(rows)):
            axes.axhline(border - 0.5, color=GRID, linewidth=1.2 if border == 1 else 0.6)
        _name_rows(axes, rows)

    return as_svg("F1 of each system by type", 0.7 + len(rows) * (0.15 + 0.11 * n), draw)


def scores_by_split(summary: Summary) -> str:
    """Overall F1 on each split at full size; a line joins the scores on the same split."""
    scores = [summary.score(system, summary.full_size) for system in summary.systems]

    def draw(axes: Axes) -> None:
        for split in sorted({split for score in scores if score for split, _ in score.by_split}):
            axes.plot(*zip(*_points(scores, split), strict=True), color=GRID, linewidth=1.1)
        for row, score in enumerate(scores):
            if score is None:
                continue
            values = [100 * f1 for _, f1 in score.by_split]
            axes.plot(values, [row] * len(values), linestyle="none", **mark(row))
            mean = 100 * score.f1.mean
            axes.plot([mean, mean], [row - 0.25, row + 0.25], color=INK, linewidth=2)
        _name_rows(axes, summary.systems)

    return as_svg("Overall F1 of each system on each split", 0.7 + len(scores) * 0.5, draw)


def reliability(summary: Summary) -> str:
    """The share of right spans against their probability, one line a system; on the diagonal,
    probabilities are true."""

    def draw(axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color=GRID, linewidth=1.2)
        for number, system in enumerate(summary.systems):
            found = summary.reliability.get(system)
            if found is not None and found.points():
                probabilities, shares, _ = zip(*found.points(), strict=True)
                axes.plot(probabilities, shares, linewidth=1.6, **mark(number))
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("probability of a span")
        axes.set_ylabel("share that is right")

    return as_svg("Reliability of the probabilities of each system's spans", 3.4, draw)


@dataclass(frozen=True)
class Plot:
    """A plot that every report shows, where ``applies`` says that there is something to see."""

    heading: str
    draw: Callable[[Summary], str]
    applies: Callable[[Summary], bool] = lambda _: True
    note: str = ""
    has_legend: bool = True


PLOTS = (
    Plot(
        "Split by split",
        scores_by_split,
        applies=lambda summary: summary.n_splits > 1,
        note="A line joins the F1 of all systems on the same split; the upright bar is the mean.",
        has_legend=False,
    ),
    Plot("Type by type", scores_by_type),
    Plot(
        "Can probabilities be trusted?",
        reliability,
        applies=lambda summary: bool(summary.reliability),
        note=(
            "Found spans by their probability, all splits together, and how many of them are "
            "right. On the straight line probabilities are true; below it, too high."
        ),
    ),
)


def _apart(sizes: Sequence[int]) -> list[int]:
    """The sizes, from the largest down, that are far enough apart for their numbers to be read."""
    ticks: list[int] = []
    for size in reversed(sizes):
        if not ticks or ticks[-1] - size >= 0.09 * sizes[-1]:
            ticks.append(size)
    return ticks


def _points(scores: Sequence[Score | None], split: int) -> Iterator[tuple[float, int]]:
    for row, score in enumerate(scores):
        for number, f1 in score.by_split if score else ():
            if number == split:
                yield 100 * f1, row


def _name_rows(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), [_short(name) for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", visible=False)
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel("F1")


def _short(name: str) -> str:
    name = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in name
    )
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def style_of_system(number: int) -> tuple[int, int]:
    """Which colour and which shape a system has; no two of the first 64 have both in common.

    >>> style_of_system(0), style_of_system(8)
    ((0, 0), (0, 1))
    """
    again, color = divmod(number, len(LIGHT))
    return color, (color + again) % len(SHAPES)


def mark(number: int) -> dict[str, Any]:
    """How matplotlib draws the marks of a system."""
    color, shape = style_of_system(number)
    look = {"color": LIGHT[color], "marker": SHAPES[shape]}
    return {**look, "markersize": 5.5, "markeredgewidth": 0}


def _with_bars(number: int) -> dict[str, Any]:
    return {**mark(number), "elinewidth": 1.2}


def as_svg(title: str, height: float, draw: Callable[[Axes], None]) -> str:
    """A plot of the width of a page's column, and of so many inches in height."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    settings: Any = {**SETTINGS, "svg.hashsalt": title}  # the salt: same plot, same bytes
    written = io.StringIO()
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph")  # the page's fonts may well have it
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        draw(figure.add_subplot())
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    return for_page(written.getvalue(), title, PAGE_COLORS)
