"""What was labelled comes out in every format that is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from dovetail.corpus import FORMATS, read, spans
from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, Change, Span, edit
from dovetail.studio.exporting import export
from dovetail.studio.importing import Reading
from dovetail.studio.journal import Place
from dovetail.studio.project import Project
from dovetail.studio.settled import agreed_annotations

MakeProject = Callable[..., Project]
WANTED = [("Ada Lopez", "SPEAKER"), ("noon", "TIME")]


def say(
    project: Project, document: int, *found: Span, layer: str = "label", done: bool = True
) -> None:
    place = Place("me", document, layer)
    present = project.journal.current(place).annotation
    project.journal.act(place, "label", edit(present, Change(add=found, done=done)))


def write(project: Project, target: Path, format: str, **wishes: str) -> list[Path]:
    find = agreed_annotations(project, "me")
    return list(export(project, target, format, find, **wishes).files)  # type: ignore[arg-type]


@pytest.fixture
def labelled(project: Project) -> Project:
    """The first document is done."""
    say(project, 1, Span(2, 4, "SPEAKER"), Span(6, 7, "TIME"))
    return project


@pytest.mark.parametrize("format", [name for name, one in FORMATS.items() if one.write])
def test_spans_of_every_format(labelled: Project, format: str, tmp_path: Path) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    suffix = "" if format == "brat" else (FORMATS[format].suffixes or (".jsonl",))[0]
    [path] = write(labelled, tmp_path / f"out{suffix}", format)
    corpus = read(path, format)
    found = [
        (" ".join(words[a:b]), label)
        for words, labels in zip(corpus.lists("word"), corpus.lists("label"), strict=True)
        for a, b, label in (spans(labels) if format != "parserator" else plain(labels))
    ]
    assert found == WANTED


def plain(labels: list[str | None]) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    for k, label in enumerate(labels):
        if label in (None, "O"):
            continue
        if out and out[-1][1:] == (k, label):
            out[-1] = (out[-1][0], k + 1, label or "")
        else:
            out.append((k, k + 1, label or ""))
    return out


def test_what_is_not_known_is_missing(labelled: Project, tmp_path: Path) -> None:
    say(labelled, 2, Span(0, 2, "SPEAKER"), done=False)
    [path] = write(labelled, tmp_path / "all.jsonl", "jsonl", what="all")
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert lines[-1]["labels"][:3] == ["B-SPEAKER", "I-SPEAKER", None]
    assert None not in lines[0]["labels"]


def test_spans_that_were_drawn_by_characters_are_kept(project: Project, tmp_path: Path) -> None:
    say(project, 2, Span(0, 1, "SPEAKER", (0, 2)), Span(4, 5, "TIME"))
    [path] = write(project, tmp_path / "out.jsonl", "doccano")
    assert json.loads(path.read_text())["label"] == [[0, 2, "SPEAKER"], [20, 24, "TIME"]]
    [snapped] = write(project, tmp_path / "out.conll", "conll")
    assert snapped.read_text().splitlines()[2] == "Ada B-SPEAKER"


def test_layers_that_overlap(make_project: MakeProject, texts: list[Path], tmp_path: Path) -> None:
    project = make_project(
        files=texts, labels={"who": ["SPEAKER"], "topic": ["TALK"]}, reading=Reading("text")
    )
    say(project, 2, Span(0, 2, "SPEAKER"), layer="who")
    with pytest.raises(DataError, match="no document is done"):
        write(project, tmp_path / "no.conll", "conll")
    say(project, 2, Span(1, 3, "TALK"), layer="topic")
    [path] = write(project, tmp_path / "both.jsonl", "jsonl", layer="topic")
    line = json.loads(path.read_text())
    assert line["labels"][:3] == ["O", "B-TALK", "I-TALK"]
    assert line["who"][:3] == ["B-SPEAKER", "I-SPEAKER", "O"]
    with pytest.raises(DataError, match="no layer 'x'"):
        write(project, tmp_path / "x.jsonl", "jsonl", layer="x")


def test_files_of_conll_come_out_as_they_were(make_project: MakeProject, tmp_path: Path) -> None:
    contents = {
        "a.conll": b"Ada  NNP B-PER\r\nran  VBD O\r\n\r\n\r\nBo NNP O\r\n",
        "b.conll": b"Rome B-LOC",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    files = [tmp_path / name for name in contents]
    project = make_project(files=files)
    written = write(project, tmp_path / "out", "conll", what="all")
    assert {path.name: path.read_bytes() for path in written} == contents
    say(project, 2, Span(0, 1, "PER"))
    write(project, tmp_path / "out", "conll", what="all")
    changed = contents["a.conll"].replace(b"Bo NNP O", b"Bo NNP B-PER")
    assert (tmp_path / "out" / "a.conll").read_bytes() == changed
    assert (tmp_path / "out" / "b.conll").read_bytes() == contents["b.conll"]


def test_texts_beside_conll_files_have_a_file_of_their_own(
    make_project: MakeProject, texts: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "a.conll").write_bytes(b"Ada B-SPEAKER\n")
    make_project(files=[tmp_path / "a.conll"], labels={"label": ["SPEAKER"]}).close()
    project = make_project(files=texts[1:])
    written = write(project, tmp_path / "out", "conll", what="all")
    assert [path.name for path in written] == ["a.conll", "talks.conll"]
    assert read(written[1], columns=["word", "label"]).n_tokens == 6


def test_an_annotation_of_nothing_is_outside(labelled: Project) -> None:
    assert agreed_annotations(labelled)(2) == {}
    labelled.journal.act(Place("me", 2, "label"), "done", Annotation(done=True))
    assert agreed_annotations(labelled)(2) == {"label": Annotation(done=True)}
    with pytest.raises(DataError, match="no annotator 'x'"):
        agreed_annotations(labelled, "x")
