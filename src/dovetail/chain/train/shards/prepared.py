"""Parts ready to be evaluated: where the weights of each token's features stand, and of what
weights of the whole a part's own are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.train.shards.agreement import map_labels
from dovetail.chain.train.shards.index import open_index
from dovetail.errors import DataError, ModelFileError, TrainingError
from dovetail.io.array_file import read_arrays, write_arrays
from dovetail.io.open_parts import OpenParts

PART = "prepared part of a corpus"
TABLE = "table of features"

Array = npt.NDArray[Any]
Precision = str


class Reach(NamedTuple):
    """What no entry of the gradient of a text, and of its curvature, exceeds."""

    gradient: float
    curvature: float


class Order(NamedTuple):
    """Where the indexed parts are, where the table and the prepared parts."""

    indexed: str
    folder: str


def table_path(folder: str) -> Path:
    return Path(folder) / "table.shard"


def part_path(folder: str, number: int) -> Path:
    return Path(folder) / f"ready-{number:05d}.shard"


def prepare_part(number: int, order: Order) -> Reach:
    """Lay out the weights of a part as the table asks for, unless that has been done; how far they
    reach."""
    path = part_path(order.folder, number)
    if path.exists():
        reach = read_arrays(path, PART, verify=False).facts["reach"]
    else:
        table, facts = read_arrays(table_path(order.folder), TABLE, verify=False)
        own, own_facts = open_index(order.indexed, number, verify=True)
        data, feature = known_features(own, own_facts, table, facts)
        _native.set_whole(data, _of_features(table, feature), **facts["whole"])
        roles, scale = table["role"], table["scale"]
        try:
            problem = _native.Problem(
                data,
                facts["min_count"],
                facts["all_pairs"],
                facts["all_transitions"],
                roles[feature] if roles.size else roles,
                scale[feature] if scale.size else scale,
                *(table[name] for name in ("legal", "may_start", "may_end", "margin")),
            )
        except _native.ImpossibleSequence as error:
            raise TrainingError(f"part {number}: {error}") from None
        arrays: dict[str, Any] = dict(_native.problem_arrays(problem))
        place = _places(problem, feature, table["first"])
        reach = _reach(own, scale)
        own_facts = {"part_labels": facts["part_labels"], "reach": reach}
        write_arrays(path, PART, {**arrays, "place": place}, own_facts)
    return Reach(*reach)


def _reach(own: Mapping[str, Array], scale: Array) -> Reach:
    """Residuals are at most 1, so a sum of values bounds every sum over the occurrences of one
    feature; a transition is expected at most once a token."""
    values, weights = own["data_values"], own["data_weights"]
    widest = max(1.0, float(scale.max(initial=0.0)))
    heaviest = max(1.0, float(weights.max(initial=0.0)))
    occurrences = len(own["data_ids"])
    total = float(np.abs(values).sum(dtype=np.float64)) if values.size else occurrences
    squares = float(np.square(values, dtype=np.float64).sum()) if values.size else occurrences
    tokens = len(own["data_gold"])
    return Reach(heaviest * (widest * total + tokens), heaviest * (widest**2 * squares + tokens))


def known_features(
    own: Mapping[str, Array], own_facts: Mapping[str, Any], table: Mapping[str, Array], facts: Any
) -> tuple[_native.Dataset, npt.NDArray[np.int64]]:
    """A part's data with the features and labels of the table; which feature of it each is."""
    arrays = {name[5:]: array for name, array in own.items() if name.startswith("data_")}
    feature = np.full(len(own["keys"]), -1, np.int64)
    place = np.searchsorted(table["keys"], own["keys"])
    found = place < len(table["keys"])
    found[found] = table["keys"][place[found]] == own["keys"][found]
    feature[own["order"][found]] = place[found]
    kept = feature >= 0
    if not kept.all():
        arrays |= _without(arrays, kept)
    labels = map_labels(own_facts["part_labels"], facts["part_labels"])
    for name in ("gold", "allowed"):
        codes = arrays[name].copy()
        codes[codes >= 0] = labels[codes[codes >= 0]]
        arrays[name] = codes
    arrays["set_label"] = labels[arrays["set_label"]].astype(np.uint16)
    return _native.dataset_from_arrays(arrays, facts["part_labels"]), feature[kept]


