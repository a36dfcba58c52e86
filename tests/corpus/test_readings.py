"""What of labels counts as spans by each scheme, and which scheme labels are of."""

from __future__ import annotations

import pytest

from dovetail.corpus import Span, detect_scheme, spans

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
