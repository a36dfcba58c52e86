"""What each feature and each move adds to the score of a labelling."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dovetail import _native
from dovetail.chain.model import ChainModel
from dovetail.chain.weights import weight_table


def contributions(
    model: ChainModel, batch: _native.Batch, labels: Sequence[int]
) -> list[dict[str, float]]:
    """For each token of one sequence: of each feature, by name, and of the move from the label
    before. All together are the score of the labelling."""
    bounds, ids, values = batch.occurrences()
    table = weight_table(model)
    wanted = np.isin(table.feature, np.unique(ids))
    weights = {
        (int(f), int(p), int(y)): float(w)
        for f, p, y, w in zip(*(column[wanted] for column in table), strict=True)
    }
    moves = model.native.transitions()
    out: list[dict[str, float]] = []
    for t, label in enumerate(labels):
        before = labels[t - 1] if t else -1
        found: dict[str, float] = {}
        for k in range(int(bounds[t]), int(bounds[t + 1])):
            feature, value = int(ids[k]), float(values[k])
            weight = weights.get((feature, -1, label), 0.0)
            if t:
                weight += weights.get((feature, before, label), 0.0)
            name = model.names[feature]
            found[name] = found.get(name, 0.0) + value * weight
        if t:
            found[f"after {model.labels[before]}"] = float(moves[before, label])
        out.append(found)
    return out
