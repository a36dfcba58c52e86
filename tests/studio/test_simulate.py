"""Simulated labelling: what it costs, and that it is always the same."""

from __future__ import annotations

import itertools

import pytest

from dovetail import Corpus
from dovetail.corpus import labels_from_spans
from dovetail.studio.learning.questions import Region
from dovetail.studio.simulate import (
    METHODS,
    Cost,
    Gold,
    Point,
    Simulation,
    cost_to_reach,
    editing_cost,
    full_score,
    gaps,
)
from studio.learning.made_up import talks


def gold(n: int, seed: int = 0) -> Gold:
    documents, right = talks(n, seed)
    words = [list(one.tokens) for one in documents.values()]
    labels = [
        labels_from_spans([(s.start, s.end, s.label) for s in right[k].spans], len(one.tokens))
        for k, one in documents.items()
    ]
    return Gold.of(Corpus.from_lists({"word": words, "label": labels}), "label")


TEXT, TEST = gold(60), gold(25, seed=7)


def run(name: str, seed: int = 0) -> list[Point]:
    simulation = Simulation(TEXT, TEST, TEXT.labels, seed=seed, threads=1)
    return list(simulation.run(METHODS[name], lambda point: point.cost.documents >= 30))


def test_documents_are_those_of_the_corpus() -> None:
    documents, right = talks(60)
    assert [one.tokens for one in TEXT.documents.values()] == [
        one.tokens for one in documents.values()
    ]
    assert [one.spans for one in TEXT.annotations.values()] == [one.spans for one in right.values()]
    for one in TEXT.documents.values():
        assert [one.text[a:b] for a, b in one.offsets] == [*one.tokens]


@pytest.mark.parametrize("name", ["by hand", "suggestions", "choice", "questions"])
def test_a_simulation_is_the_same_each_time_and_costs_grow(name: str) -> None:
    points = run(name)
    assert points == run(name)
    assert points != run(name, seed=1)
    for before, after in itertools.pairwise(points):
        assert all(a <= b for a, b in zip(before.cost, after.cost, strict=True))
    assert points[-1].f1 > 0.6


def test_by_hand_an_action_is_a_span_or_a_document() -> None:
    last = run("by hand")[-1].cost
    assert last.actions == last.spans + last.documents
    assert last.read == last.asked


def test_help_costs_less() -> None:
    by_hand, helped, asked = (
        run(name)[-1].cost for name in ("by hand", "suggestions", "questions")
    )
    assert (helped.documents, helped.read) == (by_hand.documents, by_hand.read)
    assert helped.actions < by_hand.actions
    assert helped.keys < by_hand.keys
    assert asked.read < by_hand.read
    assert asked.asked <= asked.read


@pytest.mark.parametrize(
    ("suggested", "right", "actions", "keys"),
    [
        ([], [], 0, 0),
        ([], [(0, 3, "A")], 1, 4),
        ([(0, 3, "A")], [(0, 3, "A")], 0, 0),
        ([(0, 3, "A")], [], 1, 2),
        ([(0, 3, "B")], [(0, 3, "A")], 1, 2),
        ([(0, 2, "A")], [(0, 3, "A")], 1, 2),
        ([(0, 2, "B")], [(0, 3, "A")], 1, 3),
        ([(0, 9, "A")], [(0, 1, "A"), (5, 6, "A")], 2, 4),
        ([(0, 1, "A"), (1, 2, "A")], [(0, 2, "A")], 1, 2),
        ([(0, 1, "A"), (4, 5, "A")], [(0, 1, "A"), (7, 8, "B")], 2, 4),
    ],
)
def test_editing_is_paid_by_action_and_key(
    suggested: list[tuple[int, int, str]],
    right: list[tuple[int, int, str]],
    actions: int,
    keys: int,
) -> None:
    paid = editing_cost(suggested, right)
    kept = len({*suggested} & {*right})
    assert (paid.actions, paid.keys, paid.singly) == (actions, keys, actions + kept)


def test_a_region_without_spans_is_a_gap() -> None:
    assert [(one.start, one.end) for one in gaps(Region(2, 4, (), 0.0), [])] == [(2, 4)]


def test_the_cost_of_a_score_lies_between_points() -> None:
    points = [Point(Cost(10, 20), 0.2), Point(Cost(20, 60), 0.6), Point(Cost(30, 90), 0.5)]
    found = cost_to_reach(points, 0.4)
    assert found is not None
    assert (found["documents"], found["actions"]) == pytest.approx((15, 40))
    assert cost_to_reach(points, 0.7) is None


def test_the_full_score_is_that_of_all_documents() -> None:
    assert full_score(TEXT, TEST, TEXT.labels, threads=1) > 0.9
