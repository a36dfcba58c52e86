"""A model's weights, for people to look at and for other models to take over."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.chain.model import ChainModel
from dovetail.errors import DataError

DENSE, LAST_PAIR, LAST_CELL, NONE = 0x80000000, 0x8000, 0x80000000, 0xFFFFFFFF
Ints = npt.NDArray[np.int64]


class WeightTable(NamedTuple):
    """All weights as parallel arrays; feature -1 is a plain transition, previous -1 a weight on a
    label."""

    feature: Ints
    previous: Ints
    label: Ints
    weight: npt.NDArray[np.float32]


def weight_table(model: ChainModel) -> WeightTable:
    """Every weight of a model that is not zero."""
    try:
        table = _read_weights(model)
    except (IndexError, ValueError):
        raise model.damage("its weights do not fit") from None
    n = len(model.labels)
    if (table.label >= n).any() or (table.previous >= n).any():
        raise model.damage("its weights do not fit")
    return table


def _read_weights(model: ChainModel) -> WeightTable:
    n = len(model.labels)
    padded = -(-n // 8) * 8

    def array(name: str, dtype: Any) -> npt.NDArray[Any]:
        return np.frombuffer(model.array(name), dtype)

    row = array("row", np.uint32)
    dense = array("dense", np.float32).reshape(-1, padded)[:, :n]
    dense_features = np.flatnonzero((row & DENSE != 0) & (row != NONE))
    dense_rows = (row[dense_features] & ~np.uint32(DENSE)).astype(np.int64)
    at, labels = np.nonzero(dense[dense_rows])
    parts = [_part(dense_features[at], -1, labels, dense[dense_rows][at, labels])]

    pair_label = array("pair_label", np.uint16)
    owners = _owners(row, DENSE, pair_label.size)
    parts.append(
        _part(owners, -1, pair_label & ~np.uint16(LAST_PAIR), array("pair_weight", np.float32))
    )

    transitions = array("transitions", np.float32).reshape(n, n)
    before, after = np.nonzero(transitions)
    parts.append(_part(-1, before, after, transitions[before, after]))

    cell = array("cell", np.uint32)
    if cell.size:
        plain = (cell & ~np.uint32(LAST_CELL)).astype(np.int64)
        owners = _owners(array("edge_row", np.uint32), 0, cell.size)
        parts.append(
            _part(owners, plain // padded, plain % padded, array("cell_weight", np.float32))
        )
    return WeightTable(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _part(feature: Any, previous: Any, label: Any, weight: Any) -> tuple[npt.NDArray[Any], ...]:
    size = np.shape(weight)
    indices = (np.broadcast_to(np.asarray(x, np.int64), size) for x in (feature, previous, label))
    return (*indices, np.asarray(weight, np.float32))


def _owners(row: npt.NDArray[np.uint32], excluded: int, size: int) -> Ints:
    """Which feature each entry of the lists belongs to, from the features' offsets."""
    features = np.flatnonzero((row != NONE) & (row & np.uint32(excluded) == 0))
    begins = row[features].astype(np.int64)
    owners = np.full(size, -1, np.int64)
    owners[begins] = features
    started = np.maximum.accumulate(np.where(owners >= 0, np.arange(size), -1))
    return owners[started] if size else owners


def largest_weights(model: ChainModel, n: int, label: str | None) -> list[tuple[str, str, float]]:
    """The n largest weights on labels (feature, label, weight), of one label or of all."""
    table = weight_table(model)
    chosen = (table.feature >= 0) & (table.previous < 0)
    if label is not None:
        if label not in model.labels:
            raise DataError(f"the model has no label '{label}' (it has {', '.join(model.labels)})")
        chosen &= table.label == model.labels.index(label)
    kept = np.flatnonzero(chosen)
    order = kept[np.argsort(-table.weight[kept], kind="stable")][:n]
    return [
        (model.names[table.feature[k]], model.labels[table.label[k]], float(table.weight[k]))
        for k in order
    ]