def _without(arrays: Mapping[str, Array], kept: npt.NDArray[np.bool_]) -> dict[str, Array]:
    """A data set without the features that are not kept."""
    number = np.cumsum(kept, dtype=np.uint32) - np.uint32(1)
    stays = kept[arrays["ids"]]
    before = np.concatenate([[0], np.cumsum(stays, dtype=np.uint64)]).astype(np.uint64)
    offsets = arrays["name_offsets"].astype(np.int64)
    lengths = np.diff(offsets)
    return {
        "ids": number[arrays["ids"][stays]],
        "values": arrays["values"][stays] if arrays["values"].size else arrays["values"],
        "tokens": before[arrays["tokens"]],
        "keys": arrays["keys"][kept],
        "names": arrays["names"][np.repeat(kept, lengths)],
        "name_offsets": np.concatenate([[0], np.cumsum(lengths[kept])]).astype(np.uint64),
    }


def _of_features(table: Mapping[str, Array], feature: npt.NDArray[np.int64]) -> dict[str, Array]:
    """What the table says of some features, and of labels."""
    begin = table["pair_begin"].astype(np.int64)
    lengths = (begin[feature + 1] - begin[feature]) if len(feature) else np.zeros(0, np.int64)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    rows = np.arange(ends[-1]) + np.repeat(begin[feature] - ends[:-1], lengths)
    labels = {name: table[name] for name in ("neighbours", "transitions", "start", "end")}
    return {
        "counts": table["counts"][feature],
        "pair_begin": ends.astype(np.uint64),
        "pair_label": table["pair_label"][rows],
        **labels,
    }


def first_parameters(feature: npt.NDArray[np.int64], n_features: int) -> npt.NDArray[np.int64]:
    """The number of each feature's first weight [features], of those features that have any, and
    at the end that of the first transition."""
    first = np.zeros(n_features + 1, np.int64)
    begins = np.flatnonzero(np.diff(feature, prepend=-2) != 0)
    first[feature[begins]] = begins  # a transition's feature is -1: the last place
    if not len(feature) or feature[-1] >= 0:
        first[-1] = len(feature)
    return first


def _places(problem: _native.Problem, feature: npt.NDArray[np.int64], first: Array) -> Array:
    """For each weight of a part its number in the whole: a feature's weights follow one another, in
    both for the same labels."""
    own = problem.parameters()[0]
    begins = np.flatnonzero(np.diff(own, prepend=-2) != 0)
    lengths = np.diff(np.append(begins, len(own)))
    start = first[np.append(feature, len(first) - 1)[own[begins]]]
    place: Array = (np.arange(len(own)) + np.repeat(start - begins, lengths)).astype(np.uint32)
    return place


class Prepared:
    """A part whose file is mapped."""

    def __init__(self, folder: str, number: int, *, check: bool) -> None:
        path = part_path(folder, number)
        try:
            arrays, facts = read_arrays(path, PART, verify=check)
            self.place = arrays["place"]
            self.problem = _native.problem_from_arrays(arrays, facts["part_labels"], check)
        except (ModelFileError, KeyError) as error:
            raise DataError(f"part {number} of the corpus cannot be read: {error}") from None
        except (_native.DamagedShard, ValueError) as error:
            raise DataError(f"{path} is damaged: {error}; delete it") from None
        if len(self.place) != self.problem.n_parameters:
            raise DataError(f"{path} is damaged: its weights do not fit; delete it")
        self.size = path.stat().st_size
        self._kernels: dict[Precision, Any] = {}

    def kernel(self, precision: Precision) -> Any:
        """What evaluates it."""
        if precision not in self._kernels:
            kinds = {"single": _native.ObjectiveSingle, "double": _native.ObjectiveDouble}
            self._kernels[precision] = kinds[precision](self.problem)
        return self._kernels[precision]


PARTS = OpenParts(part_path, Prepared)
