"""Made-up results of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail.compare.plan import Plan, Result


def made_up(
    systems: Sequence[str] = ("none", "cascade", "joint"),
    n_splits: int = 4,
    sizes: Sequence[int] = (50, 100),
    types: Sequence[str] = ("LOC", "PER"),
) -> list[Result]:
    """Random scores that rise with the size and from system to system."""
    rng = np.random.default_rng(0)
    results = []
    for cell in Plan(systems, n_splits, sizes).cells:
        level = 0.5 + 0.002 * cell.size + 0.02 * systems.index(cell.system)
        overall, *by_type = rng.normal(level, 0.02, (1 + len(types), 3)).tolist()
        results.append(
            {
                "system": cell.system,
                "split": cell.split,
                "size": cell.size,
                "overall": _named(overall),
                "types": {
                    name: _named(scores) for name, scores in zip(types, by_type, strict=True)
                },
                "n_train": cell.size,
                "n_test": 100,
                "seconds": 2.0,
            }
        )
    return results


def _named(scores: list[float]) -> dict[str, float]:
    return dict(zip(("precision", "recall", "f1"), scores, strict=True))
