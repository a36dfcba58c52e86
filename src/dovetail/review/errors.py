"""The errors of a model on labelled sequences: which they are, and how sure it was of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from dovetail.corpus import Scheme, detect_scheme
from dovetail.errors import DataError
from dovetail.review.differences import Difference, Kind, Tagged, find_differences

NOTHING = "-"  # where one side has no span


@dataclass(frozen=True)
class Confusion:
    """What is given and predicted instead, None where there is no span, and how often."""

    gold: str | None
    predicted: str | None
    kind: Kind
    count: int


@dataclass(frozen=True)
class ReviewedSequence:
    """A sequence by its number, from 0, with both labellings and where they differ.

    ``confidence`` is that of the error that the model is surest of or, where there is none, of the
    label that it doubts most.
    """

    index: int
    words: list[str]
    gold: list[str]
    predicted: list[str]
    confidences: list[float]
    differences: list[Difference]
    confidence: float

    def words_of(self, difference: Difference) -> list[str]:
        """The words of a difference."""
        return self.words[difference.start : difference.end]

    def text(self, difference: Difference) -> str:
        """The same with blanks between them."""
        return " ".join(self.words_of(difference))


@dataclass(frozen=True, eq=False)
class ErrorReport:
    """All sequences, compared; ``by_spans`` where labels write spans."""

    sequences: list[ReviewedSequence]
    by_spans: bool

    @property
    def n_right(self) -> int:
        """How many sequences are wholly right."""
        return sum(not sequence.differences for sequence in self.sequences)

    @property
    def share_right(self) -> float:
        """The share of sequences that are wholly right."""
        return self.n_right / len(self.sequences) if self.sequences else 0.0

    @property
    def wrong(self) -> list[ReviewedSequence]:
        """Sequences with errors, those that the model is surest of first."""
        found = [sequence for sequence in self.sequences if sequence.differences]
        return sorted(found, key=lambda sequence: -sequence.confidence)

    @property
    def doubted(self) -> list[ReviewedSequence]:
        """Sequences that are wholly right, those that the model doubts most first."""
        found = [one for one in self.sequences if one.words and not one.differences]
        return sorted(found, key=lambda sequence: sequence.confidence)

    @property
    def confusions(self) -> list[Confusion]:
        """What is taken for what, the most frequent first."""
        counts = Counter(
            (one.gold, one.predicted, one.kind) for _, one in self.differences_in_order()
        )
        found = [Confusion(*key, count) for key, count in counts.items()]
        return sorted(found, key=lambda one: (-one.count, str(one.gold), str(one.predicted)))

    def differences_in_order(self) -> Iterator[tuple[ReviewedSequence, Difference]]:
        """Every difference with its sequence, in the order of the text."""
        for sequence in self.sequences:
            for difference in sequence.differences:
                yield sequence, difference

    def suspicious(self, at_least: float = 0.9) -> list[tuple[ReviewedSequence, Difference]]:
        """Given labels that may be wrong: a model that has not seen them (`cross_validate`) is at
        least so sure of another one. The most confident first.

        A span that is missed counts only if other sequences have all its words: a model is sure
        that words which it never saw are no name, and knows nothing of them.
        """
        if not 0 <= at_least <= 1:
            raise DataError(f"at_least is {at_least}; give a probability")
        seen = Counter(word for sequence in self.sequences for word in set(sequence.words))
        found = [
            (sequence, one)
            for sequence, one in self.differences_in_order()
            if one.confidence >= at_least
            and (one.kind != "missed" or all(seen[w] > 1 for w in sequence.words_of(one)))
        ]
        return sorted(found, key=lambda pair: -pair[1].confidence)

    def to_dict(self, top: int | None = None) -> dict[str, Any]:
        """Plain data, for JSON; of each list of sequences the first ``top``."""
        return {
            "sequences": len(self.sequences),
            "sequences_right": self.n_right,
            "share_right": self.share_right,
            "confusions": [asdict(one) for one in self.confusions],
            "wrong": [sequence_to_dict(one) for one in self.wrong[:top]],
            "doubted": [sequence_to_dict(one) for one in self.doubted[:top]],
        }

    def to_text(self, top: int = 20) -> str:
        """The report as text; of each list the first ``top``."""
        total = len(self.sequences)
        wrong, doubted = self.wrong, self.doubted
        lines = [f"{self.n_right:,} of {total:,} sequences wholly right ({self.share_right:.1%})"]
        confusions = self.confusions
        if confusions:
            lines += ["", f"confusions{_of(top, len(confusions))}", *_table(confusions[:top])]
        if wrong:
            lines += ["", f"wrong, most confident first{_of(top, len(wrong))}"]
            for one in wrong[:top]:
                lines.append(f"sequence {one.index + 1}: {' '.join(one.words)}")
                lines += [f"  {difference_to_text(one, found)}" for found in one.differences]
        if doubted:
            lines += ["", f"right but doubted{_of(top, len(doubted))}"]
            for one in doubted[:top]:
                place = one.confidences.index(one.confidence)
                doubt = f"{one.words[place]} is {one.predicted[place]} {one.confidence:.2f}"
                lines.append(f"sequence {one.index + 1}: {' '.join(one.words)}\n  {doubt}")
        return "\n".join(lines)

    def suspicious_to_text(self, at_least: float = 0.9, top: int = 20) -> str:
        """The suspicious labels as text, the first ``top`` of them."""
        found = self.suspicious(at_least)
        head = f"{len(found):,} suspicious labels: models that have not seen them are at least "
        lines = [f"{head}{at_least:.0%} sure of another{_of(top, len(found))}"]
        for sequence, one in found[:top]:
            lines.append(f"sequence {sequence.index + 1}: {' '.join(sequence.words)}")
            lines.append(f"  {difference_to_text(sequence, one)}")
        return "\n".join(lines)

    def suspicious_to_list(self, at_least: float = 0.9) -> list[dict[str, Any]]:
        """The suspicious labels as plain data, for JSON."""
        return [
            {"sequence": sequence.index + 1, **_difference_to_dict(sequence, one)}
            for sequence, one in self.suspicious(at_least)
        ]


def review(
    words: Sequence[Sequence[str | None]],
    gold: Sequence[Sequence[str]],
    tagged: Sequence[Tagged],
    scheme: Scheme | None = None,
) -> ErrorReport:
    """Compare given labels with what a model says of the same sequences.

    >>> from dovetail import Tagger
    >>> X, y = [[["the"], ["cat"]]], [["DET", "NOUN"]]
    >>> tagger = Tagger(c2=0.1).fit(X, y)
    >>> report = review([["the", "cat"]], [["DET", "VERB"]], tagger.tag(X))
    >>> report.confusions
    [Confusion(gold='VERB', predicted='NOUN', kind='label', count=1)]
    """
    if not len(words) == len(gold) == len(tagged):
        raise DataError(
            f"there are words of {len(words)}, labels of {len(gold)} and taggings of "
            f"{len(tagged)} sequences: give as many of each"
        )
    if scheme is None:
        scheme = detect_scheme([*gold, *(one.labels for one in tagged)])
    by_spans = scheme != "none"
    out = []
    for index, (tokens, given, found) in enumerate(zip(words, gold, tagged, strict=True)):
        if not len(tokens) == len(given) == len(found.labels):
            raise DataError(
                f"sequence {index + 1}: {len(tokens)} words, {len(given)} given labels and "
                f"{len(found.labels)} predicted ones"
            )
        differences = find_differences(given, found, by_spans=by_spans)
        confidence = max(
            (one.confidence for one in differences), default=min(found.confidences, default=1.0)
        )
        shown = [word or "_" for word in tokens]
        labels = (list(given), list(found.labels), list(found.confidences))
        out.append(ReviewedSequence(index, shown, *labels, differences, confidence))
    return ErrorReport(out, by_spans)


def difference_to_text(sequence: ReviewedSequence, one: Difference) -> str:
    """A difference as a line: the words, what is given and what is predicted, and how sure."""
    given, found = one.gold or NOTHING, one.predicted or NOTHING
    kind = f", {one.kind}" if "boundaries" in one.kind else ""
    what = f"{given} -> {found}{kind}"
    return f"{one.confidence:.2f}  {what}: {sequence.text(one)}"


def sequence_to_dict(sequence: ReviewedSequence) -> dict[str, Any]:
    """A sequence as plain data, its number from 1 as the command line has it."""
    facts = {**vars(sequence)}
    number = facts.pop("index") + 1
    facts["differences"] = [_difference_to_dict(sequence, one) for one in sequence.differences]
    return {"sequence": number, **facts}


def _difference_to_dict(sequence: ReviewedSequence, one: Difference) -> dict[str, Any]:
    return {**one._asdict(), "text": sequence.text(one)}


def _of(top: int, total: int) -> str:
    return f" ({top:,} of {total:,})" if total > top else ""


def _table(confusions: Sequence[Confusion]) -> list[str]:
    rows = [(f"{c.count:,}", c.gold or NOTHING, c.predicted or NOTHING, c.kind) for c in confusions]
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    return [
        f"  {count.rjust(widths[0])}  {gold.ljust(widths[1])} -> {found.ljust(widths[2])}  {kind}"
        for count, gold, found, kind in rows
    ]
