"""Brat, doccano and Label Studio: what is written is read, and what is wrong is named."""

from __future__ import annotations

import json
import logging
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import (
    Corpus,
    labels_from_spans,
    read,
    read_brat,
    read_doccano,
    read_label_studio,
    stream,
    write_brat,
    write_doccano,
    write_label_studio,
)
from dovetail.errors import DataError

READ = {"doccano": read_doccano, "label-studio": read_label_studio}
WRITE = {"doccano": write_doccano, "label-studio": write_label_studio, "brat": write_brat}


@st.composite
def corpora(draw, letters: str = "Aé1.,😀 \n") -> Corpus:
    """Texts with spans of their tokens, some of them in documents."""
    texts = draw(st.lists(st.text(letters, min_size=1, max_size=12), min_size=1, max_size=5))
    corpus = Corpus.from_texts([text for text in texts if text.strip()] or ["A"])
    labels = []
    for words in corpus.lists("word"):
        ends = sorted(draw(st.sets(st.integers(0, len(words)), max_size=4)))
        spans = [(a, b, draw(st.sampled_from(["PER", "x-y"]))) for a, b in pairwise(ends)]
        labels.append(labels_from_spans(spans, len(words)))
    documents = (
        draw(st.none() | st.sets(st.integers(1, len(corpus) - 1), max_size=3))
        if len(corpus) > 1
        else None
    )
    return Corpus(
        corpus.with_column("label", labels).columns,
        corpus.bounds,
        texts=corpus.texts,
        offsets=corpus.offsets,
        document_bounds=None if documents is None else [0, *sorted(documents), len(corpus)],
    )


@settings(max_examples=60)
@given(corpora(), st.sampled_from([*READ]))
def test_what_is_written_is_read(tmp_path_factory, corpus: Corpus, format: str) -> None:
    path = tmp_path_factory.getbasetemp() / "round.json"
    WRITE[format](corpus, path)
    assert READ[format](path) == corpus
    parts = stream(path, format, chunk_size=2)
    assert [w for part in parts for w in part.lists("word")] == corpus.lists("word")


@settings(max_examples=60)
@given(corpora(letters="Aé1.,😀 \r"))
def test_brat_keeps_lines_of_documents(tmp_path_factory, corpus: Corpus) -> None:
    texts = tuple(text.strip("\r") for text in corpus.texts)
    if texts != corpus.texts:
        return  # a line end, for brat
    folder = tmp_path_factory.mktemp("brat") / "new"
    write_brat(corpus, folder)
    back = read_brat(folder)
    assert back.lists("label") == corpus.lists("label")
    assert back.texts == corpus.texts
    if corpus.document_bounds is not None:
        assert back.document_bounds.tolist() == corpus.document_bounds.tolist()


@settings(max_examples=40)
@given(corpora())
def test_brat_keeps_whole_documents(tmp_path_factory, corpus: Corpus) -> None:
    corpus = Corpus(
        corpus.columns,
        corpus.bounds,
        texts=[text.rstrip("\n") for text in corpus.texts],
        offsets=corpus.offsets,
        document_bounds=range(len(corpus) + 1),
    )
    folder = tmp_path_factory.mktemp("brat") / "new"
    write_brat(corpus, folder)
    assert read_brat(folder, unit="document") == corpus


def test_tokens_between_blanks(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "isn\'t it?", "label": [[0, 5, "V"]]}\n')
    assert read_doccano(path, tokens="blanks").lists("word") == [["isn't", "it?"]]
    assert read_doccano(path).lists("label") == [["B-V", "I-V", "O", "O"]]
    with pytest.raises(DataError, match="into 'letters'"):
        read_doccano(path, tokens="letters")  # type: ignore[arg-type]


