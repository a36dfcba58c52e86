"""How far annotators agree, and where they do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dovetail.studio.annotation import Annotation, Document
from dovetail.studio.tables import OUTSIDE

Done = Mapping[str, Mapping[int, Annotation]]
"""The annotations that are done, of each annotator by documents."""


@dataclass(frozen=True)
class PairAgreement:
    """Two annotators on the documents that both have done.

    ``f1`` counts spans with the same ends and label, ``kappa`` is Cohen's, of the labels of tokens;
    None where there is nothing to compare or no other outcome was possible.
    """

    annotators: tuple[str, str]
    documents: int
    tokens: int
    f1: float | None
    kappa: float | None
    f1_by_label: Mapping[str, float]


@dataclass(frozen=True)
class Agreement:
    """All annotators of a layer. ``alpha`` is Krippendorff's, of the labels of tokens, over all
    documents that two or more have done; ``differing`` are documents that are not settled, with
    the number of tokens on which somebody differs."""

    pairs: tuple[PairAgreement, ...]
    alpha: float | None
    documents: int
    differing: Mapping[int, int]


def measure_agreement(
    documents: Mapping[int, Document], done: Done, settled: Iterable[int] = ()
) -> Agreement:
    """The agreement of annotators on one layer."""
    judged = {
        number: {name: own[number] for name, own in done.items() if number in own}
        for number in sorted({number for own in done.values() for number in own})
    }
    shared = {number: own for number, own in judged.items() if len(own) > 1}
    units: list[list[str]] = []  # of each token the labels that it got
    differing: dict[int, int] = {}
    for number, own in shared.items():
        columns = [label_tokens(documents[number], one) for one in own.values()]
        tokens = [list(labels) for labels in zip(*columns, strict=True)]
        units += tokens
        if len({frozenset(one.spans) for one in own.values()}) > 1:
            differing[number] = sum(len(set(labels)) > 1 for labels in tokens) or 1
    closed = set(settled)
    return Agreement(
        tuple(_compare(documents, done, pair) for pair in combinations(done, 2)),
        krippendorff_alpha(units),
        len(shared),
        {number: count for number, count in differing.items() if number not in closed},
    )


def label_tokens(document: Document, annotation: Annotation) -> list[str]:
    """The label of the span that each token is in."""
    labels = [OUTSIDE] * len(document.tokens)
    for span in annotation.spans:
        labels[span.start : span.end] = [span.label] * (span.end - span.start)
    return labels


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Agreement of two lists of labels beyond that of chance.

    >>> cohen_kappa(list("AABB"), list("AABA"))
    0.5
    """
    n = len(one)
    if not n:
        return None
    observed = sum(a == b for a, b in zip(one, other, strict=True)) / n
    counts = Counter(one), Counter(other)
    expected = sum(counts[0][label] * counts[1][label] for label in counts[0]) / n**2
    return None if expected == 1 else (observed - expected) / (1 - expected)


def krippendorff_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Krippendorff's alpha of nominal labels; each unit has those that it got, of any number of
    annotators.

    >>> krippendorff_alpha([["A", "A"], ["B", "B"], ["A", "B"]])
    0.4444444444444444
    """
    totals: Counter[str] = Counter()
    disagreement = 0.0
    for unit in units:
        m = len(unit)
        if m < 2:
            continue
        counts = Counter(unit)
        totals.update(counts)
        disagreement += (m * m - sum(c * c for c in counts.values())) / (m - 1)
    n = sum(totals.values())
    expected = n * n - sum(c * c for c in totals.values())
    return None if not expected else 1 - disagreement * (n - 1) / expected


def _compare(documents: Mapping[int, Document], done: Done, pair: tuple[str, str]) -> PairAgreement:
    one, other = (done[name] for name in pair)
    shared = sorted(one.keys() & other.keys())
    labels: tuple[list[str], list[str]] = ([], [])
    sizes: Counter[str] = Counter()  # spans of both, by label
    common: Counter[str] = Counter()
    for number in shared:
        for column, annotation in zip(labels, (one[number], other[number]), strict=True):
            column += label_tokens(documents[number], annotation)
            sizes.update(span.label for span in annotation.spans)
        both = set(one[number].spans) & set(other[number].spans)
        common.update(span.label for span in both)
    total = sum(sizes.values())
    return PairAgreement(
        pair,
        len(shared),
        len(labels[0]),
        2 * sum(common.values()) / total if total else None,
        cohen_kappa(*labels),
        {label: 2 * common[label] / size for label, size in sorted(sizes.items())},
    )
