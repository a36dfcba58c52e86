"""Inference with a trained chain: labels and probabilities of encoded sequences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.model import ANY_LABEL, ChainModel
from dovetail.data import list_sequences
from dovetail.errors import DataError
from dovetail.features import Labels
from dovetail.numeric import exp

TOO_LARGE = 2**63
_DECODERS = {"viterbi": "viterbi", "marginal": "max_marginal"}


def best_labels(
    model: ChainModel, batch: _native.Batch, decode: str, masks: Any, threads: int
) -> list[list[str]]:
    """Labels of every token, by one of the decoders."""
    check_decoder(decode)
    kernel = getattr(model.native, _DECODERS[decode])
    codes = _infer(kernel, model, batch, masks, threads)[0]
    return _split_by_sequence([model.labels[code] for code in codes], batch)


def check_decoder(decode: str) -> None:
    """Refuse a decoder that does not exist."""
    if decode not in _DECODERS:
        raise DataError(f"there is no decoder '{decode}': viterbi or marginal")


def marginals(model: ChainModel, batch: _native.Batch, threads: int) -> npt.NDArray[np.float64]:
    """Probabilities of the labels of all tokens, [tokens x labels]."""
    found: npt.NDArray[np.float64] = model.native.posteriors(
        batch, model.constraints, ANY_LABEL, threads
    )[0]
    return found


def label_probabilities(
    model: ChainModel, batch: _native.Batch, masks: Any, threads: int
) -> list[list[dict[str, float]]]:
    """Probability of every label at every token, by label."""
    rows = _infer(model.native.posteriors, model, batch, masks, threads)[0].tolist()
    return _split_by_sequence([dict(zip(model.labels, row, strict=True)) for row in rows], batch)


def n_best(
    model: ChainModel, batch: _native.Batch, k: int, threads: int
) -> list[list[tuple[list[str], float]]]:
    """The k best label sequences of each sequence, with their probabilities."""
    k = _check_integer("k", k, 1)
    log_z = _infer(model.native.posteriors, model, batch, ANY_LABEL, threads)[1]
    out = []
    for s in range(batch.n_sequences):
        codes, scores = model.native.kbest(batch, s, k, model.constraints, ANY_LABEL)
        paths = [[model.labels[code] for code in path] for path in codes]
        shares = exp(np.asarray(scores) - log_z[s]).tolist()
        out.append(list(zip(paths, shares, strict=True)))
    return out


def log_likelihoods(
    model: ChainModel, batch: _native.Batch, labels: Iterable[Sequence[str]], threads: int
) -> list[float]:
    """Log-probability of the given labels of each sequence."""
    number = {name: code for code, name in enumerate(model.labels)}
    given = _flatten_checked(batch, labels, "labels")
    unknown = next((y for y in given if y not in number), None)
    if unknown is not None:
        raise DataError(f"the model has no label '{unknown}' (it has {', '.join(model.labels)})")
    codes = np.array([number[y] for y in given], np.int32)
    log_z = _infer(model.native.posteriors, model, batch, ANY_LABEL, threads)[1]
    scores = model.native.path_scores(batch, codes, model.constraints)
    return [float(x) for x in scores - log_z]


def sample_labels(
    model: ChainModel, batch: _native.Batch, n: int, seed: int
) -> list[list[list[str]]]:
    """n label sequences for each sequence, drawn from the model's distribution."""
    n, seed = _check_integer("n", n, 1), _check_integer("seed", seed, 0)
    out = []
    for s in range(batch.n_sequences):
        try:
            drawn = model.native.sample(batch, s, n, seed + s, model.constraints, ANY_LABEL)
        except ValueError as error:
            raise DataError(str(error)) from None
        out.append([[model.labels[code] for code in row] for row in drawn])
    return out


def mask_allowed(model: ChainModel, batch: _native.Batch, allowed: Iterable[Labels] | None) -> Any:
    """Allowed labels as a mask over tokens and labels."""
    if allowed is None:
        return ANY_LABEL
    names = model.labels
    sets = [
        names if known is None else [known] if isinstance(known, str) else known
        for known in _flatten_checked(batch, allowed, "sets of allowed labels")
    ]
    masks: npt.NDArray[np.uint8] = np.array(
        [[name in known for name in names] for known in sets], np.uint8
    )
    empty = np.flatnonzero(~masks.reshape(-1, len(names)).any(axis=1))
    if empty.size:
        s = int(np.searchsorted(batch.bounds, empty[0], side="right")) - 1
        raise DataError(
            f"sequence {s + 1} token {int(empty[0]) - int(batch.bounds[s]) + 1} "
            "is allowed no label that the model knows"
        )
    return masks.ravel()


def _infer(kernel: Any, model: ChainModel, batch: _native.Batch, masks: Any, threads: int) -> Any:
    try:
        return kernel(batch, model.constraints, masks, threads)
    except ValueError as error:
        raise DataError(str(error)) from None


def _check_integer(name: str, value: Any, least: int) -> int:
    """A whole number of at least ``least``."""
    try:
        number = index(value)
    except TypeError:
        raise DataError(f"{name} is {value!r}; give a whole number") from None
    if number < least:
        raise DataError(f"{name} is {number}; give a whole number of at least {least}")
    if number >= TOO_LARGE:
        raise DataError(f"{name} is {number}; give a number below 2**63")
    return number


def _flatten_checked(batch: _native.Batch, beside: Iterable[Iterable[Any]], what: str) -> list[Any]:
    """Values that run alongside the tokens of a batch, checked to be one for each."""
    rows = list_sequences(beside, f"give {what} for each sequence, as lists")
    if len(rows) != batch.n_sequences:
        raise DataError(f"there are {batch.n_sequences} sequences but {len(rows)} with {what}")
    edges = pairwise(batch.bounds.tolist())
    for number, (row, (a, b)) in enumerate(zip(rows, edges, strict=True), start=1):
        if len(row) != b - a:
            raise DataError(f"sequence {number} has {b - a} tokens but {len(row)} {what}")
    return [value for row in rows for value in row]


def _split_by_sequence(values: list[Any], batch: _native.Batch) -> list[list[Any]]:
    """A flat list over tokens, by sequences."""
    return [values[a:b] for a, b in pairwise(batch.bounds.tolist())]