def test_texts_that_nobody_annotated_have_no_labels(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b", "label": []}\n')
    assert read_doccano(path).lists("label") == [[None], ["O"]]
    write_label_studio(read_doccano(path), tmp_path / "x.json")
    assert read(tmp_path / "x.json").lists("label") == [[None], ["O"]]


def test_exports_of_doccano(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    entity = {"id": 7, "label": "ORG", "start_offset": 0, "end_offset": 2}
    lines = [
        {"id": 1, "text": "EU no", "entities": [entity], "relations": [], "Comments": []},
        {"id": 2, "text": "EU no", "labels": [[0, 2, "ORG"]], "document": "a"},
        {"id": 3, "text": "  ", "label": []},
        {"id": 4, "text": "EU no", "label": [[0, 2, "ORG"]], "document": "a"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    corpus = read_doccano(path)
    assert corpus.lists("label") == [["B-ORG", "O"]] * 3
    assert corpus.document_bounds.tolist() == [0, 1, 3]


def test_exports_of_label_studio(tmp_path: Path) -> None:
    value = {"start": 2, "end": 5, "text": "Ada", "labels": ["PER"]}
    result = [
        {"value": value, "from_name": "label", "to_name": "text", "type": "labels", "id": "x"},
        {"value": {"choices": ["good"]}, "type": "choices"},
        {"type": "relation", "from_id": "x", "to_id": "x"},
    ]
    tasks = [
        {"id": 1, "data": {"text": "😀 Ada"}, "annotations": [{"result": result}]},
        {
            "id": 2,
            "data": {"body": "😀 Ada", "n": 1},
            "annotations": [{"was_cancelled": True, "result": []}],
            "predictions": [{"result": [{"value": {**value, "start": 3, "end": 6}}]}],
        },
        {"id": 3, "text": "😀 Ada", "label": [{"start": 2, "end": 5, "labels": ["PER"]}]},
        {"id": 4, "text": "😀 Ada", "label": "good", "names": [value]},
        {"id": 5, "data": {"text": "😀 Ada"}, "annotations": []},
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps(tasks))
    assert read(path).lists("label") == [["O", "B-PER"]] * 4 + [[None, None]]


def test_annotations_that_label_studio_would_not_write(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for odd in ("abc", {"a": 1}, ["x", {}], 5):
        path.write_text(json.dumps([{"text": "Ada", "annotations": odd}]))
        assert read(path).texts == ("Ada",)


def test_many_places_counted_as_javascript_does(tmp_path: Path) -> None:
    words = [f"a😀{k}" for k in range(20_000)]
    text = "😀" + " ".join(words)
    spans, at = [], 2
    for word in words:
        spans.append({"start": at, "end": at + len(word) + 1, "text": word, "labels": ["X"]})
        at += len(word) + 2
    path = tmp_path / "x.json"
    result = [{"type": "labels", "value": span} for span in spans]
    path.write_text(json.dumps([{"data": {"text": text}, "annotations": [{"result": result}]}]))
    start = time.process_time()
    corpus = read(path)
    assert time.process_time() - start < 4  # far longer where it grows with the square
    assert corpus.lists("label")[0].count("B-X") == 20_000
    path.write_text(json.dumps([{"text": text, "label": [{**spans[0], "start": 4}]}]))
    with pytest.raises(DataError, match=r"the span 4-6 says 'a😀0' where the text has"):
        read(path)


def pair(folder: Path, text: str, annotations: str | None) -> Path:
    (folder / "a.txt").write_bytes(text.encode())
    if annotations is not None:
        (folder / "a.ann").write_text(annotations)
    return folder / "a.ann"


def test_brat_counts_every_character_of_line_ends(tmp_path: Path, caplog) -> None:
    text = "EU said\r\nno to\r\nAda  Lopez\r\n"
    lines = "T1\tORG 0 2\tEU\nT2\tPER 16 19;21 26\tAda Lopez\nR1\tx Arg1:T1 Arg2:T2\n#1\tA T1\tb\n"
    with caplog.at_level(logging.WARNING):
        corpus = read(pair(tmp_path, text, lines))
    assert corpus.lists("label") == [["B-ORG", "O"], ["O", "O"], ["B-PER", "I-PER"]]
    assert corpus.texts == ("EU said", "no to", "Ada  Lopez")
    assert "a.ann: 2 relations, events" in caplog.text


def test_brat_without_annotations(tmp_path: Path) -> None:
    corpus = read_brat(pair(tmp_path, "EU said\n\nno\nto", None), unit="paragraph")
    assert corpus.names == ("word",)
    assert corpus.texts == ("EU said", "no\nto")


BAD_ANNOTATIONS = {
    "T1 ORG 0 2 EU": "a.ann:1: not a span of brat's form",
    "T1\tORG 0\tEU": "a.ann:1: not a span",
    "T1\tORG 0 99\tEU": "a.ann:1: 0-99 does not fit a text of 16 characters",
    "T1\tORG 2 2\t": "a.ann:1: 2-2 does not fit",
    "\nT1\tORG 0 2\tUN": "a.ann:2: the span says 'UN' where the text has 'EU'",
    "T1\tORG 0 2;8 10\tEU no": "a.ann:1: the span 'EU no' is discontinuous",
    "T1\tORG 3 10\tsaid no": "goes beyond a line; read the file with a larger unit",
    "T1\tORG 8 10\tno\nT2\tX 8 13\tno to": "a.ann: the spans ORG 8 10 and X 8 13 overlap",
    "T1\tX 8 9\tn\nT2\tY 9 10\to": r"a.txt:2: the span \[1, 2, 'Y'\] shares a token",
    "MENTION\tT1\t0\t2\tEU": "a.ann:1: not a line of brat's: 'MENTION",
    "T1\tORG 2 3\t ": "holds no token",
}


@pytest.mark.parametrize("annotations", BAD_ANNOTATIONS)
def test_bad_annotations_of_brat(tmp_path: Path, annotations: str) -> None:
    with pytest.raises(DataError, match=BAD_ANNOTATIONS[annotations]):
        read_brat(pair(tmp_path, "EU said\nno to it", annotations))


def test_brat_reads_larger_units(tmp_path: Path) -> None:
    path = pair(tmp_path, "EU said\nno to it\n", "T1\tORG 3 7;8 10\tsaid no\n")
    corpus = read_brat(path, unit="document")
    assert corpus.lists("label") == [["O", "B-ORG", "I-ORG", "O", "O"]]
    write_brat(corpus, tmp_path / "b.txt")
    assert (tmp_path / "b.ann").read_text() == "T1\tORG 3 7;8 10\tsaid no\n"
    with pytest.raises(DataError, match="no unit 'word'"):
        read_brat(path, unit="word")  # type: ignore[arg-type]


def test_brat_writes_only_where_nothing_is(tmp_path: Path, monkeypatch) -> None:
    corpus = Corpus.from_texts(["a", "b"], unit="line")
    with pytest.raises(DataError, match="one document, not 2: name a folder"):
        write_brat(corpus, tmp_path / "x.ann")
    (tmp_path / "old").mkdir()
    write_brat(corpus, tmp_path / "old")
    assert sorted(file.name for file in (tmp_path / "old").iterdir()) == [
        "1.ann",
        "1.txt",
        "2.ann",
        "2.txt",
    ]
    with pytest.raises(DataError, match="there already"):
        write_brat(corpus, tmp_path / "old")
    with pytest.raises(DataError, match="cannot write"):
        write_brat(corpus, tmp_path / "nowhere" / "new")
    with pytest.raises(DataError, match="'a b' cannot be written for brat"):
        write_brat(corpus.with_column("label", [["B-a b"], ["O"]]), tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    with pytest.raises(DataError, match=r"no \.txt files"):
        read_brat(tmp_path)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="name a new folder"):
        write_brat(corpus, ".")


@pytest.mark.parametrize(("named", "other"), [("x.ann", "x.txt"), ("x.txt", "x.ann")])
def test_brat_does_not_write_over_a_file_that_was_not_named(
    tmp_path: Path, named: str, other: str
) -> None:
    corpus = Corpus.from_texts(["a"])
    (tmp_path / other).write_text("EU B-ORG\n")
    with pytest.raises(DataError, match=f"{other} is there already and would be written too"):
        write_brat(corpus, tmp_path / named)
    assert (tmp_path / other).read_text() == "EU B-ORG\n"
    (tmp_path / named).write_text("")
    write_brat(corpus, tmp_path / named)
    assert read_brat(tmp_path / other).lists("word") == [["a"]]


def test_brat_takes_files_that_belong_together(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("EU")
    (tmp_path / "b.ann").write_text("T1\tORG 0 2\tEU")
    with pytest.raises(DataError, match=r"b\.ann has no text: b\.txt is not there"):
        read_brat(tmp_path)
    with pytest.raises(DataError, match=r"a\.txt\.gz is neither a folder nor"):
        read_brat(tmp_path / "a.txt.gz")


def test_brat_tells_paragraphs_whatever_the_line_ends(tmp_path: Path) -> None:
    corpus = read_brat(pair(tmp_path, "EU said\r\nno\r\n \r\nto it\r\n", None), unit="paragraph")
    assert corpus.texts == ("EU said\r\nno", "to it")


BAD_LINES = {
    '{"label": []}': 'x:2: there is no "text"',
    '{"text": 1}': "x:2: the text must be a string",
    '{"text": "ab cd", "label": 1}': 'x:2: "spans" must be a list',
    '{"text": "ab cd", "label": ["PER"]}': "x:2: span 1 must be two whole numbers",
    '{"text": "ab cd", "label": [[0, 9, "X"]]}': "x:2: span 1.* does not fit a text of 5",
    '{"text": "ab cd", "label": [[0, 2, "X"], [1, 5, "Y"]]}': "x:2: .* overlap",
    '{"text": "ab cd", "label": [[0, 1, "X"], [1, 2, "Y"]]}': "x:2: .* shares a token",
    '{"text": "ab cd", "entities": [{"start_offset": 0, "label": "X"}]}': "x:2: span 1 must",
    "{": "x:2: not JSON",
}


@pytest.mark.parametrize("line", BAD_LINES)
def test_bad_lines_of_doccano(tmp_path: Path, line: str) -> None:
    (tmp_path / "x").write_text(f'{{"text": "a"}}\n{line}\n')
    with pytest.raises(DataError, match=BAD_LINES[line]):
        read_doccano(tmp_path / "x")


def test_of_several_annotations_of_label_studio_the_latest_counts(tmp_path: Path, caplog) -> None:
    def annotation(label: str, **when: str) -> dict[str, object]:
        return {"result": [{"value": {"start": 0, "end": 2, "labels": [label]}}], **when}

    first, second = "2026-01-01T10:00:00Z", "2026-01-02T09:00:00Z"
    tasks = [
        [annotation("X", created_at=second), annotation("Y", created_at=first)],
        [annotation("X", created_at=first), annotation("Y", updated_at=second)],
        [annotation("X"), annotation("Y")],
        [annotation("X", created_at=second), annotation("Y") | {"was_cancelled": True}],
    ]
    path = tmp_path / "x.json"
    path.write_text(json.dumps([{"data": {"text": "ab"}, "annotations": own} for own in tasks]))
    with caplog.at_level(logging.WARNING):
        assert read(path).lists("label") == [["B-X"], ["B-Y"], ["B-Y"], ["B-X"]]
    assert "x.json: 3 tasks have several annotations; the latest is taken" in caplog.text


def task(**value: object) -> dict[str, object]:
    return {"data": {"text": "ab cd"}, "annotations": [{"result": [{"value": value}]}]}


BAD_TASKS = [
    (1, "task 2: a JSON object was expected"),
    ({"data": 1}, 'task 2: "data" must be'),
    ({"data": {"url": "a", "b": "c"}}, 'task 2: there is no "text" among url, b'),
    ({"data": {"text": "a"}, "annotations": {}} | {"annotations": {"x": 1}}, "must be a list"),
    ({"data": {"text": "a"}, "annotations": [{}]}, '"result" must be a list'),
    ({"text": "a", "label": "X"}, "the spans must be a list"),
    (
        {"text": "a", "x": [{"labels": ["X"]}], "y": [{"labels": ["Y"]}]},
        "task 2 has spans under x and y; keep those of one",
    ),
    ({"text": "a", "label": ["X"]}, "a span must be a JSON object, not 'X'"),
    (task(start=0, end=2, labels=["X", "Y"]), "0-2 must have one label"),
    (task(start=0, end=2, text="cd", labels=["X"]), "says 'cd' where the text has 'ab'"),
    (task(start="/p[1]", end=2, hypertextlabels=["X"]), "span 1 must be two whole numbers"),
]


@pytest.mark.parametrize(("bad", "message"), BAD_TASKS)
def test_bad_tasks_of_label_studio(tmp_path: Path, bad: object, message: str) -> None:
    (tmp_path / "x.json").write_text(json.dumps([{"data": {"text": "a"}}, bad]))
    with pytest.raises(DataError, match=message):
        read_label_studio(tmp_path / "x.json")


@pytest.mark.parametrize("format", WRITE)
def test_texts_are_needed(tmp_path: Path, format: str) -> None:
    with pytest.raises(DataError, match="this corpus has none"):
        WRITE[format](Corpus.from_lists({"word": [["a"]]}), tmp_path / "x")


@pytest.mark.parametrize("format", WRITE)
def test_names_are_needed(tmp_path: Path, format: str) -> None:
    corpus = Corpus.from_texts(["ab cd"]).with_column("label", [["B", "I"]])
    with pytest.raises(DataError, match="sequence 1: spans of text need names, not just B"):
        WRITE[format](corpus, tmp_path / "x")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 9) | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "text",
                    "label",
                    "labels",
                    "entities",
                    "start",
                    "end",
                    "data",
                    "annotations",
                    "result",
                    "value",
                    "predictions",
                    "start_offset",
                    "document",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=150)
@given(json_values, st.sampled_from([*READ]))
def test_anything_is_a_corpus_or_a_data_error(tmp_path_factory, value, format: str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.json"
    path.write_text(json.dumps(value))
    try:
        corpus = READ[format](path)
    except DataError:
        return
    assert all(len(sequence) for sequence in corpus)


@settings(max_examples=100)
@given(st.text("T1\t X0;29\n#", max_size=30))
def test_any_annotation_is_a_corpus_or_a_data_error(tmp_path_factory, annotations: str) -> None:
    folder = tmp_path_factory.getbasetemp()
    try:
        corpus = read_brat(pair(folder, "EU said\nno to it", annotations))
    except DataError:
        return
    assert len(corpus) == 2
