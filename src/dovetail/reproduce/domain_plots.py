"""Strengths of biases as plots: the grid of Huang and Yates (2012), Figure 2, and the distance of
domains beside accuracy, Figure 4."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.compare.plots import INK, as_svg, mark
from dovetail.reproduce.domain_findings import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.4


def grid(accuracies: Mapping[float, Sequence[tuple[float, float]]]) -> str:
    """Accuracy on development data by sigma, a line for each alpha."""

    def draw(axes: Axes) -> None:
        for number, (alpha, points) in enumerate(accuracies.items()):
            sigmas, scores = zip(*points, strict=True)
            shown = [100 * score for score in scores]
            axes.plot(sigmas, shown, label=f"alpha {alpha:g}", **mark(number))
        axes.set_xscale("log")
        axes.set_xlabel("sigma")
        axes.set_ylabel("accuracy, news")
        axes.legend(frameon=False)

    return as_svg("Accuracy on development data by sigma and alpha", HEIGHT, draw)


def distances(found: Sequence[Line]) -> str:
    """Accuracy in the target domains by the distance of the use of states."""

    def draw(axes: Axes) -> None:
        for number, line in enumerate(found):
            far, score = line.properties["distance"], 100 * line.score
            assert far is not None
            axes.plot([far], [score], linestyle="none", **mark(number))
            axes.annotate(
                line.system,
                (far, score),
                xytext=(5, 3),
                textcoords="offset points",
                fontsize=8,
                color=INK,
            )
        axes.set_xlabel("distance of news and other genres")
        axes.set_ylabel("accuracy, other genres")

    return as_svg("Accuracy in other genres by the distance of domains", HEIGHT, draw)
