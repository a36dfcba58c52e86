"""What each part of a representation is worth: pairs of systems, tested on the same text.

Two tests. That of the paper takes every token for a draw of its own: a chi-square test of right
tokens, which knows nothing of pairs. The other asks whether the difference would be found in
further domains: a paired t-test of the scores in each domain, means over samples. Its p is
corrected for the number of pairs that a study compares (Holm 1979).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

from dovetail.compare import Result
from dovetail.compare.formatting import format_p_value
from dovetail.evaluate import chi_square_test, paired_t_test

RANDOM = ", random start"
PAIRS = (  # what each part is worth
    ("classes", "HMM", "hidden states over plain classes"),
    ("classes", "I-classes", "several sets of classes"),
    ("I-classes", "I-HMM", "hidden states over plain classes, in layers"),
    ("HMM", "HMM+E", "E"),
    ("HMM", "HMM+D", "D"),
    ("HMM+D+E", "I-HMM+D+E", "layers"),
    ("I-HMM", "I-HMM+E", "E in layers"),
    ("I-HMM+E", "I-HMM+D+E", "D in layers"),
    ("I-HMM+D+E", "P-HMM+D+E", "P"),
    ("I-HMM+E", "P-HMM+E", "P without D"),
    ("I-HMM+E", "I-HMM+E, around", "states of neighbours"),
    *(
        ("HMM, trained as long", f"{kind}, weight {weight:g}", f"{kind}, weight {weight:g},")
        for kind in ("D", "D per class", "D on bigrams")
        for weight in (0.3, 1.0, 3.0)
    ),
    *(
        ("HMM, trained as long" + RANDOM, f"{kind}, weight 3{RANDOM}", f"{kind}{RANDOM},")
        for kind in ("D per class", "D on bigrams")
    ),
)
FEWEST_DOMAINS = 3


@dataclass(frozen=True)
class Pair:
    """What ``after`` gains over ``before``: the mean over domains and samples, in how many domains
    and samples it is above; ``tokens`` is the largest p of the samples in the chi-square test,
    ``domains`` that of the paired test, ``corrected`` the same for all pairs of the study."""

    before: str
    after: str
    what: str
    gain: float
    samples_up: int
    n_samples: int
    domains_up: int
    n_domains: int
    tokens: float | None
    domains: float | None
    corrected: float | None = None

    def in_words(self) -> str:
        """What is gained, and how surely."""
        told = [
            f"up in {self.samples_up} of {self.n_samples} samples, "
            f"{self.domains_up} of {self.n_domains} domains"
        ]
        if self.tokens is not None:
            told.append(f"tokens p {format_p_value(self.tokens)}")
        if self.domains is not None and self.corrected is not None:
            corrected = format_p_value(self.corrected)
            told.append(f"domains p {format_p_value(self.domains)}, corrected p {corrected}")
        return f"{self.what} {signed2(self.gain)} ({'; '.join(told)})"

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)


def compared(results: Sequence[Result]) -> list[Pair]:
    """The pairs of which a study has both systems."""
    systems: dict[str, dict[int, Result]] = {}
    for result in results:
        systems.setdefault(result["system"], {})[result["split"]] = result
    pairs = [
        _pair(before, after, what, systems[before], systems[after])
        for before, after, what in PAIRS
        if before in systems and after in systems
    ]
    found = [pair.domains for pair in pairs if pair.domains is not None]
    corrected = iter(correct_for_number(found))
    return [
        pair if pair.domains is None else Pair(**{**asdict(pair), "corrected": next(corrected)})
        for pair in pairs
    ]


def _pair(
    before: str, after: str, what: str, one: Mapping[int, Result], other: Mapping[int, Result]
) -> Pair:
    samples = sorted(set(one) & set(other))
    names = list(one[samples[0]]["types"])
    scores = [
        [mean(own[k]["types"][name]["f1"] for k in samples) for name in names]
        for own in (other, one)
    ]
    counted = all("right" in one[samples[0]]["types"][name] for name in names)
    test = paired_t_test(*scores) if len(names) >= FEWEST_DOMAINS else None
    return Pair(
        before,
        after,
        what,
        mean(other[k]["overall"]["f1"] - one[k]["overall"]["f1"] for k in samples),
        sum(other[k]["overall"]["f1"] > one[k]["overall"]["f1"] for k in samples),
        len(samples),
        sum(a > b for a, b in zip(*scores, strict=True)),
        len(names),
        max(pooled_p(other[k], one[k]) for k in samples) if counted else None,
        None if test is None else test.p,
    )


def correct_for_number(ps: Sequence[float]) -> list[float]:
    """Each p, corrected for how many there are (Holm 1979).

    >>> correct_for_number([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(ps)), key=lambda k: ps[k])
    out, least = [0.0] * len(ps), 0.0
    for rank, k in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[k]))
        out[k] = least
    return out


def pooled_p(one: Result, other: Result) -> float:
    """The test of all right tokens of two systems."""
    counts = [
        sum(test[name] for test in result["types"].values())
        for result in (one, other)
        for name in ("right", "tokens")
    ]
    return chi_square_test(*counts)


def signed2(difference: float) -> str:
    """A small difference of scores in per cent, to a hundredth."""
    return f"{100 * difference:+.2f}".replace("-", "−")
