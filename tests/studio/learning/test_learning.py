"""Learning beside the requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.learning.choose import is_reserved
from dovetail.studio.learning.learning import Learning
from studio.learning.made_up import talks

LONG = 120.0
DOCUMENTS, RIGHT = talks(60)
LABELS = {"names": ["PER", "LOC"], "none": ["X"]}


@pytest.fixture
def learning() -> Iterator[Learning]:
    made = Learning(LABELS, DOCUMENTS.__getitem__, list(DOCUMENTS), threads=1)
    yield made
    made.stop()


def test_what_is_labelled_is_learnt_and_told(learning: Learning) -> None:
    told: list[Mapping[str, Any]] = []
    learning.start(told.append)
    assert learning.wait(LONG)
    assert learning.suggest(50) == {"names": (), "none": ()}
    learning.opened(50)
    learning.changed({k: {"names": RIGHT[k]} for k in range(40)})
    assert learning.wait(LONG)
    found = {(s.start, s.end, s.label) for s in learning.suggest(50)["names"]}
    assert found == {(s.start, s.end, s.label) for s in RIGHT[50].spans}
    assert [one["version"] for one in told if not one["training"]] == sorted(
        one["version"] for one in told if not one["training"]
    )
    assert told[-1]["version"] == learning.version
    learning.relabelled({"names": ["PER"]})
    assert learning.wait(LONG)
    assert {s.label for s in learning.suggest(50)["names"]} <= {"PER"}


def test_the_next_document_is_one_that_is_open_and_questions_are_asked(learning: Learning) -> None:
    learning.start(lambda _: None)
    done = {k: {"names": RIGHT[k], "none": Annotation(done=True)} for k in range(12)}
    learning.changed(done)
    assert learning.wait(LONG)
    found = learning.next()
    assert found is not None
    assert found.document >= 12
    assert "least sure" in found.reason
    other = learning.next(found.document)
    assert other is not None
    assert other.document != found.document
    assert learning.next(20, "order") == (21, "the next in order")
    asked = learning.question("names")
    assert asked is not None
    place = (asked.document, asked.start, asked.end)
    another = learning.question("names", {place})
    assert another is not None
    assert (another.document, another.start, another.end) != place
    assert learning.question("none") is None
    nothing = Annotation((), (Span(asked.start, asked.end, ""),))
    learning.changed({asked.document: {"names": nothing}})
    again = learning.question("names")
    assert again is None or (again.document, again.start, again.end) != place
    learning.changed({k: {name: Annotation(done=True) for name in LABELS} for k in DOCUMENTS})
    assert learning.next() is None


def test_progress_rests_on_what_was_suggested_before(learning: Learning) -> None:
    learning.start(lambda _: None)
    suggested = {}
    for k in DOCUMENTS:
        suggested[k] = (k, learning.suggest(k)["names"])
        learning.changed({k: {"names": RIGHT[k]}})
        if k % 10 == 9:
            assert learning.wait(LONG)
    told = learning.progress("names", suggested, dict.fromkeys(DOCUMENTS, 5.0))
    assert told["score"]["documents"] == sum(map(is_reserved, DOCUMENTS))
    assert 0.5 < told["score"]["f1"] <= 1
    assert told["time"] == {"median_seconds": 5.0}
    assert told["model"]["version"] == learning.version
    assert learning.suspicious("names") == []
