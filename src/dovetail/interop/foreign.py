"""What a model of another program comes down to: labels, features, and weights between them."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from dovetail import __version__, _native
from dovetail.chain.model import ChainModel
from dovetail.chain.tagger import Tagger
from dovetail.corpus.schemes import detect_scheme
from dovetail.errors import ModelFileError

if TYPE_CHECKING:
    from dovetail.features import Featurizer, Template

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Feature = bytes | tuple[bytes, ...]
MOST_LABELS = 8_192  # their moves take 256 MB; a file that claims more is more likely damaged


class Weights(NamedTuple):
    """All weights of a model, as parallel arrays.

    A feature is a name, or what a row of a template makes: the row's name and its values. Feature
    -1 is a plain move from ``previous`` to ``label``; previous -1 a weight on a label.
    """

    labels: list[str]
    features: list[Any]
    feature: Ints
    previous: Ints
    label: Ints
    weight: Floats


def make_tagger(
    weights: Weights,
    *,
    program: str,
    source: str,
    features: Template | Featurizer | None,
    threads: int | None = None,
) -> Tagger:
    """A tagger of ours with these weights.

    A template among ``features`` becomes a part of the model; a function does not.
    """
    _check(weights, source)
    order = np.argsort(weights.feature, kind="stable")
    try:
        arrays = _native.model_arrays_from_weights(
            weights.features,
            len(weights.labels),
            weights.feature[order],
            weights.previous[order],
            weights.label[order],
            weights.weight[order],
        )
    except ValueError as error:
        raise ModelFileError(f"{source} is damaged: {error}") from None
    except MemoryError:
        raise ModelFileError(
            f"{source} has {len(weights.labels):,} labels and {len(weights.features):,} features: "
            "more than there is memory for"
        ) from None
    nothing = np.zeros(0, np.uint8)
    limits = {"legal": nothing, "start": nothing, "end": nothing}
    spec = getattr(features, "spec", None)
    facts: dict[str, Any] = {
        "labels": weights.labels,
        "scheme": _scheme(weights.labels),
        "dovetail": __version__,
        "label": None,
        "features": spec() if spec is not None else {"kind": "function"},
        "training": {
            "imported": program,
            "parameters": len(weights.weight),
            "stopped": f"imported from {program}",
        },
    }
    if spec is not None:
        facts["columns"] = list(getattr(features, "columns", ()))
    model = ChainModel.from_arrays({**arrays, **limits}, facts)
    return Tagger.from_model(model, features=features, threads=threads)


def _scheme(labels: list[str]) -> str:
    """The span scheme that labels are of, by what they look like: those of a type one after
    another."""
    by_type: list[str | None] = [*sorted(labels, key=lambda label: (label[2:], label))]
    return detect_scheme([by_type])


def _check(weights: Weights, source: str) -> None:
    labels = weights.labels
    if not 1 <= len(labels) <= MOST_LABELS:
        raise ModelFileError(
            f"{source} has {len(labels):,} labels; models have from 1 to {MOST_LABELS:,}"
        )
    if len(set(labels)) < len(labels):
        twice = Counter(labels).most_common(1)[0][0]
        raise ModelFileError(f"{source} is damaged: it has the label '{twice}' twice")
    kept = (_native.START.encode(), _native.END.encode())
    for name in kept:
        if name in weights.features:
            raise ModelFileError(
                f"{source} has a feature '{name.decode()}', a name that Dovetail keeps for itself"
            )
    with np.errstate(over="ignore", invalid="ignore"):
        finite = np.isfinite(weights.weight.astype(np.float32))
    if not finite.all():
        at = int(np.flatnonzero(~finite)[0])
        raise ModelFileError(
            f"{source} has the weight {weights.weight[at]}, which is no number from -3.4e38 to "
            "3.4e38"
        )
    n = len(labels) + 1
    keys = ((weights.feature + 1) * n + weights.previous + 1) * n + weights.label
    if len(np.unique(keys)) < len(keys):
        raise ModelFileError(f"{source} is damaged: it has two weights for the same thing")


class Reader:
    """Numbers and strings at places of a file's content, each checked to lie within it."""

    def __init__(self, content: bytes, source: str) -> None:
        self.content, self.source = content, source

    def fail(self, what: str) -> NoReturn:
        raise ModelFileError(f"{self.source} {what}")

    def piece(self, begin: int, size: int, what: str) -> bytes:
        if not 0 <= begin <= begin + size <= len(self.content):
            self.fail(
                f"is cut short or damaged: its {what} would end at byte {begin + size:,} of "
                f"{len(self.content):,}"
            )
        return self.content[begin : begin + size]

    def numbers(self, begin: int, dtype: str, count: int, what: str) -> npt.NDArray[Any]:
        size = np.dtype(dtype).itemsize * count
        return np.frombuffer(self.piece(begin, size, what), dtype)

    def text(self, raw: bytes, what: str) -> str:
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self.fail(
                f"is not in UTF-8: it has the {what} {raw[:40]!r}; train it again on UTF-8 text"
            )


def read_content(source: str | os.PathLike[str] | bytes) -> tuple[bytes, str]:
    """A model's bytes, and how messages call it."""
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), "the model"
    path = os.fspath(source)
    try:
        with open(path, "rb") as file:
            return file.read(), path
    except OSError as error:
        raise ModelFileError(f"cannot open the model {path}: {error.strerror or error}") from None
