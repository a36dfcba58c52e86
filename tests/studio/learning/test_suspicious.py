"""Labels that may be wrong."""

from __future__ import annotations

from dataclasses import replace

from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.learning.suspicious import find_doubts
from studio.learning.made_up import talks


def test_a_wrong_label_is_found() -> None:
    documents, right = talks(80)
    k, first = next(
        (k, s) for k, one in right.items() for s in one.spans if s.label == "PER" and k > 5
    )
    others = tuple(s for s in right[k].spans if s != first)
    wrong = replace(right[k], spans=tuple(sorted([*others, Span(first.start, first.end, "LOC")])))
    found = find_doubts(list(documents.values()), {**right, k: wrong}, threads=1)
    assert [(one.document, one.label, one.suggested) for one in found[:1]] == [(k, "LOC", "PER")]
    assert found[0].spans == (first,)
    assert found[0].probability >= 0.9


def test_too_little_text_gives_no_doubts() -> None:
    documents, right = talks(3)
    assert find_doubts(list(documents.values()), right) == []
    assert find_doubts(list(documents.values()), dict.fromkeys(documents, Annotation())) == []
