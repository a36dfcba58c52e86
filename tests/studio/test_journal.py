"""The journal: what is cached is what it comes to, and undo and redo are inverses."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.errors import DataError
from dovetail.studio.annotation import EMPTY, Annotation, Change, Document, Span, edit
from dovetail.studio.journal import Place, StaleError
from dovetail.studio.layers import Layer
from dovetail.studio.project import Entry, Project, Source

N = 6
WORDS = tuple("abcdef")
OFFSETS = tuple((2 * k, 2 * k + 1) for k in range(N))
DOCUMENT = Document(0, "d", "a b c d e f", WORDS, OFFSETS, (0, N), ((0, 11),))
LABELS = ("A", "B")


def make(folder: Path, documents: int = 2) -> Project:
    project = Project.create(folder / "p", [Layer.of("x", LABELS), Layer.of("y", LABELS)])
    project.add([Source("s", "text", tuple(Entry(DOCUMENT) for _ in range(documents)))])
    return project


spans = st.builds(
    lambda a, n, label: Span(a, min(a + n, N), label),
    st.integers(0, N - 1),
    st.integers(1, 3),
    st.sampled_from(LABELS),
)
changes = st.one_of(
    st.builds(lambda s: Change(add=(s,)), spans),
    st.builds(lambda s: Change(remove=(s,)), spans),
    st.builds(lambda s: Change(reject=(s,)), spans),
    st.builds(lambda s: Change(unreject=(s,)), spans),
    st.builds(lambda d: Change(done=d), st.booleans()),
    st.builds(lambda n, f: Change(note=n, flag=f), st.sampled_from(["", "hm"]), st.booleans()),
)
layers = st.sampled_from(["x", "y"])
documents = st.integers(1, 2)
steps = st.one_of(
    st.tuples(st.just("act"), documents, layers, changes),
    st.tuples(st.just("rule"), layers, spans),
    st.tuples(st.sampled_from(["undo", "redo"]), documents),
    st.tuples(st.just("map"), layers, st.sampled_from([{"A": "B"}, {"B": None}, {"A": "A"}])),
)


def do(project: Project, step: tuple) -> None:
    journal = project.journal
    if step[0] == "act":
        place = Place("me", step[1], step[2])
        journal.act(place, "label", edit(journal.current(place).annotation, step[3]))
    elif step[0] == "rule":
        places = [Place("me", number, step[1]) for number in (1, 2)]
        change = Change(add=(step[2],))
        journal.act_together(
            "rule", {place: edit(journal.current(place).annotation, change) for place in places}
        )
    elif step[0] == "map":
        journal.map_labels(step[1], step[2])
    else:
        with suppress(DataError):  # there is nothing to take back
            getattr(journal, step[0])("me", step[1])


def state(project: Project, document: int = 1) -> list[Annotation]:
    return [project.current("me", document, layer).annotation for layer in ("x", "y")]


@given(st.lists(steps, max_size=12))
@settings(max_examples=60, deadline=None)
def test_what_is_cached_is_the_journal_replayed(given: list[tuple]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with make(Path(folder)) as project:
            for step in given:
                do(project, step)
            assert project.journal.replay() == project.journal.all_current()
            kept = project.journal.all_current()
        with Project.open(Path(folder, "p")) as project:
            assert project.journal.all_current() == kept


@given(st.lists(st.tuples(layers, changes), min_size=1, max_size=10))
@settings(max_examples=60, deadline=None)
def test_undo_takes_all_back_and_redo_does_it_again(given: list[tuple[str, Change]]) -> None:
    with tempfile.TemporaryDirectory() as folder, make(Path(folder)) as project:
        states = [state(project)]
        for layer, change in given:
            do(project, ("act", 1, layer, change))
            if state(project) != states[-1]:
                states.append(state(project))
        for wanted in reversed(states[:-1]):
            project.journal.undo("me", 1)
            assert state(project) == wanted
        with pytest.raises(DataError, match="nothing to undo"):
            project.journal.undo("me", 1)
        for wanted in states[1:]:
            project.journal.redo("me", 1)
            assert state(project) == wanted
        with pytest.raises(DataError, match="nothing to redo"):
            project.journal.redo("me", 1)


def test_one_undo_takes_back_a_rule_in_all_documents(tmp_path: Path) -> None:
    with make(tmp_path) as project:
        journal = project.journal
        span = Span(0, 1, "A")
        journal.act_together("rule", {Place("me", k, "x"): Annotation((span,)) for k in (1, 2)})
        own = Span(3, 4, "B")
        journal.act(Place("me", 2, "x"), "label", Annotation((span, own)))
        assert {place.document for place in journal.undo("me", 1)} == {1, 2}
        assert project.current("me", 1, "x").annotation == EMPTY
        assert project.current("me", 2, "x").annotation.spans == (own,)
        assert [len(units) for units in journal.history("me", 2)] == [1, 1]
        assert [len(units) for units in journal.history("me", 1)] == [0, 1]
        journal.redo("me", 1)
        assert project.current("me", 2, "x").annotation.spans == (span, own)


def test_undo_speaks_the_labels_that_there_are_now(tmp_path: Path) -> None:
    with make(tmp_path) as project:
        place = Place("me", 1, "x")
        project.journal.act(place, "label", Annotation((Span(0, 1, "A"),)))
        project.journal.act(place, "label", EMPTY)
        assert project.journal.map_labels("x", {"A": "B"}) == 0
        project.journal.undo("me", 1)
        assert project.current("me", 1, "x").annotation.spans == (Span(0, 1, "B"),)


def test_annotators_undo_their_own_actions_only(tmp_path: Path) -> None:
    with make(tmp_path) as project:
        project.token_of("Bo")
        for who in ("me", "Bo"):
            project.journal.act(Place(who, 1, "x"), "label", Annotation((Span(0, 1, "A"),)))
        project.journal.undo("Bo", 1)
        assert project.current("me", 1, "x").annotation.spans
        assert not project.current("Bo", 1, "x").annotation.spans


def test_an_action_on_a_former_state_is_refused(tmp_path: Path) -> None:
    with make(tmp_path) as project:
        place = Place("me", 1, "x")
        project.journal.act(place, "label", Annotation((Span(0, 1, "A"),)), base=0)
        with pytest.raises(StaleError):
            project.journal.act(place, "label", EMPTY, base=0)


@pytest.mark.parametrize("statement", ["UPDATE journal SET kind = 'x'", "DELETE FROM journal"])
def test_the_journal_cannot_be_changed(tmp_path: Path, statement: str) -> None:
    import sqlite3

    with make(tmp_path) as project:
        project.journal.act(Place("me", 1, "x"), "label", Annotation((Span(0, 1, "A"),)))
        with (
            pytest.raises(sqlite3.IntegrityError, match="append-only"),
            project.database.transaction() as run,
        ):
            run(statement)


def test_characters_of_a_span_are_kept(tmp_path: Path) -> None:
    with make(tmp_path) as project:
        place = Place("me", 1, "x")
        for characters in ((0, 1), None, (0, 1)):
            project.journal.act(place, "label", Annotation((Span(0, 1, "A", characters),)))
            assert project.current("me", 1, "x").annotation.spans[0].characters == characters
        project.journal.undo("me", 1)
        assert project.current("me", 1, "x").annotation.spans[0].characters is None
