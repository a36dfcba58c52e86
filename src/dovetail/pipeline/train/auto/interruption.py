"""What is left of an interrupted training by ``auto``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dovetail.pipeline.train.auto.members import Member
from dovetail.pipeline.train.auto.scoring import evaluate_held_out


class KeptMember(NamedTuple):
    """The model that is left, why it was kept, and the scores of all that have some."""

    member: Member
    note: str
    scores: dict[str, float]


def best_member(members: Sequence[Member], threads: int | None) -> KeptMember:
    """The member that does best by cross-validation, or the first where none has got so far.
    Without members the interruption goes on."""
    if not members:
        raise KeyboardInterrupt
    scores = {
        number: evaluate_held_out(member.parts, None, threads).score
        for number, member in enumerate(members)
        if member.parts
    }
    if not scores:
        return KeptMember(members[0], "interrupted; kept the tagger that reads no task below", {})
    best = members[max(scores, key=lambda number: scores[number])]
    listed = ", ".join(f"{members[n].kind} {100 * score:.1f}" for n, score in scores.items())
    note = (
        f"interrupted before models were pooled; cross-validated scores: {listed}; "
        f"kept: {best.kind}"
    )
    return KeptMember(best, note, {members[n].kind: score for n, score in scores.items()})
