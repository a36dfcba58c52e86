"""Strengths of biases as plots: the grid of Huang and Yates (2012), Figure 2, and the distance of
domains beside accuracy, Figure 4."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dovetail.compare.plots import as_svg, mark
from experiments.domains.findings import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEIGHT = 3.4
STRENGTH = re.compile(r" ([\d.]+)")


def grid(accuracies: Mapping[float, Sequence[tuple[float, float]]]) -> str:
    """Accuracy on development data by sigma, a line for each alpha."""

    def draw(axes: Axes) -> None:
        for number, (alpha, points) in enumerate(accuracies.items()):
            sigmas, scores = zip(*points, strict=True)
            shown = [100 * score for score in scores]
            axes.plot(sigmas, shown, label=f"alpha {alpha:g}", **mark(number))
            axes.set_xscale("log")
            axes.set_xticks(sigmas, [f"{sigma:g}" for sigma in sigmas])
        axes.minorticks_off()
        axes.set_xlabel("sigma")
        axes.set_ylabel("accuracy, news")
        axes.legend(frameon=False)

    return as_svg("Accuracy on development data by sigma and alpha", HEIGHT, draw)


def distances(found: Sequence[Line]) -> str:
    """Accuracy in the target domains by the distance of the use of states, a line for each kind of
    bias, strengths beside its points."""

    families: dict[str, list[tuple[str, Line]]] = {}
    for line in found:
        strength = STRENGTH.search(line.system)
        name = STRENGTH.sub("", line.system)
        families.setdefault(name, []).append((strength[1] if strength else "", line))

    def draw(axes: Axes) -> None:
        for number, (name, members) in enumerate(families.items()):
            places = [(line.properties["distance"] or 0.0, 100 * line.score) for _, line in members]
            axes.plot(*zip(*places, strict=True), label=name, **mark(number))
            for (strength, _), place in zip(members, places, strict=True):
                axes.annotate(
                    strength, place, xytext=(4, 4), textcoords="offset points", fontsize=7
                )
        axes.legend(frameon=False, loc="center left", fontsize=8)
        axes.set_xlabel("distance of news and other genres")
        axes.set_ylabel("accuracy, other genres")

    return as_svg("Accuracy in other genres by the distance of domains", HEIGHT, draw)
