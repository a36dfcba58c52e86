"""The models in the loop: they learn, suggest, ask and tell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dovetail
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.importing import Reading
from dovetail.studio.journal import Place
from dovetail.studio.loop import Loop
from dovetail.studio.project import Project

MakeProject = Callable[..., Project]
WAIT = 120  # seconds; a machine may be busy
NAMES = ["Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"]


@pytest.fixture
def talks(make_project: MakeProject, tmp_path: Path) -> Project:
    """Eight short texts, a speaker in each."""
    path = tmp_path / "talks.txt"
    path.write_text("".join(f"The speaker is Dr. {name} today.\n" for name in NAMES))
    reading = Reading("text", document="line")
    return make_project(files=[path], labels={"label": ["SPEAKER"]}, reading=reading)


def finish(project: Project, loop: Loop, *documents: int) -> None:
    """Label the speaker of some texts as a person would."""
    for number in documents:
        annotation = Annotation((Span(3, 5, "SPEAKER"),), done=True)
        project.journal.act(Place("me", number, "label"), "label", annotation)
    loop.changed("me", documents)


def found(loop: Loop, document: int) -> list[tuple[int, int, str]]:
    return [(s.start, s.end, s.label) for s in loop.suggest("me", document)["label"]]


def test_suggestions_follow_what_is_labelled(talks: Project) -> None:
    news: list[tuple[str, Any]] = []
    loop = Loop(talks, threads=1)
    loop.start(lambda annotator, what: news.append((annotator, what)))
    try:
        assert found(loop, 8) == []
        finish(talks, loop, 1, 2, 3, 4)
        assert loop.wait(WAIT)
        assert found(loop, 8) == [(3, 5, "SPEAKER")]
        assert 0 < loop.suggest("me", 8)["label"][0].probability <= 1
        refused = Annotation(rejected=(Span(3, 5, "SPEAKER"),))
        talks.journal.act(Place("me", 8, "label"), "reject", refused)
        assert found(loop, 8) == []
    finally:
        loop.stop()
    assert news[-1][1]["version"] == loop.version("me") > 0
    assert {annotator for annotator, _ in news} == {"me"}


def test_a_project_that_is_opened_again_goes_on_where_it_was(talks: Project) -> None:
    loop = Loop(talks, threads=1)
    finish(talks, loop, 1, 2, 3, 4)
    loop.stop()
    again = Loop(talks, threads=1)
    again.start(lambda *_: None)
    try:
        assert again.wait(WAIT)
        assert found(again, 8) == [(3, 5, "SPEAKER")]
    finally:
        again.stop()


def test_old_taggers_suggest_from_the_first_document_on(
    make_project: MakeProject, tmp_path: Path
) -> None:
    lists = {
        "word": [["Dr.", name, "spoke"] for name in NAMES],
        "ner": [["B-PER", "I-PER", "O"] for _ in NAMES],
    }
    tagger = dovetail.Tagger(c2=0.1, threads=1).fit(Corpus.from_lists(lists), label="ner")
    tagger.save(tmp_path / "ner.dovetail")
    (tmp_path / "a.txt").write_text("Dr. Ada spoke\n")
    project = make_project(
        files=[tmp_path / "a.txt"],
        labels={"label": ["SPEAKER"]},
        taggers=[tmp_path / "ner.dovetail"],
        same={"PER": "SPEAKER"},
    )
    loop = Loop(project, threads=1)
    loop.start(lambda *_: None)
    try:
        assert loop.wait(WAIT)
        assert found(loop, 1) == [(0, 2, "SPEAKER")]
    finally:
        loop.stop()


def test_old_taggers_need_the_columns_that_they_read(
    make_project: MakeProject, tmp_path: Path
) -> None:
    lists = {"word": [["Ada"]] * 2, "pos": [["N"]] * 2, "ner": [["B-PER"], ["O"]]}
    tagger = dovetail.Tagger(c2=0.1, threads=1).fit(Corpus.from_lists(lists), label="ner")
    tagger.save(tmp_path / "ner.dovetail")
    (tmp_path / "a.txt").write_text("Dr. Ada spoke\n")
    project = make_project(
        files=[tmp_path / "a.txt"], labels={"label": ["X"]}, taggers=[tmp_path / "ner.dovetail"]
    )
    with pytest.raises(DataError, match=r"'ner' reads the column 'pos'.*they have word"):
        Loop(project)


def test_annotators_have_models_of_their_own(talks: Project) -> None:
    talks.token_of("Bo")
    loop = Loop(talks, threads=1)
    loop.start(lambda *_: None)
    try:
        finish(talks, loop, 1, 2, 3, 4)
        assert loop.wait(WAIT)
        assert found(loop, 8)
        assert loop.suggest("Bo", 8)["label"] == []
    finally:
        loop.stop()


def test_what_models_tell_over_http(talks: Project, make_client: Callable[..., Any]) -> None:
    client = make_client(talks)
    for number in range(1, 7):
        client.get(f"/api/documents/{number}")
        span = {"start": 3, "end": 5, "label": "SPEAKER"}
        client.act(number, add=[span], done=True, seconds=4)
    client.loop.wait(WAIT)
    [suggested] = client.get("/api/suggestions", documents="8").json()["documents"]["8"]["label"]
    assert (suggested["start"], suggested["end"]) == (3, 5)
    progress = client.get("/api/progress").json()
    assert progress["time"]["median_seconds"] == 4
    assert progress["counts"]["done"] == 6
    asked = client.get("/api/questions").json()
    if asked["question"] is not None:
        one = asked["question"]
        place = f"{one['document']}:{one['start']}:{one['end']}"
        assert client.get("/api/questions", skip=place).json()["question"] != one
    assert client.get("/api/questions", skip="x").status_code == 400
    assert client.get("/api/suspicious").json() == {
        "items": [],
        "message": "models doubt no label of what is done",
    }
    assert client.get("/api/progress", layer="x").status_code == 400
    json.dumps(progress, allow_nan=False)


def test_labels_that_are_renamed_are_learnt_anew(
    talks: Project, make_client: Callable[..., Any]
) -> None:
    client = make_client(talks)
    for number in range(1, 5):
        client.act(number, add=[{"start": 3, "end": 5, "label": "SPEAKER"}], done=True)
    layers = [{"name": "label", "labels": ["WHO"]}]
    change = {"layers": layers, "map": {"label": {"SPEAKER": "WHO"}}}
    assert client.send("PUT", "/api/layers", change).status_code == 200
    client.loop.wait(WAIT)
    [suggested] = client.get("/api/suggestions", documents="8").json()["documents"]["8"]["label"]
    assert suggested["label"] == "WHO"
