"""Decisions that joint decoding changes, as against the cascade, for reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail.corpus import Corpus
from dovetail.pipeline.pipeline import Pipeline

EXAMPLES = 12  # changed sequences that a report shows at most


def joint_changes(
    pipeline: Pipeline, test: Corpus, joint: Sequence[Sequence[str]], task: str, label: str
) -> list[dict[str, Any]]:
    """Sequences that joint decoding labels otherwise than the cascade, with the main reason."""
    cascade = pipeline.predict(test, decode="cascade")[task]
    out = []
    for s, (before, after) in enumerate(zip(cascade, joint, strict=True)):
        if list(before) == list(after):
            continue
        found = pipeline.explain(test[s], top=1)
        reason = found.reasons[0] if found.reasons else None
        out.append(
            {
                "tokens": [str(word) for word in test.lists(test.names[0])[s]],
                "layer": task,
                "systems": ["cascade", "joint"],
                "before": list(before),
                "after": list(after),
                "truth": [str(y) for y in test.lists(label)[s]],
                "reason": "" if reason is None else f"{reason.layer}: {reason.source}",
            }
        )
        if len(out) == EXAMPLES:
            break
    return out
