"""Parameters of a tagger by cross-validation, in one call: every point of a grid on every fold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import fsum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.chain.cross_validation import Job, divide, train_on_parts
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError
from dovetail.evaluate import evaluate
from dovetail.features import Labels

FOLDS = 5


class GridPoint(NamedTuple):
    """Parameters, their score on each fold (F1 of spans, accuracy of other labels), and the
    logarithm of the probability of labels, a token, over all folds."""

    parameters: dict[str, Any]
    scores: tuple[float, ...]
    likelihood: float

    @property
    def score(self) -> float:
        """The mean over the folds."""
        return fsum(self.scores) / len(self.scores)


class _Held(NamedTuple):
    score: float
    log_likelihood: float
    n_tokens: int


def grid_search(
    tagger: Tagger,
    data: Corpus | Iterable[Iterable[Any]],
    grid: Mapping[str, Sequence[Any]],
    *,
    labels: Iterable[Labels] | None = None,
    label: str | None = None,
    folds: int | npt.ArrayLike = FOLDS,
    seed: int = 0,
) -> list[GridPoint]:
    """Every combination of the grid's values, the best by likelihood first.

    Data is what `Tagger.fit` takes, fully labelled; it is indexed once for each value of
    ``features``, and trainings run over the cores. ``folds`` is their number, or the fold of each
    sequence. Sequences with labels that some fold's models do not know have no part in the
    likelihood.

    >>> X = [[["the"], ["dog"]], [["the"], ["cat"]], [["a"], ["dog"]], [["a"], ["cat"]]]
    >>> y = [["DET", "NOUN"]] * 4
    >>> found = grid_search(Tagger(), X, {"c2": [0.01, 10]}, labels=y, folds=2)
    >>> found[0].parameters, found[0].score
    ({'c2': 0.01}, 1.0)
    """
    empty = next((name for name, values in grid.items() if not list(values)), None)
    if empty is not None:
        raise DataError(f"the grid has no value of {empty}: give one, or leave it out")
    if not isinstance(data, Corpus):
        data = [list(sequence) for sequence in data]
    gold = _gold(data, labels, label)
    parts = divide(_fold_numbers(data, folds, seed))
    indexing = {name: grid[name] for name in ("features", "constraints") if name in grid}
    others = {name: values for name, values in grid.items() if name not in indexing}
    found: list[GridPoint] = []
    for own in _combinations(indexing):
        base = tagger.clone().set_params(**own)
        points = _combinations(others)
        taggers = [base.clone().set_params(**point) for point in points]
        held = _train(base, taggers, data, gold, label, parts)
        found += [
            _point({**own, **point}, held[k :: len(points)]) for k, point in enumerate(points)
        ]
    return sorted(found, key=lambda point: -point.likelihood)


def _train(
    base: Tagger,
    taggers: Sequence[Tagger],
    data: Any,
    gold: Sequence[Sequence[str]],
    label: str | None,
    parts: Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]],
) -> list[_Held]:
    """What each tagger gives on each fold, fold by fold."""
    column = {"label": label} if isinstance(data, Corpus) else {"labels": gold}
    indexed = base.index(data, **column)
    held_out = [indexed.select(chosen) for _, chosen in parts]
    truth = [[list(gold[k]) for k in chosen] for _, chosen in parts]

    def judge(job: Job, model: Tagger) -> _Held:
        own = truth[job.part]
        report = evaluate(own, model.predict(held_out[job.part]))
        known = {*model.labels_}
        usable = [k for k, row in enumerate(own) if row and known.issuperset(row)]
        rows = [own[k] for k in usable]
        likelihoods = model.log_likelihood(held_out[job.part].select(usable), rows)
        score = report.micro.f1 if report.kind == "spans" else report.accuracy
        return _Held(score, fsum(likelihoods), sum(map(len, rows)))

    jobs = [Job(tagger, part) for part in range(len(parts)) for tagger in taggers]
    return train_on_parts(indexed, [rest for rest, _ in parts], jobs, judge)


def _point(parameters: dict[str, Any], folds: Sequence[_Held]) -> GridPoint:
    n_tokens = sum(fold.n_tokens for fold in folds)
    if not n_tokens:
        raise DataError("every sequence to choose on has labels that were not trained")
    likelihood = fsum(fold.log_likelihood for fold in folds) / n_tokens
    return GridPoint(parameters, tuple(fold.score for fold in folds), likelihood)


def _combinations(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def _gold(data: Any, labels: Any, label: str | None) -> list[list[str]]:
    if isinstance(data, Corpus):
        given = data.lists(label or data.names[-1])
    elif labels is None:
        raise DataError("feature lists need labels: grid_search(..., labels=labels)")
    else:
        given = [list(row) for row in labels]
    for number, row in enumerate(given, start=1):
        if not all(isinstance(value, str) for value in row):
            raise DataError(
                f"sequence {number} has a token without one known label: leave such sequences out"
            )
    return given  # type: ignore[return-value]


def _fold_numbers(data: Any, folds: int | npt.ArrayLike, seed: int) -> npt.NDArray[np.int64]:
    n = len(data)
    if isinstance(folds, int):
        if folds < 2 or n < folds:
            raise DataError(f"{n} sequences cannot be divided into {folds} folds")
        if isinstance(data, Corpus):
            return assign_folds(data, folds, seed)
        return np.random.default_rng(seed).permutation(n) % folds
    numbers = np.asarray(folds, np.int64)
    if numbers.shape != (n,):
        raise DataError(f"there are {numbers.size} numbers of folds for {n} sequences")
    return numbers
