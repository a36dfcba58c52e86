"""What is left of an interrupted training by ``auto``."""

from __future__ import annotations

from collections.abc import Sequence

from dovetail.pipeline.train.auto.members import Member
from dovetail.pipeline.train.auto.scoring import evaluate_held_out


def best_member(members: Sequence[Member], threads: int | None) -> tuple[Member, str]:
    """The member that does best by cross-validation, or the first where none has got so far, and a
    note on it. Without members the interruption goes on."""
    if not members:
        raise KeyboardInterrupt
    scores = {
        number: evaluate_held_out(member.parts, None, threads).score
        for number, member in enumerate(members)
        if member.parts
    }
    if not scores:
        return members[0], "interrupted; kept the tagger that reads no task below"
    best = max(scores, key=lambda number: scores[number])
    listed = ", ".join(f"{members[n].kind} {100 * score:.1f}" for n, score in scores.items())
    return members[best], (
        f"interrupted before models were pooled; cross-validated scores: {listed}; kept: "
        f"{members[best].kind}"
    )
