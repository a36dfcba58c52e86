"""When joint decoding pays, as text, as JSON and as a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from dovetail.compare import Result
from dovetail.compare.formatting import format_difference
from experiments.common.transfer_study import WEIGHED
from experiments.transfer.report import TransferReport

PAIRS = (
    ("soft", "cascade"),
    ("lattice", "cascade"),
    ("lattice", "soft"),
    (WEIGHED, "joint"),
    ("joint", "cascade"),
)


class JointReport(TransferReport):
    """The table of all cases, and what each way of passing labels on is worth over another."""

    def __init__(self, results: Mapping[str, Sequence[Result]], out: Path) -> None:
        super().__init__(results, out, "joint", "Does joint decoding pay?")

    def differences(self) -> list[dict[str, Any]]:
        """Of pairs of systems by domain, strength and size: the mean of the draws, and in how
        many it is above 0."""
        out = []
        for case, results in self.results.items():
            scores: dict[tuple[int, str], dict[int, float]] = {}
            for result in results:
                own = scores.setdefault((result["size"], result["system"]), {})
                own[result["split"]] = result["overall"]["f1"]
            for size in sorted({size for size, _ in scores}):
                for one, other in PAIRS:
                    pairs = [
                        scores[size, one][k] - scores[size, other][k] for k in scores[size, one]
                    ]
                    out.append(
                        {
                            "case": case,
                            "size": size,
                            "of": one,
                            "over": other,
                            "difference": fmean(pairs),
                            "better": sum(d > 0 for d in pairs),
                            "draws": len(pairs),
                        }
                    )
        return out

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values."""
        return {**super().to_dict(), "differences": self.differences()}

    def sentences(self) -> list[str]:
        """Each pair over all cells, in words."""
        out = []
        for one, other in PAIRS:
            own = [d for d in self.differences() if (d["of"], d["over"]) == (one, other)]
            best = max(own, key=lambda d: float(d["difference"]))
            average = format_difference(fmean(d["difference"] for d in own))
            above = sum(d["difference"] > 0 for d in own)
            out.append(
                f"{one} over {other}: {average} in the mean of {len(own)} cells, above 0 in "
                f"{above}; most {format_difference(best['difference'])} ({best['case']}, "
                f"{best['size']}; better in {best['better']} of {best['draws']} draws)"
            )
        return out
