"""What an evaluation found: counts for each label, scores that follow from them, a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Scores(NamedTuple):
    """Precision, recall and their harmonic mean, all between 0 and 1."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class Counts:
    """True positives, false positives and false negatives; undefined scores are 0.

    >>> counts = Counts(tp=3, fp=1, fn=3)
    >>> counts.precision, counts.recall, counts.f1
    (0.75, 0.5, 0.6)
    """

    tp: int
    fp: int
    fn: int

    @property
    def precision(self) -> float:
        """Share of the predicted that are right."""
        return self.tp / (self.tp + self.fp) if self.tp else 0.0

    @property
    def recall(self) -> float:
        """Share of the true ones that were found."""
        return self.tp / (self.tp + self.fn) if self.tp else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.tp / (2 * self.tp + self.fp + self.fn) if self.tp else 0.0

    @property
    def support(self) -> int:
        """How many there truly are."""
        return self.tp + self.fn

    @property
    def predicted(self) -> int:
        """How many were predicted."""
        return self.tp + self.fp


@dataclass(frozen=True, eq=False)
class Report:
    """Result of an evaluation by spans or by tokens.

    ``labels`` has the counts of each type of span, or each label, in alphabetical order.
    ``sequences`` [sequences, 5] has tp, fp, fn, right tokens and all tokens of each sequence,
    from which the rest follows and from which `bootstrap` draws.
    """

    kind: Literal["spans", "tokens"]
    labels: Mapping[str, Counts]
    sequences: NDArray[np.int64]

    @property
    def micro(self) -> Counts:
        """Counts of all labels together."""
        return Counts(*(int(n) for n in self.sequences[:, :3].sum(axis=0)))

    @property
    def macro(self) -> Scores:
        """Unweighted mean of the scores of the labels."""
        n = max(len(self.labels), 1)
        counts = self.labels.values()
        return Scores(
            sum(c.precision for c in counts) / n,
            sum(c.recall for c in counts) / n,
            sum(c.f1 for c in counts) / n,
        )

    @property
    def accuracy(self) -> float:
        """Share of tokens with the right label."""
        correct, tokens = (int(n) for n in self.sequences[:, 3:].sum(axis=0))
        return correct / tokens if tokens else 0.0

    @property
    def n_tokens(self) -> int:
        """Number of tokens."""
        return int(self.sequences[:, 4].sum())

    @property
    def n_sequences(self) -> int:
        """Number of sequences."""
        return len(self.sequences)

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain values, ready for JSON."""
        return {
            "kind": self.kind,
            "sequences": self.n_sequences,
            "tokens": self.n_tokens,
            "accuracy": self.accuracy,
            "micro": _entry(self.micro),
            "macro": self.macro._asdict(),
            "labels": {name: _entry(counts) for name, counts in self.labels.items()},
        }

    def to_text(self) -> str:
        """The numbers as an aligned table, scores in per cent, in the manner of conlleval.

        >>> from dovetail.evaluate import evaluate_spans
        >>> print(evaluate_spans([["B-PER", "O"]], [["B-PER", "B-LOC"]]).to_text())
        2 tokens in 1 sequences; 1 spans, 2 predicted, 1 correct; accuracy 50.00
        <BLANKLINE>
               precision  recall      F1  support  predicted
        LOC         0.00    0.00    0.00        0          1
        PER       100.00  100.00  100.00        1          1
        micro      50.00  100.00   66.67        1          2
        macro      50.00   50.00   50.00
        """
        rows = self._rows()
        widths = [max(len(row[i]) for row in rows) for i in range(6)]
        lines = [
            "  ".join(
                cell.rjust(width) if i else cell.ljust(width)
                for i, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        return "\n".join([self._summary(), "", *lines])

    def _repr_html_(self) -> str:
        head, *rows = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in self._rows())
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        return (
            f"<p>{escape(self._summary())}</p><table><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def _summary(self) -> str:
        total = self.micro
        head = f"{self.n_tokens} tokens in {self.n_sequences} sequences; "
        if self.kind == "spans":
            head += f"{total.support} spans, {total.predicted} predicted, {total.tp} correct; "
        return f"{head}accuracy {100 * self.accuracy:.2f}"

    def _rows(self) -> list[list[str]]:
        """The table, its head first, scores in per cent."""
        rows = [["", "precision", "recall", "F1", "support", "predicted"]]
        rows += [_row(name or "(no type)", counts) for name, counts in self.labels.items()]
        rows.append(_row("micro", self.micro))
        rows.append(["macro", *(f"{100 * score:.2f}" for score in self.macro), "", ""])
        return rows


def _row(name: str, c: Counts) -> list[str]:
    scores = (f"{100 * score:.2f}" for score in (c.precision, c.recall, c.f1))
    return [name, *scores, str(c.support), str(c.predicted)]


def _entry(c: Counts) -> dict[str, float | int]:
    return {
        "precision": c.precision,
        "recall": c.recall,
        "f1": c.f1,
        "support": c.support,
        "predicted": c.predicted,
        "correct": c.tp,
    }
