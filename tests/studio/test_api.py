"""What the page asks for, over HTTP in this process."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dovetail.studio.importing import Reading
from dovetail.studio.project import Project

SPEAKER = {"start": 2, "end": 4, "label": "SPEAKER"}
TIME = {"start": 6, "end": 7, "label": "TIME"}


def test_the_project_is_shown(client: Any) -> None:
    found = client.get("/api/project").json()
    assert (found["name"], found["me"], found["annotators"]) == ("talks", "me", ["me"])
    assert [label["name"] for label in found["layers"][0]["labels"]] == ["SPEAKER", "TIME"]
    assert found["counts"] == {"documents": 2, "done": 0, "open": 2}


def test_a_document_is_shown_by_code_points(client: Any) -> None:
    found = client.get("/api/documents/1").json()
    assert found["bounds"] == [0, 7, 17]
    words = [found["text"][start:end] for start, end in found["tokens"]]
    assert words[2:4] == ["Ada", "Lopez"]
    assert words[-2:] == ["\U0001f600", "."]


def test_spans_are_added_moved_and_taken_away(client: Any) -> None:
    first = client.act(add=[SPEAKER]).json()
    assert first["annotation"]["spans"] == [SPEAKER]
    longer = {"start": 3, "end": 5, "label": "TIME"}
    assert client.act(add=[longer]).json()["annotation"]["spans"] == [longer]
    assert client.act(remove=[longer]).json()["annotation"]["spans"] == []


def test_undo_and_redo_over_http(client: Any) -> None:
    client.act(add=[SPEAKER])
    client.act(done=True)
    undone = client.post("/api/documents/1/undo", {}).json()
    assert (undone["annotations"]["label"]["done"], undone["can_redo"]) == (False, True)
    client.post("/api/documents/1/undo")
    assert client.spans() == []
    assert client.post("/api/documents/1/undo").status_code == 400
    client.post("/api/documents/1/redo")
    assert client.spans() == [(2, 4, "SPEAKER")]


def test_a_request_that_comes_twice_is_done_once(client: Any) -> None:
    for _ in range(2):
        answer = client.act(add=[SPEAKER], key="k1", base=0)
        assert answer.status_code == 200
        assert answer.json()["annotation"]["spans"] == [SPEAKER]
    client.act(add=[TIME])
    for _ in range(2):
        assert client.post("/api/documents/1/undo", {"key": "k2"}).status_code == 200
    assert client.spans() == [(2, 4, "SPEAKER")]


def test_a_stale_action_is_answered_with_what_there_is(client: Any) -> None:
    client.act(add=[SPEAKER])
    answer = client.act(add=[TIME], base=0)
    assert answer.status_code == 409
    assert answer.json()["annotation"]["spans"] == [SPEAKER]
    assert "another window" in answer.json()["error"]


def test_suggestions_that_were_seen_are_kept_once(client: Any, project: Project) -> None:
    for _ in range(2):
        client.get("/api/documents/1")
    [seen] = project.journal.suggested("me", "label").values()
    assert (seen["spans"], seen["labelled"]) == ([], 0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"add": [{"start": 0, "end": 99, "label": "TIME"}]}, "does not fit 17 tokens"),
        ({"add": [{"start": 6, "end": 8, "label": "TIME"}]}, "over the end of a sequence"),
        ({"add": [{"start": 0, "end": 1, "label": "X"}]}, "no label 'X', but SPEAKER, TIME"),
        ({"add": [{"start": 0, "end": 1}]}, "and a label"),
        ({"add": ["x"]}, "object of start, end and label"),
        ({"add": [SPEAKER, {**SPEAKER, "start": 3}]}, "overlap"),
        ({"add": [{**SPEAKER, "characters": [0, 99]}]}, "characters 0-99"),
        ({"add": 3}, "list of at most"),
        ({"kind": "x"}, "no kind of action 'x'"),
        ({"layer": "x"}, "no layer 'x'; the layers are: label"),
        ({"done": "yes"}, "'done' must be true or false"),
        ({"note": "x" * 20_000}, "at most 10000 characters"),
        ({"seconds": float("1e10")}, "'seconds' must be a number"),
        ({"base": -1}, "'base' must be a whole number"),
        ({"key": ""}, "1 to 100 characters"),
        ({"wrong": 1}, "there is no 'wrong' here"),
    ],
)
def test_bad_actions_are_one_sentence_and_change_nothing(
    client: Any, project: Project, given: dict[str, Any], sentence: str
) -> None:
    answer = client.act(**{"layer": "label", **given})
    assert answer.status_code == 400
    assert sentence in answer.json()["error"]
    assert not project.journal.all_current()


def test_bodies_that_are_no_json_or_too_large(
    make_client: Callable[..., Any], project: Project
) -> None:
    from dovetail.serve.limits import Limits

    client = make_client(project, limits=Limits(body=1000))
    path = "/api/documents/1/actions"
    for content, status, sentence in [
        (b"{", 400, "no JSON"),
        (b"[]", 400, "no object"),
        (b"\xff", 400, "not UTF-8"),
        (b'{"layer": NaN}', 400, "no JSON"),
        (b" " * 2000, 413, "larger than 1000 bytes"),
    ]:
        answer = client.post(path, content=content)
        assert (answer.status_code, sentence in answer.json()["error"]) == (status, True)
    assert not project.journal.all_current()


def test_who_asks_is_known_by_the_token(client: Any) -> None:
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic x"}):
        answer = client.http.get("/api/project", headers=headers)
        assert answer.status_code == 401
        assert "open the link" in answer.json()["error"]
    assert client.http.get("/").status_code == 200
    assert client.get("/api/documents/77").status_code == 404
    assert client.get("/api/nothing").json() == {"error": "there is nothing here"}
    assert client.post("/api/project").status_code == 405


def test_pages_of_other_sites_are_refused(client: Any) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}):
        answer = client.http.get("/api/project", headers={**client._headers, **headers})
        assert answer.status_code == 403


def test_documents_are_listed_by_state_and_text(client: Any) -> None:
    client.act(1, done=True)
    client.act(2, flag=True)

    def names(**query: Any) -> list[str]:
        return [one["name"] for one in client.get("/api/documents", **query).json()["documents"]]

    assert names() == ["mail.txt", "note.txt"]
    assert names(state="done") == ["mail.txt"]
    assert names(state="open") == ["note.txt"]
    assert names(state="flagged") == ["note.txt"]
    assert names(search="K\u00d6LN") == ["mail.txt"]
    assert names(search="%") == []
    assert names(offset=1) == ["note.txt"]
    assert client.get("/api/documents", state="x").status_code == 400
    assert client.get("/api/documents", limit="x").status_code == 400


def test_the_same_string_everywhere_is_shown_then_done_then_undone(client: Any) -> None:
    rule = {"layer": "label", "text": "Ada  Lopez", "label": "SPEAKER"}
    shown = client.post("/api/rule", {**rule, "dry": True}).json()
    assert [(m["document"], m["context"][1]) for m in shown["matches"]] == [
        (1, "Ada Lopez"),
        (2, "Ada Lopez"),
    ]
    assert (shown["applied"], client.spans()) == (0, [])
    done = client.post("/api/rule", {**rule, "dry": False, "key": "k"}).json()
    assert (done["applied"], done["changed"]) == (2, [1, 2])
    assert client.post("/api/rule", {**rule, "dry": False, "key": "k"}).json()["applied"] == 0
    assert (client.spans(1), client.spans(2)) == ([(2, 4, "SPEAKER")], [(0, 2, "SPEAKER")])
    assert client.post("/api/documents/2/undo").json()["changed"] == [1, 2]
    assert (client.spans(1), client.spans(2)) == ([], [])


def test_a_rule_leaves_alone_what_is_decided(client: Any) -> None:
    client.act(1, reject=[SPEAKER])
    client.act(2, done=True)
    rule = {"layer": "label", "text": "Ada Lopez", "label": "SPEAKER", "dry": True}
    assert client.post("/api/rule", rule).json()["total"] == 0
    assert client.post("/api/rule", {**rule, "done": True}).json()["total"] == 1
    assert client.post("/api/rule", {**rule, "text": " "}).status_code == 400


def test_labels_that_are_in_use_are_mapped_or_stay(client: Any) -> None:
    client.act(add=[SPEAKER])
    layers = [{"name": "label", "labels": ["WHO", {"name": "TIME", "key": "t", "hue": 7}]}]
    refused = client.send("PUT", "/api/layers", {"layers": layers})
    assert refused.status_code == 400
    assert "1 span of the layer 'label' would lose the label SPEAKER" in refused.json()["error"]
    bad = {"layers": layers, "map": {"label": {"SPEAKER": "X"}}}
    assert "no label of 'label'" in client.send("PUT", "/api/layers", bad).json()["error"]
    assert client.spans() == [(2, 4, "SPEAKER")]
    good = {"layers": layers, "map": {"label": {"SPEAKER": "WHO"}}}
    assert client.send("PUT", "/api/layers", good).json()["changed"] == 1
    assert client.spans() == [(2, 4, "WHO")]
    assert client.get("/api/labels").json() == {"label": {"WHO": 1}}
    client.post("/api/documents/1/undo")
    client.post("/api/documents/1/redo")
    assert client.spans() == [(2, 4, "WHO")]
    gone = {"layers": [{"name": "other", "labels": ["A"]}]}
    assert "cannot be taken away" in client.send("PUT", "/api/layers", gone).json()["error"]


def test_two_annotators_agree_differ_and_are_settled(
    make_project: Callable[..., Project], make_client: Callable[..., Any], texts: list[Path]
) -> None:
    project = make_project(
        files=texts,
        labels={"label": ["SPEAKER", "TIME"]},
        annotators=["Ada", "Bo"],
        reading=Reading("text"),
    )
    ada, bo = make_client(project, "Ada"), make_client(project, "Bo")
    ada.act(add=[SPEAKER, TIME], done=True)
    assert bo.spans() == []
    bo.act(add=[SPEAKER], done=True)
    found = ada.get("/api/agreement").json()
    [pair] = found["pairs"]
    assert (pair["annotators"], pair["documents"], pair["f1"]) == (["Ada", "Bo"], 1, 2 / 3)
    [difference] = found["differences"]
    assert (difference["document"], difference["tokens"]) == (1, 1)
    compared = bo.get("/api/documents/1/compare").json()
    assert (compared["differing"], compared["settled"]) == ([6], None)
    assert ada.get("/api/export", annotator="agreed").status_code == 400
    wanted = {"document": 1, "layer": "label", "annotator": "Ada"}
    assert bo.post("/api/settle", wanted).json()["settled"]["spans"] == [SPEAKER, TIME]
    assert ada.get("/api/agreement").json()["differences"] == []
    assert ada.get("/api/export", annotator="agreed").status_code == 200
    assert bo.spans() == [(2, 4, "SPEAKER")]
    both = {"document": 1, "layer": "label", "annotator": "Ada", "spans": []}
    assert bo.post("/api/settle", both).status_code == 400
    assert bo.get("/api/project").json()["annotators"] == ["Ada", "Bo"]


def test_exports_are_files(client: Any) -> None:
    assert client.get("/api/export").status_code == 400
    client.act(add=[SPEAKER], done=True)
    answer = client.get("/api/export", format="doccano")
    assert answer.headers["content-disposition"] == 'attachment; filename="talks.jsonl"'
    line = json.loads(answer.text.splitlines()[0])
    assert line["label"] == [[5, 14, "SPEAKER"]]
    packed = client.get("/api/export", format="brat", what="all")
    names = zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    assert sum(name.endswith(".ann") for name in names) == 1 or names
    assert client.get("/api/export", format="x").status_code == 400
    assert client.get("/api/export", what="x").status_code == 400
    assert client.get("/api/export", annotator="x").status_code == 400


def test_next_is_what_is_not_done(client: Any) -> None:
    assert client.send("PUT", "/api/settings", {"strategy": "order"}).json()["strategy"] == "order"
    assert client.get("/api/next").json()["id"] == 1
    assert client.get("/api/next", after=1).json()["id"] == 2
    client.act(1, done=True)
    client.act(2, done=True)
    assert client.get("/api/next").json()["id"] is None
    assert (
        "no strategy 'x'" in client.send("PUT", "/api/settings", {"strategy": "x"}).json()["error"]
    )


def test_a_model_is_made_of_what_is_done(client: Any) -> None:
    answer = client.post("/api/finish")
    assert answer.status_code == 400
    assert "no document with a span is done" in answer.json()["error"]
    client.act(1, add=[SPEAKER], done=True)
    client.act(2, add=[{"start": 0, "end": 2, "label": "SPEAKER"}], done=True)
    found = client.post("/api/finish").json()
    assert found["models"]["label"]["documents"] == 2
    assert Path(found["models"]["label"]["file"]).exists()
    assert "dovetail serve" in found["text"]


def test_a_disk_that_is_full_is_one_sentence(client: Any, project: Project) -> None:
    project.database.select("PRAGMA query_only = ON")
    answer = client.act(add=[SPEAKER])
    assert answer.status_code == 507
    assert "nothing of this was kept" in answer.json()["error"]
    project.database.select("PRAGMA query_only = OFF")
    assert client.spans() == []
    assert client.act(add=[SPEAKER]).status_code == 200


@pytest.mark.parametrize("number", ["9" * 19, "9" * 5000, "-1", "1e3", "0x1", "٣٤" * 9])
def test_numbers_that_no_document_has(client: Any, number: str) -> None:
    for part in ("", "/compare"):
        assert client.get(f"/api/documents/{number}{part}").status_code == 404
    for part in ("actions", "undo", "redo"):
        assert client.post(f"/api/documents/{number}/{part}", {}).status_code == 404
    refused = client.get("/api/suggestions", documents=f"1,{number}")
    assert refused.status_code == 400
    assert "numbers with commas" in refused.json()["error"]
