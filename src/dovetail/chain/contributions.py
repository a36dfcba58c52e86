"""What each feature and each transition adds to the score of a labelling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.model import ChainModel
from dovetail.chain.weights import weight_table

Codes = npt.NDArray[np.int32]
Tokens = npt.NDArray[np.int64]


def contributions(
    model: ChainModel, batch: _native.Batch, labels: Codes, tokens: Tokens
) -> Iterator[tuple[int, dict[str, float]]]:
    """For some tokens of one sequence: what each feature, by name, and the transition from the
    label before contribute. All tokens together add up to the score of the labelling."""
    bounds, ids, values = batch.occurrences()
    table = weight_table(model)
    seen = [ids[int(bounds[t]) : int(bounds[t + 1])] for t in tokens]
    wanted = np.isin(table.feature, np.concatenate([np.empty(0, ids.dtype), *seen]))
    weights = {
        (int(f), int(p), int(y)): float(w)
        for f, p, y, w in zip(*(column[wanted] for column in table), strict=True)
    }
    transitions = model.native.transitions()
    for t in tokens.tolist():
        label, before = int(labels[t]), int(labels[t - 1]) if t else -1
        found: dict[str, float] = {}
        for k in range(int(bounds[t]), int(bounds[t + 1])):
            feature, value = int(ids[k]), float(values[k])
            weight = weights.get((feature, -1, label), 0.0)
            if t:
                weight += weights.get((feature, before, label), 0.0)
            name = model.names[feature]
            found[name] = found.get(name, 0.0) + value * weight
        if t:
            found[f"after {model.labels[before]}"] = float(transitions[before, label])
        yield t, found


def differ_at(one: _native.Batch, other: _native.Batch) -> npt.NDArray[np.bool_]:
    """Mask of the tokens at which two encodings of a text have different features."""
    bounds, values = zip(*(_by_token(batch) for batch in (one, other)), strict=True)
    lengths = [np.diff(each) for each in bounds]
    out: npt.NDArray[np.bool_] = lengths[0] != lengths[1]
    first, second = (
        each[np.repeat(~out, length)] for each, length in zip(values, lengths, strict=True)
    )
    owners = np.repeat(np.arange(len(out)), np.where(out, 0, lengths[0]))
    out[owners[(first != second).any(axis=1)]] = True
    return out


def _by_token(batch: _native.Batch) -> tuple[Tokens, npt.NDArray[Any]]:
    bounds, ids, values = batch.occurrences()
    return bounds.astype(np.int64), np.column_stack([ids.astype(np.float64), values])
