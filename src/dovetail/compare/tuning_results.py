"""The points of a grid with their scores, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf
from statistics import fmean
from typing import Any, Literal, get_args

from dovetail.compare.plan import Result

Point = Mapping[str, float | str]
Criterion = Literal["likelihood", "bound"]
CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


@dataclass(frozen=True)
class TuningResult:
    """The scores of a point, or of the baseline, which has none: the tagger without what is tuned.

    ``likelihood`` is that of the labels of the development text, in nats a token, ``f1`` None where
    labels are plain; ``properties`` are measured on the same text: the entropy of its labels given
    states, the distance of its states from those of the target, the share of earlier layers told.
    """

    name: str
    point: Point | None
    likelihood: float
    accuracy: float
    f1: float | None
    properties: Mapping[str, float | None]
    seconds: float

    @classmethod
    def from_result(cls, result: Result) -> TuningResult:
        """From what `run` gives."""
        return cls(
            result["system"],
            result["point"],
            result["likelihood"],
            result["accuracy"],
            result["overall"]["f1"] if result["spans"] else None,
            result.get("properties", {}),
            result["seconds"],
        )

    @property
    def score(self) -> float:
        """F1, or accuracy where labels are plain."""
        return self.accuracy if self.f1 is None else self.f1

    @property
    def bound(self) -> float | None:
        """Eq. 2 of Huang and Yates (2012): the share of wrong labels plus the variation distance
        between the states of both domains; None where there is no target or no representation."""
        apart = self.properties.get("distance")
        return None if apart is None else 1 - self.accuracy + apart

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {**asdict(self), "bound": self.bound}


def rank_results(results: Iterable[Result], by: Criterion = "likelihood") -> list[TuningResult]:
    """Points and their scores, the best first: that with the most likely labels, or that with the
    lowest bound. What has none comes last."""

    def loss(one: TuningResult) -> float:
        if by == "likelihood":
            return -one.likelihood
        return inf if one.bound is None else one.bound

    return sorted(map(TuningResult.from_result, results), key=loss)


def average_folds(results: Iterable[Result], n_folds: int) -> list[Result]:
    """One result for each point that has all folds: the likelihood by tokens, scores by folds."""
    by_system: dict[str, list[Result]] = {}
    for result in results:
        by_system.setdefault(result["system"], []).append(result)
    return [_average(own) for own in by_system.values() if len(own) == n_folds]


def _average(results: Sequence[Result]) -> Result:
    weights = [result.get("n_tokens", 1) for result in results]
    likelihoods = [result["likelihood"] for result in results]
    weighted = sum(w * x for w, x in zip(weights, likelihoods, strict=True)) / sum(weights)
    return {
        **results[0],
        "likelihood": weighted if len(results) > 1 else likelihoods[0],
        "accuracy": fmean(result["accuracy"] for result in results),
        "overall": {"f1": fmean(result["overall"]["f1"] for result in results)},
        "seconds": sum(result["seconds"] for result in results),
    }


def find_best_point(results: Sequence[TuningResult]) -> TuningResult | None:
    """The best point of what is ranked; the tagger alone is none."""
    return next((one for one in results if one.point is not None), None)


def name_point(point: Point) -> str:
    """A point in words.

    >>> name_point({"entropy": 0.3, "layers": 2})
    'entropy 0.3, layers 2'
    """
    return ", ".join(f"{name} {show_value(value)}" for name, value in point.items())


def show_value(value: float | str) -> str:
    """A value of a point, in words."""
    return value if isinstance(value, str) else f"{value:.10g}"
