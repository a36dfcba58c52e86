"""One system on one case with little text: what is to be done, and a cell of it done."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from dovetail import __version__
from dovetail.compare import Cell, Plan, fingerprint
from dovetail.evaluate import evaluate_spans, span_reliability
from experiments.common.scores import plain_scores
from experiments.little.case import LABEL, SEED, LittleCase
from experiments.little.systems import SYSTEMS

MOST_DRAWS = {"old": 1, "pooled": 3, "auto+words": 3, "spacy": 2}  # the first is the same for all
SIZES_OF = {"spacy": (50, 100, 300)}
# Those that see the old tagger or its text.
FROM_OLD = ("tutorial+old", "old", "pooled", "auto", "auto+text", "auto+words")


def suits(system: str, case: LittleCase) -> bool:
    """Whether a case has what a system needs."""
    if system == "tutorial+old":
        return case.old is not None
    if system == "old":
        return bool(case.same)
    if system in ("pooled", "auto+text"):
        has_text = case.old is not None and case.old.text is not None
        return has_text and (system == "auto+text" or bool(case.same))
    return True


class LittleStudy:
    """A system on draws and sizes of a case. What does not depend on the new text is done once."""

    def __init__(self, case: LittleCase, system: str, n_draws: int, sizes: Sequence[int]) -> None:
        self.case = case
        self.system = system
        self.n_draws = min(n_draws, MOST_DRAWS.get(system, n_draws))
        chosen = SIZES_OF.get(system, tuple(sizes))
        self.sizes = [size for size in sizes if size in chosen and size <= case.largest]
        if system == "old":
            self.sizes = self.sizes[:1]

    @property
    def plan(self) -> Plan:
        """Draws x sizes."""
        return Plan([self.system], self.n_draws, self.sizes)

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        case = self.case
        old = case.old.fingerprint if case.old is not None and self.system in FROM_OLD else ""
        same = repr(sorted(case.same.items())) if self.system in ("old", "pooled") else ""
        own = SYSTEMS[self.system].fingerprint()
        settings = repr((case.n_tested, SEED))
        return fingerprint(__version__, case.name, settings, case.data_fingerprint, old, same, own)

    def shares(self, cell: Cell) -> Hashable:
        """No cell shares a model with another."""
        return cell.split, cell.size

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train and score."""
        case = self.case
        train, test = case.drawn(cell.split, cell.size), case.test
        answer = SYSTEMS[self.system].answer(case, train)
        gold = test.lists(LABEL)
        report = evaluate_spans(gold, answer.labels)
        found: dict[str, Any] = {
            "overall": plain_scores(report.micro),
            "types": {name: plain_scores(counts) for name, counts in report.labels.items()},
            "n_train": len(train),
            "n_test": len(test),
            "training_seconds": round(answer.seconds, 3),
        }
        if answer.spans is not None:
            found["n_spans"] = sum(map(len, answer.spans))
            reliability = span_reliability(gold, answer.spans)
            found["calibration_error"] = reliability.error
            found["calibration_error_by_chance"] = reliability.error_by_chance
        return found
