"""Whether gains add up, as text, as JSON and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from dovetail.compare import Result
from dovetail.compare.formatting import format_difference
from experiments.together.experiment import ALL, PARTS, WITHOUT
from experiments.transfer.report import Line, TransferReport


class TogetherReport(TransferReport):
    """The table of all cases, and whether all three are as good as the best two."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        super().__init__(results, out, "together", "Do gains add up?")

    def over_best_two(self, line: Line) -> float:
        """What all three are worth over the best two of a case at a size."""
        two = max(line.differences[WITHOUT + part] for part in PARTS)
        return line.differences[ALL] - two

    def worth(self, part: str) -> float:
        """What a part adds to the other two, in the mean of the cases."""
        own = (line.differences for line in self.lines)
        return mean(found[ALL] - found[WITHOUT + part] for found in own)

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        best = {f"{line.case}, {line.size}": self.over_best_two(line) for line in self.lines}
        worth = {part: self.worth(part) for part in PARTS}
        return {**super().to_dict(), "over_best_two": best, "worth": worth}

    def sentences(self) -> list[str]:
        """What each part adds to the others, and all three to the best two."""
        out = [
            f"{part} adds {format_difference(self.worth(part))} to the other two, in the mean of "
            f"{len(self.lines)} cells"
            for part in PARTS
        ]
        means = {p: mean(line.differences[WITHOUT + p] for line in self.lines) for p in PARTS}
        out_of_all = max(means, key=lambda part: means[part])
        own = [self.over_best_two(line) for line in self.lines]
        out.append(
            f"all three over the best two in the mean (without {out_of_all}): "
            f"{format_difference(self.worth(out_of_all))}; over the best two of each cell: "
            f"{format_difference(mean(own))}, not below them in {sum(d >= 0 for d in own)} of "
            f"{len(own)}"
        )
        return out
