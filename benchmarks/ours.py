"""Our side of the training benchmark: what runs in processes of its own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import crfsuite

if TYPE_CHECKING:
    from dovetail import Tagger
    from dovetail.chain.train.objective import Objective
    from dovetail.features import Dataset

PairWeights = dict[tuple[str, str], float]


def fit_text(text: str, model: str, settings: dict[str, Any]) -> str:
    """From feature text to a saved model; why the training stopped."""
    from dovetail import Tagger
    from dovetail.features import Dataset

    tagger = Tagger(boundaries=False, **settings).fit(Dataset.from_crfsuite_text(text))
    tagger.save(model)
    return tagger.stopped_


class Clock:
    """Wall and CPU time from its making to the end of the last round."""

    def __init__(self) -> None:
        self.start = time.perf_counter(), time.process_time()

    def __call__(self, _: object) -> None:
        self.wall = time.perf_counter() - self.start[0]
        self.cpu = time.process_time() - self.start[1]


def fit_indexed(text: str, settings: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Times of training from data in memory, and the exact objective of the weights it gave.

    They count from the call of ``fit`` to the end of the last round, as CRFsuite's do to a line of
    its log: neither holds the time of making a model of the weights.
    """
    from dovetail import Tagger
    from dovetail.features import Dataset

    data = Dataset.from_crfsuite_text(text)
    walls, cpus = [], []
    for _ in range(repeats):
        clock = Clock()
        tagger = Tagger(boundaries=False, **settings).fit(data, callback=clock)
        walls.append(clock.wall)
        cpus.append(clock.cpu)
    return {
        "walls": walls,
        "cpus": cpus,
        "rounds": len(tagger.history_),
        "stopped": tagger.stopped_,
        "objective": objective_of(data, *weights(tagger), settings),
    }


def compare_objectives(text: str, model: str, repeats: int) -> dict[str, float]:
    """Our objective at the weights in CRFsuite's model (c2 = 1), and the least time it takes."""
    from dovetail.features import Dataset

    data = Dataset.from_crfsuite_text(text)
    state, transition = crfsuite.weights(model)
    value = objective_of(data, state, transition, {"c2": 1.0})
    single = objective(data, 1.0, "single", threads=1)
    w = vector(single, data, state, transition)
    times = []
    for _ in range(repeats):
        start = time.perf_counter(), time.process_time()
        single(w)
        times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
    wall, cpu = (min(column) for column in zip(*times, strict=True))
    return {"value": value, "wall": wall, "cpu": cpu}


def test_labels(model: str, text: str) -> list[list[str]]:
    """Labels that a saved model gives to the sequences of a text."""
    import dovetail

    return dovetail.load(model).predict(features for features, _ in crfsuite.read_text(text))


def weights(tagger: Tagger) -> tuple[PairWeights, PairWeights]:
    """Weights of (feature, label) and (label, label) as a trained tagger holds them."""
    state = {(feature, label): w for feature, label, w in tagger.top_weights(tagger.n_weights_)}
    return state, tagger.transitions()


def objective_of(
    data: Dataset, state: PairWeights, transition: PairWeights, settings: dict[str, Any]
) -> float:
    """The objective at given weights in double precision, with the L1 term if there is one."""
    exact = objective(data, settings["c2"], "double", threads=None)
    w = vector(exact, data, state, transition)
    return exact(w)[0] + float(settings.get("c1", 0.0) * abs(w).sum())


def objective(data: Dataset, c2: float, precision: Any, threads: int | None) -> Objective:
    """CRFsuite's model as our objective: seen pairs, seen transitions, no boundary features."""
    from dovetail import Tagger
    from dovetail.chain.train.fitting import Fitting
    from dovetail.chain.train.objective import Objective

    problem = Fitting(Tagger(boundaries=False, c2=c2), data).problem
    return Objective(problem, c2, precision=precision, threads=threads)


def vector(objective: Objective, data: Dataset, state: PairWeights, transition: PairWeights) -> Any:
    """Named weights as the vector that ``objective`` takes; every one of them must have a place."""
    import numpy as np

    names, labels = data.native.feature_names(), data.labels
    places = zip(*(part.tolist() for part in objective.problem.parameters()), strict=True)
    w = np.array(
        [
            transition.get((labels[previous], labels[label]), 0.0)
            if feature < 0
            else state.get((names[feature], labels[label]), 0.0)
            for feature, previous, label in places
        ]
    )
    given = sum(value != 0.0 for part in (state, transition) for value in part.values())
    if np.count_nonzero(w) != given:
        raise ValueError(f"{given} weights given, but {np.count_nonzero(w)} of them have a place")
    return w
