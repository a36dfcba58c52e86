"""What the results say: tests of differences, what became of "Host:", how much data is saved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dovetail.compare import Result, Split, Summary, summarize
from dovetail.evaluate import compare_paired, resample_totals
from experiments.seminars.field_scores import FIELDS, OUTCOMES

RESAMPLES = 10_000
PAIRS = (
    ("cascade", "none"),
    ("joint", "cascade"),
    ("joint", "none"),
    ("soft", "none"),
    ("soft", "cascade"),
    ("stacked", "none"),
    ("pool", "none"),
    ("joint3", "joint"),
    ("none eager", "none"),
    ("auto eager", "none"),
    ("auto eager", "none eager"),
)
COUNTED = {  # what an outcome adds to true positives, false positives, false negatives
    OUTCOMES["right"]: (1, 0, 0),
    OUTCOMES["wrong"]: (0, 1, 1),
    OUTCOMES["missed"]: (0, 0, 1),
    OUTCOMES["spurious"]: (0, 1, 0),
    OUTCOMES["absent"]: (0, 0, 0),
}


@dataclass(frozen=True)
class Comparison:
    """F1 of one system minus that of another on the same splits, and how sure that is.

    ``p`` is of the paired t-test, ``corrected_p`` of the corrected resampled one; ``low`` and
    ``high`` bound the middle 95 % of differences over documents drawn again, ``bootstrap_p`` is
    twice the share of them on the other side of 0.
    """

    system: str
    against: str
    field: str
    difference: float
    wins: int
    losses: int
    p: float | None
    corrected_p: float | None
    low: float
    high: float
    bootstrap_p: float


def comparisons(results: Sequence[Result], splits: Sequence[Split]) -> list[Comparison]:
    """All differences that are looked at, by field and overall."""
    by_system: dict[str, dict[int, Result]] = {}
    for result in results:
        by_system.setdefault(result["system"], {})[result["split"]] = result
    out = []
    for first, second in PAIRS:
        if first not in by_system or second not in by_system:
            continue
        common = sorted({*by_system[first]} & {*by_system[second]})
        pairs = [(by_system[first][k], by_system[second][k]) for k in common]
        drawn = _bootstrap(pairs, [splits[k] for k in common])
        for number, field in enumerate((*FIELDS, "overall")):
            ours, theirs = ([_f1(pair[side], field) for pair in pairs] for side in (0, 1))
            sizes = {name: pairs[0][0][name] for name in ("n_train", "n_test")}
            found = compare_paired(ours, theirs, **sizes)
            low, high = np.quantile(drawn[:, number], [0.025, 0.975])
            beyond = min((drawn[:, number] <= 0).mean(), (drawn[:, number] >= 0).mean())
            out.append(
                Comparison(
                    first,
                    second,
                    field,
                    found.mean,
                    found.wins.wins,
                    found.wins.losses,
                    None if found.test is None else found.test.p,
                    None if found.corrected is None else found.corrected.p,
                    float(low),
                    float(high),
                    min(1.0, 2 * float(beyond)),
                )
            )
    return out


def _f1(result: Result, field: str) -> float:
    scores = result["overall"] if field == "overall" else result["types"][field]
    return float(scores["f1"])


def _bootstrap(
    pairs: Sequence[tuple[Result, Result]], splits: Sequence[Split]
) -> NDArray[np.float64]:
    """Differences of F1 by field and overall, [resamples x 5], each over documents drawn with
    replacement; a document brings its outcomes on all splits that tested it."""
    n = max(unit for split in splits for unit in (*split.train, *split.test)) + 1
    sides = []
    for side in (0, 1):
        counts = np.zeros((n, len(FIELDS), 3))
        for pair, split in zip(pairs, splits, strict=True):
            for k, field in enumerate(FIELDS):
                letters = pair[side]["outcomes"][field]
                counts[list(split.test), k] += [COUNTED[letter] for letter in letters]
        sides.append(counts.reshape(n, -1))
    totals = [resample_totals(counts, resamples=RESAMPLES) for counts in sides]
    differences = _scores(totals[0]) - _scores(totals[1])
    return np.column_stack([differences, differences.mean(axis=1)])


def _scores(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    tp, fp, fn = np.moveaxis(counts.reshape(len(counts), -1, 3), -1, 0)
    found: NDArray[np.float64] = 2 * tp / np.maximum(2 * tp + fp + fn, 1)
    return found


def host_counts(results: Iterable[Result]) -> dict[str, dict[str, int]]:
    """Over all test parts: occurrences of "Host:", and those taken for entities."""
    out: dict[str, dict[str, int]] = {}
    for result in results:
        for name, count in result.get("hosts", {}).items():
            own = out.setdefault(result["system"], {"tokens": 0, "entities": 0})
            own[name] += count
    return out


def chosen(results: Iterable[Result]) -> dict[str, dict[str, int]]:
    """How often each setting was chosen, over the splits: of the last system, which has all."""
    last: dict[int, Result] = {result["split"]: result for result in results}
    out = {"c2": Counter(f"{r['c2']:g}" for r in last.values() if "c2" in r)}
    for what in ("rules", "eagerness"):
        for field in FIELDS:
            values = [str(r[what][field]) for r in last.values() if what in r]
            if values:
                out[f"{field}: {what}"] = Counter(values)
    return {name: dict(counter.most_common()) for name, counter in out.items() if counter}


def curve(results: Sequence[Result], field: str, reference: str) -> Summary:
    """The learning curve of one field, with the data that is saved against the reference."""
    if field == "overall":
        return summarize(results, reference=reference, unit="mails")
    own = [{**r, "overall": r["types"][field], "types": {}} for r in results]
    return summarize(own, reference=reference, unit="mails")


def as_plain(compared: Iterable[Comparison]) -> list[Mapping[str, Any]]:
    """Comparisons as plain data."""
    return [asdict(one) for one in compared]
