"""Parts of a corpus as numbered features, each with numbers of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.inputs import index_training_data
from dovetail.corpus.shards import Shards
from dovetail.features import Dataset
from dovetail.features.resolution import FeatureSet
from dovetail.io.array_file import ArrayFile, read_arrays, write_arrays

KIND = "indexed part of a corpus"


class Order(NamedTuple):
    """What is to be indexed, how, and the folder for what comes of it."""

    corpus: str
    folder: str
    features: FeatureSet
    label: str
    constraints: Any


class Part(NamedTuple):
    """What is known of an indexed part without reading its file again."""

    labels: list[str]
    facts: dict[str, Any]


def index_part(number: int, order: Order) -> Part:
    """Make and number the features of a part, unless that has been done."""
    path = index_path(order.folder, number)
    if path.exists():
        facts = read_arrays(path, KIND, verify=False).facts
        return Part(facts["part_labels"], facts)
    corpus = Shards(order.corpus)[number]
    data, description = index_training_data(
        corpus, None, order.label, None, None, order.features, order.constraints
    )
    facts = {
        "part_labels": data.labels,
        "description": {k: v for k, v in description.items() if k != "features"},
        "n_sequences": data.n_sequences,
        "n_tokens": data.n_tokens,
        "fully_labelled": data.native.fully_labelled,
        "weighted": data.native.weighted,
    }
    write_arrays(path, KIND, _arrays(data), facts)
    return Part(data.labels, facts)


def index_path(folder: str, number: int) -> Path:
    return Path(folder) / f"index-{number:05d}.shard"


def open_index(folder: str, number: int, *, verify: bool) -> ArrayFile:
    return read_arrays(index_path(folder, number), KIND, verify=verify)


def _arrays(data: Dataset) -> Mapping[str, npt.NDArray[Any]]:
    """The data set and what it adds to the whole, features by key beside those by number."""
    found: dict[str, Any] = dict(_native.describe_part(data.native))
    order = np.argsort(found["keys"], kind="stable").astype(np.uint32)
    by_key = {"order": order, **{k: found[k][order] for k in ("keys", "counts", "seen")}}
    rest = {k: found[k] for k in ("neighbours", "transitions", "start", "end")}
    own = {f"data_{k}": array for k, array in _native.dataset_arrays(data.native).items()}
    arrays: dict[str, Any] = {**by_key, **rest, **own}
    return arrays
