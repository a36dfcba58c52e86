"""Files of every format that is read become documents, with the labels that they have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dovetail
from dovetail.corpus import FORMATS, Corpus
from dovetail.errors import DataError
from dovetail.interop.conversion import prepare_corpus
from dovetail.studio.importing import Reading, labels_in, read_source
from dovetail.studio.opening import Wishes, open_project
from dovetail.studio.project import Entry

EMOJI = "\U0001f600 Ada flew to \u5317\u4eac."


def spans(entry: Entry, layer: str = "label") -> list[tuple[str, str]]:
    """The texts of an entry's spans, and their labels."""
    offsets, text = entry.document.offsets, entry.document.text
    return [
        (text[offsets[span.start][0] : offsets[span.end - 1][1]], span.label)
        for span in entry.annotations[layer].spans
    ]


def corpus() -> Corpus:
    lists = {
        "word": [["Ada", "Lopez", "spoke"], ["in", "Rome"]],
        "label": [["B-PER", "I-PER", "O"], ["O", "B-LOC"]],
    }
    return Corpus.from_lists(lists)


@pytest.mark.parametrize("format", [name for name, f in FORMATS.items() if f.write])
def test_labels_of_every_format_that_is_written_are_read(format: str, tmp_path: Path) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    suffix = "" if format == "brat" else (FORMATS[format].suffixes or (".jsonl",))[0]
    path = tmp_path / f"made{suffix}"
    made, _ = prepare_corpus(corpus(), format)
    FORMATS[format].write(made, path)  # type: ignore[misc]
    source = read_source(path, Reading(format), [])
    found = [one for entry in source.entries for one in spans(entry)]
    assert found == [("Ada Lopez", "PER"), ("Rome", "LOC")]
    assert all(entry.annotations["label"].done for entry in source.entries)
    assert labels_in([source]) == {"label": ["LOC", "PER"]}


