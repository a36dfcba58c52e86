"""The points of a grid as a picture: a score over one strength, a line for each value of a second
(the kind of Figure 2 of Huang and Yates 2012)."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.compare.plots import OPEN_AXES, mark
from dovetail.compare.tuning import Grid
from dovetail.compare.tuning_results import TuningResult
from dovetail.errors import DataError
from dovetail.io.files import atomic_write
from dovetail.representation.plots import PLOT_METADATA, check_plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = (9.0, 3.6)  # inches
SETTINGS: Any = {
    **OPEN_AXES,
    "svg.hashsalt": "dovetail",  # same plot, same bytes
    "grid.alpha": 0.3,
}

Measure = Callable[[TuningResult], float]


def choose_axes(grid: Grid) -> tuple[str, str | None]:
    """The strengths that a picture shows: that with most values, and the next with several.

    >>> choose_axes({"states": [80], "entropy": [0, 1], "sigma": [1, 10, 100]})
    ('sigma', 'entropy')
    """
    numbers = [name for name in grid if not any(isinstance(v, str) for v in grid[name])]
    several = [name for name in numbers if len(grid[name]) > 1]
    if not several:
        raise DataError("a plot needs a strength with at least two values")
    across, *others = sorted(several, key=lambda name: -len(grid[name]))
    return across, others[0] if others else None


def check_tuning_plot(path: str | os.PathLike[str], grid: Grid) -> None:
    """Make sure that a picture can be drawn, before the work that it is to show."""
    check_plot(path)
    choose_axes(grid)


def draw_tuning_plot(
    path: str | os.PathLike[str], results: Sequence[TuningResult], grid: Grid
) -> None:
    """Write a picture of the likelihood of labels and of F1, or accuracy where labels are plain.

    Of points that differ in a third strength the one with the most likely labels is shown; a
    dashed line is the tagger alone.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    measures: Mapping[str, Measure] = {
        "log-likelihood of labels, nats a token": lambda one: one.likelihood,
        "accuracy" if results[0].f1 is None else "F1": lambda one: 100 * one.score,
    }
    kind = Path(path).suffix[1:]
    written = io.BytesIO()
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=SIZE, layout="constrained")
        panels: Any = figure.subplots(1, len(measures))
        for panel, (title, measure) in zip(panels, measures.items(), strict=True):
            _draw_lines(panel, results, grid, measure)
            panel.set_title(title, fontsize="medium")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside right upper", frameon=False)
        figure.savefig(written, format=kind, dpi=150, metadata=PLOT_METADATA.get(kind))
    with atomic_write(path) as file:
        file.write(written.getvalue())


def _draw_lines(panel: Axes, results: Sequence[TuningResult], grid: Grid, measure: Measure) -> None:
    """A line for each value of the second strength; values of the first stand at equal steps."""
    across, second = choose_axes(grid)
    places: dict[float | str, int] = {
        value: place for place, value in enumerate(sorted(grid[across]))
    }
    for number, value in enumerate(sorted(grid[second]) if second else [None]):
        shown: dict[int, float] = {}
        for one in results:  # the most likely first
            if one.point and (second is None or one.point[second] == value):
                shown.setdefault(places[one.point[across]], measure(one))
        label = across if value is None else f"{second} {value:g}"
        steps = sorted(shown)
        panel.plot(steps, [shown[k] for k in steps], label=label, **mark(number + 1))
    alone = next((one for one in results if one.point is None), None)
    if alone is not None:
        style: Any = {"color": "grey", "linestyle": "--", "linewidth": 1}
        panel.axhline(measure(alone), label="none", **style)
    panel.set_xticks(range(len(places)), [f"{value:g}" for value in places])
    panel.set_xlabel(across)
