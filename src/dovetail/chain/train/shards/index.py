"""Parts of a corpus as numbered features, each with numbers of its own."""

from __future__ import annotations

import json
import logging
import os
import pickle
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Executor
from dovetail.chain.inputs import index_training_data
from dovetail.corpus import Corpus
from dovetail.corpus.shards import Shards
from dovetail.errors import DataError, TrainingError
from dovetail.features import Dataset, Template
from dovetail.features.resolution import FeatureSet, resolve_corpus_features
from dovetail.io.array_file import ArrayFile, read_arrays, write_arrays

logger = logging.getLogger(__name__)

KIND = "indexed part of a corpus"
OCCURRENCE, TOKEN = 30, 100  # bytes that the indexing and layout of a part take
ROWS = 20  # features of a token, where a function makes them


class Derived(Protocol):
    """Labels that a corpus does not have: they are made of its columns, part by part."""

    @property
    def key(self) -> str:
        """What tells these labels from others."""
        ...

    def derive(self, part: Corpus, features: Template) -> tuple[Corpus, str, Template]:
        """A part with the labels, the name of their column, and features that do not read them."""
        ...


class Order(NamedTuple):
    """What is to be indexed, how, and the folder for what comes of it."""

    corpus: str
    folder: str
    features: FeatureSet
    label: str | Derived
    constraints: Any


class Part(NamedTuple):
    """What is known of an indexed part without reading its file again."""

    labels: list[str]
    facts: dict[str, Any]


def resolve_columns(
    shards: Shards, label: str | None, features: FeatureSet | str
) -> tuple[str, FeatureSet]:
    """The column of labels, and what features the others have."""
    if not shards.n_tokens:
        raise TrainingError("there is no training data: it has no tokens")
    label = label or shards.names[-1]
    if label not in shards.names:
        raise DataError(f"there is no column '{label}'; the data has {', '.join(shards.names)}")
    first = next(number for number, tokens in enumerate(shards.tokens) if tokens)
    return label, resolve_corpus_features(features, shards[first], label)


def index_folder(
    shards: Shards, features: FeatureSet, label: str | Derived, closing: ExitStack
) -> str:
    """Where the index is or will be. What a function computes cannot be told from outside: features
    that need one are indexed anew each time, in a folder that is then removed."""
    label = label if isinstance(label, str) else label.key
    if isinstance(features, Template) and not features.functions:
        spec = [json.dumps(features.spec(), default=str).encode()]
        spec.append(pickle.dumps((features.lexicons, features.tables)))
        return str(shards.work_folder("index", label, *spec))
    folder = str(shards.work_folder("index", label, os.urandom(16)))
    closing.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def index_parts(
    shards: Shards, features: FeatureSet, label: str | Derived, folder: str, executor: Executor
) -> list[Part]:
    """Index all parts that are not yet."""
    numbers = range(len(shards))
    order = Order(str(shards.folder), folder, features, label, None)
    largest = max(numbers, key=lambda number: shards.tokens[number])
    rows = len(features.rows) if isinstance(features, Template) else ROWS
    size = shards.tokens[largest] * (rows * OCCURRENCE + TOKEN)
    executor.check_memory(size, f"part {largest} of the corpus")
    logger.info("indexing %d parts", len(numbers))
    return list(executor.each("index", index_part, numbers, order))


def index_part(number: int, order: Order) -> Part:
    """Make and number the features of a part, unless that has been done."""
    path = index_path(order.folder, number)
    if path.exists():
        facts = read_arrays(path, KIND, verify=False).facts
        return Part(facts["part_labels"], facts)
    corpus, label, features = Shards(order.corpus)[number], order.label, order.features
    if not isinstance(label, str):
        assert isinstance(features, Template)
        corpus, label, features = label.derive(corpus, features)
    data, description = index_training_data(
        corpus, None, label, None, None, features, order.constraints
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
