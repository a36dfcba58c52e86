"""Weights of layers, chosen on held-out text.

Taggers that were trained apart are not equally sure of themselves: those with many features, or
much text, give larger scores. A weight on a layer's scores in joint decoding makes up for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.evaluate import evaluate

Predict = Callable[[Mapping[str, float]], dict[str, list[list[str]]]]
CANDIDATES = (0.5, 0.7, 1.0, 1.4, 2.0, 2.8)
ROUNDS = 3


def choose_weights(
    weights: Mapping[str, float],
    predict: Predict,
    data: Corpus,
    *,
    tasks: Iterable[str] | None = None,
    labels: Mapping[str, str] | None = None,
    candidates: Sequence[float] = CANDIDATES,
) -> dict[str, float]:
    """The weights under which joint decoding scores best on a corpus that is not training text.

    ``weights`` are those to begin with, of all layers in order; ``predict`` gives joint labels of
    the corpus under others.

    The score is the mean F1 (for plain labels, accuracy) of ``tasks``, by default of all layers
    that the corpus has a column for; ``labels`` names that column where it is called otherwise.
    One layer's weight is changed at a time, that of the last stays; only what scores better is
    taken, and of weights that score alike the one that is nearest to 1.
    """
    if not isinstance(data, Corpus):
        raise DataError("tune needs a corpus, with labels of the tasks")
    named = {name: (labels or {}).get(name, name) for name in weights}
    columns = {name: column for name, column in named.items() if column in data.names}
    wanted = list(columns) if tasks is None else list(tasks)
    for name in wanted:
        if name not in weights:
            raise DataError(f"there is no task '{name}'; there are {', '.join(weights)}")
        if name not in columns:
            raise DataError(f"the data has no column for '{name}'; it has {', '.join(data.names)}")
    if not wanted:
        raise DataError(
            f"the data has no labels of {', '.join(weights)}; it has {', '.join(data.names)}"
        )
    if not candidates or not all(c > 0 for c in candidates):
        raise DataError("give candidates for the weights, all of them above 0")
    gold: dict[str, Any] = {name: data.lists(columns[name]) for name in wanted}

    def score(given: Mapping[str, float]) -> float:
        found = predict(given)
        reports = [evaluate(gold[name], found[name]) for name in wanted]
        values = [r.micro.f1 if r.kind == "spans" else r.accuracy for r in reports]
        return sum(values) / len(values)

    best = dict(weights)
    top = score(best)
    for _ in range(ROUNDS):
        before = dict(best)
        for name in list(weights)[:-1]:
            for candidate in sorted(candidates, key=lambda c: max(c, 1 / c)):
                changed = {**best, name: candidate}
                found = score(changed) if changed != best else top
                if found > top:
                    best, top = changed, found
        if best == before:
            break
    return best