def test_a_text_is_a_document_of_units(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("One two.\nthree\n\n  Four\n")
    for unit, bounds in {"line": (0, 3, 4, 5), "paragraph": (0, 4, 5), "document": (0, 5)}.items():
        [entry] = read_source(path, Reading("text", unit=unit), []).entries  # type: ignore[arg-type]
        document = entry.document
        assert (document.bounds, entry.annotations) == (bounds, {})
        assert [document.text[a:b] for a, b in document.offsets] == list(document.tokens)
        for (first, end), (left, right) in zip(document.sequences, document.ranges, strict=True):
            assert all(left <= a < b <= right for a, b in document.offsets[first:end])


def test_documents_of_a_corpus_stay_together(tmp_path: Path) -> None:
    path = tmp_path / "news.conll"
    path.write_text("-DOCSTART- O\n\nAda B-PER\n\nran O\n\n-DOCSTART- O\n\nBo B-PER\n")
    entries = read_source(path, Reading(), []).entries
    assert [(e.document.name, e.document.text, e.document.bounds) for e in entries] == [
        ("news.conll 1", "Ada\nran", (0, 1, 2)),
        ("news.conll 2", "Bo", (0, 1)),
    ]


def test_offsets_of_doccano_and_label_studio_are_code_points(tmp_path: Path) -> None:
    doccano = tmp_path / "doccano.jsonl"
    line = {"text": EMOJI, "label": [[2, 5, "PER"], [14, 16, "LOC"]]}
    doccano.write_text(json.dumps(line) + "\n")
    studio = tmp_path / "studio.json"
    value = {"start": 2, "end": 5, "text": "Ada", "labels": ["PER"]}
    result = [{"type": "labels", "from_name": "label", "to_name": "text", "value": value}]
    tasks = [
        {"data": {"text": EMOJI}, "annotations": [{"result": result}]},
        {"data": {"text": "not yet"}, "annotations": []},
    ]
    studio.write_text(json.dumps(tasks))
    [entry] = read_source(doccano, Reading(), []).entries
    assert spans(entry) == [("Ada", "PER"), ("\u5317\u4eac", "LOC")]
    first, second = read_source(studio, Reading(), []).entries
    assert spans(first) == [("Ada", "PER")]
    assert not second.annotations


def test_a_project_takes_over_the_labels_of_its_files(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text(
        '{"text": "EU no", "label": [[0, 2, "ORG"]]}\n{"text": "open", "entities": null}\n'
    )
    with open_project(tmp_path / "p", Wishes(files=[path])) as project:
        assert [layer.names for layer in project.layers] == [("ORG",)]
        assert project.count("me") == {"documents": 2, "done": 1, "open": 1}


def test_layers_are_columns_of_their_names(tmp_path: Path) -> None:
    path = tmp_path / "two.conll"
    path.write_text("Ada B-PER B-SPEAKER\nran O O\n")
    reading = Reading(columns="word,ner,field")
    source = read_source(path, reading, ["ner", "field"])
    assert {name: spans(source.entries[0], name) for name in ("ner", "field")} == {
        "ner": [("Ada", "PER")],
        "field": [("Ada", "SPEAKER")],
    }


def wishes(tmp_path: Path, name: str, content: bytes, **more: Any) -> Wishes:
    path = tmp_path / name
    path.write_bytes(content)
    return Wishes(files=[path], labels={"label": ["A"]}, **more)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", b"caf\xe9\n", r"a\.txt:1 is not UTF-8 .*iconv"),
        ("a.txt", b"\xff\xfea\x00", "is not UTF-8"),
        ("a.txt", b" \n", "holds no words"),
        ("a.jsonl", b"{", "not JSON"),
        ("a.conll", b"Ada B-PER\nran O X\n", "3 fields where 2 were expected"),
        ("a.conll", b"Ada B-PER\n", "has spans of PER, and the layer 'label' only A"),
    ],
)
def test_bad_files_are_refused_and_nothing_is_made(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    more = {"reading": Reading("text")} if name.endswith(".txt") else {}
    with pytest.raises(DataError, match=sentence):
        open_project(tmp_path / "p", wishes(tmp_path, name, content, **more))
    assert not (tmp_path / "p").exists()


def test_one_bad_file_among_good_ones_changes_nothing(tmp_path: Path) -> None:
    good = wishes(tmp_path, "good.txt", b"fine\n", reading=Reading("text"))
    open_project(tmp_path / "p", good).close()
    bad = wishes(tmp_path, "bad.txt", b"\xe9\n", reading=Reading("text"))
    both = Wishes(
        files=[*good.files, *bad.files], labels={"label": ["A", "B"]}, reading=Reading("text")
    )
    with pytest.raises(DataError, match="not UTF-8"):
        open_project(tmp_path / "p", both)
    with open_project(tmp_path / "p", Wishes()) as project:
        assert project.count("me")["documents"] == 1
        assert project.layers[0].names == ("A",)


def test_old_taggers_are_kept_with_the_project(tmp_path: Path) -> None:
    from dovetail.studio.opening import old_taggers

    tagger = dovetail.Tagger(c2=0.1).fit(corpus())
    tagger.save(tmp_path / "ner.dovetail")
    given = wishes(
        tmp_path, "a.txt", b"Ada\n", reading=Reading("text"), taggers=[tmp_path / "ner.dovetail"]
    )
    open_project(tmp_path / "p", given).close()
    (tmp_path / "ner.dovetail").unlink()
    with open_project(tmp_path / "p", Wishes()) as project:
        assert [*old_taggers(project)] == ["ner"]


def test_a_file_is_taken_in_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    given = wishes(tmp_path, "a.txt", b"fine\n", reading=Reading("text"))
    for _ in range(2):
        with open_project(tmp_path / "p", given) as project:
            assert project.count("me")["documents"] == 1
    assert "1 files are in p already" in caplog.text
    wishes(tmp_path, "a.txt", b"another\n")
    with open_project(tmp_path / "p", given) as project:
        assert project.count("me")["documents"] == 2
