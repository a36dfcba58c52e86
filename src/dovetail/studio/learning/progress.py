"""How far one is, told honestly.

What was suggested in a document before anybody saw it is a test of the model of that moment, if the
document was drawn at random. So only documents of the reserve count: those that are finished, from
the beginning of its random order up to the first that is not. Of near-copies the one counts that
was seen first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from dovetail.corpus import labels_from_spans
from dovetail.evaluate import resample_totals
from dovetail.evaluate.calibration import span_reliability
from dovetail.studio.annotation import Suggestion
from dovetail.studio.learning.choose import is_reserved
from dovetail.studio.learning.forecast import Forecast, forecast

WINDOW = 30  # test documents that a score rests on: those labelled last
FEWEST = 5
TARGETS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
LEVEL = 0.95


class Trial(NamedTuple):
    """A document of the random sample: how many were labelled when it was shown, what was suggested
    in it, what is right, its number of tokens, and how long it took."""

    document: int
    labelled: int
    suggested: tuple[Suggestion, ...]
    right: frozenset[tuple[int, int, str]]
    tokens: int
    seconds: float | None = None

    @property
    def counts(self) -> tuple[int, int, int]:
        """Right suggestions, suggestions, and right spans."""
        shown = {(s.start, s.end, s.label) for s in self.suggested}
        return len(shown & self.right), len(shown), len(self.right)


class Score(NamedTuple):
    """F1 with its interval, and on how many documents it rests."""

    f1: float
    low: float
    high: float
    documents: int


def random_sample(
    texts: Iterable[Sequence[int]], done: Collection[int], seed: int = 0
) -> list[list[int]]:
    """The finished ones of texts, with their near-copies, that are a random sample of all.

    Texts come in random order. One is finished with the first of its copies, whichever that is.
    """
    out = []
    for text in texts:
        if is_reserved(text[0], seed):
            finished = [k for k in text if k in done]
            if not finished:
                break
            out.append(finished)
    return out


def score(trials: Sequence[Trial], *, seed: int = 0) -> Score | None:
    """The F1 of suggestions, with a bootstrap interval over documents; None for too few."""
    counts = np.array([trial.counts for trial in trials], float).reshape(-1, 3)
    if len(trials) < FEWEST or not counts[:, 1:].sum():
        return None
    totals = resample_totals(counts, resamples=1000, seed=seed)
    drawn = 2 * totals[:, 0] / np.maximum(totals[:, 1] + totals[:, 2], 1)
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    right, found, there = counts.sum(axis=0)
    return Score(float(2 * right / (found + there)), float(low), float(high), len(trials))


def curve(trials: Sequence[Trial], *, seed: int = 0) -> list[tuple[int, Score]]:
    """Scores of successive test documents, with the median of how many were labelled by then."""
    ordered = sorted(trials, key=lambda trial: trial.labelled)
    n = min(max(len(ordered) // 10, 1), 8)
    out = []
    for part in np.array_split(np.arange(len(ordered)), n):
        own = [ordered[k] for k in part]
        found = score(own, seed=seed)
        if found is not None:
            out.append((round(median(trial.labelled for trial in own)), found))
    return out


def by_label(trials: Sequence[Trial]) -> dict[str, dict[str, float]]:
    """Precision, recall, F1 and the number of right spans of each label."""
    shown = [(k, s.start, s.end, s.label) for k, t in enumerate(trials) for s in t.suggested]
    there = [(k, *span) for k, t in enumerate(trials) for span in sorted(t.right)]
    kept = {*shown} & {*there}
    out = {}
    for label in sorted({one[3] for one in (*shown, *there)}):
        right, found, true = (sum(one[3] == label for one in each) for each in (kept, shown, there))
        out[label] = {
            "precision": right / found if found else 0.0,
            "recall": right / true if true else 0.0,
            "f1": 2 * right / (found + true),
            "spans": true,
        }
    return out


def look_ahead(trials: Sequence[Trial], now: int, *, seed: int = 0) -> Forecast | str:
    """When the next target will be reached, or why that cannot be told."""
    counts = [trial.counts for trial in trials]
    latest = score(sorted(trials, key=lambda trial: trial.labelled)[-WINDOW:], seed=seed)
    reached = latest.f1 if latest is not None else 0.0
    target = next((one for one in TARGETS if one > reached + 0.01), None)
    if target is None:
        return "there is hardly anything left to gain"
    wrong = [found + there - 2 * right for right, found, there in counts]
    of = [found + there for _, found, there in counts]
    n = [trial.labelled for trial in trials]
    return forecast(n, wrong, of, target, now=now, seed=seed)


def report(
    trials: Sequence[Trial], labelled: int, seconds: Mapping[int, float], *, seed: int = 0
) -> dict[str, Any]:
    """All that is known of the progress, as plain data for the page; ``seconds`` are how long
    finished documents took, in their order."""
    ordered = sorted(trials, key=lambda trial: trial.labelled)
    latest = ordered[-WINDOW:]
    found = score(latest, seed=seed)
    ahead = look_ahead(ordered, labelled, seed=seed)
    out: dict[str, Any] = {"score": None, "forecast": {"sentence": sentence_of(ahead, labelled)}}
    if found is not None:
        note = (
            f"of what was suggested in the last {found.documents} documents drawn at random, "
            "before anybody saw them"
        )
        out["score"] = {**found._asdict(), "note": note}
    else:
        out["message"] = (
            f"A score needs {FEWEST} finished documents that were drawn at random; "
            f"there are {len(trials)}."
        )
    if isinstance(ahead, Forecast):
        steps = np.linspace(max(labelled, 1), max(ahead.documents, labelled + 1), 8)
        points = [{"documents": round(n), "f1": 1 - ahead.law.error(n)} for n in steps]
        out["forecast"]["points"] = points
    out["curve"] = [
        {"documents": n, "f1": one.f1, "low": one.low, "high": one.high}
        for n, one in curve(ordered, seed=seed)
    ]
    out["labels"] = [{"label": name, **values} for name, values in by_label(latest).items()]
    out["calibration"] = _calibration(ordered)
    if seconds:
        out["time"] = {"median_seconds": median(seconds.values())}
    return out


def sentence_of(ahead: Forecast | str, labelled: int) -> str:
    """A forecast in words.

    >>> sentence_of("there is hardly anything left to gain", 10)
    'No forecast: there is hardly anything left to gain.'
    """
    if isinstance(ahead, str):
        return f"No forecast: {ahead}."
    more, low, high = (
        max(round(n - labelled), 1) for n in (ahead.documents, ahead.low, ahead.high)
    )
    upto = "far more" if high > 20 * max(labelled, 1) else f"{high:,}"
    return (
        f"About {more:,} more documents to F1 {100 * ahead.target:.0f}; "
        f"it may be {low:,}, it may be {upto}."
    )


def _calibration(trials: Sequence[Trial]) -> dict[str, Any] | None:
    gold = [labels_from_spans(sorted(trial.right), trial.tokens) for trial in trials]
    shown = [[(s.start, s.end, s.label, s.probability) for s in t.suggested] for t in trials]
    found = span_reliability(gold, shown)
    if found.error is None:
        return None
    bins = [{"predicted": p, "correct": r, "count": n} for p, r, n in found.points()]
    return {"bins": bins, "error": found.error, "error_by_chance": found.error_by_chance}
