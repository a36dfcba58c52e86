"""What of labels counts as spans by each scheme, and which scheme labels are of."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail.corpus import Column, Span, detect_scheme, spans
from dovetail.corpus.labels import find_spans

LABELS = ["I-A", "I-A", "O", "B-A", "E-A", "S-B", "I-B", "B-B", "B-B", "I-A", "O", "E-C"]


@pytest.mark.parametrize(
    ("reading", "found"),
    [
        ("IOB1", [(0, 2, "A"), (6, 7, "B"), (7, 8, "B"), (8, 9, "B"), (9, 10, "A")]),
        ("IOB2", [(3, 5, "A"), (7, 8, "B"), (8, 9, "B")]),
        ("IOBES", [(3, 5, "A"), (5, 6, "B")]),
        (
            "conlleval",
            [
                (0, 2, "A"), (3, 5, "A"), (5, 6, "B"), (6, 7, "B"), (7, 8, "B"), (8, 9, "B"),
                (9, 10, "A"), (11, 12, "C"),
            ],
        ),
    ],
)  # fmt: skip
def test_spans_of_mixed_labels_by_each_reading(reading, found) -> None:
    assert spans(LABELS, reading) == [Span(*one) for one in found]


@pytest.mark.parametrize("reading", ["IOB1", "IOB2", "IOBES", "conlleval"])
def test_a_whole_column_is_read_as_its_sequences_are(reading) -> None:
    sequences = [LABELS[:2], LABELS[1:], [], ["I-A"], ["I-B", None, "I-B"], LABELS[::-1]]
    bounds = np.cumsum([0, *map(len, sequences)])
    types: dict[str, int] = {}
    found = find_spans(
        Column.from_values([label for one in sequences for label in one]), bounds, types, reading
    )
    names = list(types)
    assert [
        Span(int(start), int(end), names[kind]) for start, end, kind in zip(*found, strict=True)
    ] == [
        Span(at + span.start, at + span.end, span.label)
        for at, labels in zip(bounds.tolist(), sequences, strict=False)
        for span in spans(labels, reading)
    ]


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        ([["S-A"]], "IOBES"),
        ([["B-A", "E-A"]], "IOBES"),
        ([["U-A"]], "IOBES"),
        ([["B-A", "I-A"], ["O"]], "IOB2"),
        ([["I-A"], ["I-A", "B-A"]], "IOB1"),
        ([["I-A"], ["B-B", "O", "B-B"]], "IOB2"),
        ([["I-A"], ["B-B"]], "IOB1"),
        ([["O", None], ["I-A"]], "IOB1"),
        ([["O"]], "IOB2"),
        ([[None]], "none"),
        ([], "none"),
        ([["NN", "B-A"]], "none"),
    ],
)
def test_schemes_are_detected(labels, scheme: str) -> None:
    assert detect_scheme(labels) == scheme
