"""Corpora from format to format: what formats can hold arrives, and the rest is noted."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, labels_from_spans, read, tokenize, write_jsonl
from dovetail.errors import DataError, DovetailError
from dovetail.interop.conversion import (
    WRITABLE,
    convert,
    guess_source_format,
    guess_target_format,
    prepare_corpus,
)

FORMATS = [name for name in WRITABLE if name != "spacy"]
NAMES = {"brat": "folder", "label-studio": "x.json", "parserator": "x.xml", "doccano": "d.jsonl"}
CONLL = "-DOCSTART- O\n\nEU B-ORG\nrejects O\nNew B-LOC\nYork I-LOC\n\n-DOCSTART- O\n\nYes O\n"


def target(folder: Path, format: str) -> Path:
    return folder / NAMES.get(format, f"x.{format}")


@pytest.fixture
def conll(tmp_path: Path) -> Path:
    path = tmp_path / "in.conll"
    path.write_text(CONLL)
    return path


@pytest.mark.parametrize("format", [name for name in FORMATS if name != "parserator"])
def test_documents_and_spans_go_there_and_back(conll: Path, tmp_path: Path, format: str) -> None:
    path, back = target(tmp_path, format), tmp_path / "back.conll"
    there = convert(conll, path, target_format=format)
    made_up = there.notes[-1:] if format in ("brat", "doccano", "label-studio") else []
    assert there.notes == made_up
    assert all("words and single blanks" in note for note in made_up)
    convert(path, back, format, "conll")
    if format != "conllu":
        assert back.read_text() == CONLL + "\n"
    else:
        assert read(back).lists("label") == read(conll).lists("label")
        assert read(back).document_bounds.tolist() == [0, 1, 2]


def test_addresses_go_everywhere_and_come_back(tmp_path: Path) -> None:
    strings = "<Name><Last>Tan,</Last>  <Given>Ada</Given> <Given>B</Given></Name>"
    content = f"<Names>\n  {strings}\n</Names>\n"
    source, back = tmp_path / "in.xml", tmp_path / "back.xml"
    source.write_text(content)
    keeping = {"jsonl": {}, "parserator": {}, "doccano": {"tokens": "blanks"}}
    keeping |= {"label-studio": {"tokens": "blanks"}, "brat": {"tokens": "blanks"}}
    for format, reading in keeping.items():
        path = tmp_path / format
        convert(source, path, target_format=format)
        convert(path, back, format, reading=reading, writing={"tags": ("Names", "Name")})
        assert back.read_text() == content


@st.composite
def tables(draw) -> Corpus:
    """Texts as the tokenizer cuts them, with labels of a span scheme, all of them known."""
    texts = draw(st.lists(st.text("Aé1,. ", min_size=1, max_size=10), min_size=1, max_size=4))
    corpus = Corpus.from_texts([" ".join(text.split()) for text in texts if text.strip()] or ["A"])
    labels = []
    for text in corpus.texts:
        n = len(tokenize(text))
        ends = sorted(draw(st.sets(st.integers(0, n), max_size=3)))
        found = [(a, b, "X") for a, b in pairwise(ends)]
        labels.append(labels_from_spans(found, n))
    return corpus.with_column("label", labels)


@settings(max_examples=50)
@given(tables(), st.sampled_from([name for name in FORMATS if name not in ("parserator", "conll")]))
def test_without_notes_nothing_is_lost(tmp_path_factory, corpus: Corpus, format: str) -> None:
    folder = tmp_path_factory.mktemp("convert")
    made, notes = prepare_corpus(corpus, "jsonl")
    assert notes == []
    write_jsonl(made, folder / "in.jsonl")
    there = convert(folder / "in.jsonl", target(folder, format), target_format=format)
    convert(target(folder, format), folder / "back.jsonl", format, "jsonl")
    back = read(folder / "back.jsonl")
    if there.notes:
        assert there.notes == ["labels of the scheme IOB1 read back as IOB2"]
    assert (back.texts, back.lists("word")) == (corpus.texts, corpus.lists("word"))
    assert back.lists("label") == corpus.lists("label") or there.notes
    assert back.offsets.tolist() == corpus.offsets.tolist()


def corpus(labels: list[str | None], text: str = "a b c", **columns: list[list[str]]) -> Corpus:
    made = Corpus.from_texts([text]).with_column("label", [labels])
    for name, lists in columns.items():
        made = made.with_column(name, lists)
    return made


IOB2: list[str | None] = ["B-X", "I-X", "O"]
NOTED = [
    (corpus(IOB2, "a  b c"), "conll", "the text is gone: it reads back with single blanks"),
    (corpus(IOB2, "a  b c"), "conllu", "white space in the text becomes single blanks"),
    (corpus(IOB2, " a b c"), "parserator", "white space around the text is gone"),
    (corpus(IOB2, "a\nb c"), "brat", "sequences read back the same only by document, not by line"),
    (corpus(IOB2, pos=[["D"] * 3]), "doccano", "the column is gone: pos"),
    (corpus(IOB2, pos=[["D"] * 3]), "conllu", "the column is gone: pos"),
    (corpus(IOB2, pos=[["D"] * 3]), "conll", "the columns lose their names"),
    (corpus(["B-X", None, "O"]), "doccano", "missing labels read back as O"),
    (corpus([None] * 3), "brat", "missing labels read back as O"),
    (corpus(["B-X", None, "O"]), "parserator", "words without a label are text, not tokens"),
    (corpus(["B-X", "B-X", "O"]), "parserator", "neighbouring spans with one label become one"),
    (corpus(["S-X", "O", "O"]), "label-studio", "labels of the scheme IOBES read back as IOB2"),
    (corpus(["DT", "NN", "NN"]), "doccano", "plain labels become spans"),
    (corpus(["DT", "NN", "NN"]), "spacy", "plain labels become tags, the column xpos"),
]


@pytest.mark.parametrize(("given", "format", "note"), NOTED)
def test_what_is_lost_is_noted(given: Corpus, format: str, note: str) -> None:
    notes = prepare_corpus(given, format)[1]
    assert len(notes) == 1
    assert notes[0].startswith(note)


def test_documents_and_tokens_that_are_lost() -> None:
    made = Corpus.from_lists({"word": [["isn't", "it?"], ["b"]], "label": [["X", "Y"], ["O"]]})
    made = Corpus(made.columns, made.bounds, document_bounds=[0, 1, 2])
    assert prepare_corpus(made, "parserator")[1] == ["where documents begin is gone"]
    assert "tokens read back the same only if cut at blanks" in prepare_corpus(made, "doccano")[1]
    odd = Corpus(
        made.columns, made.bounds, texts=["isn'tit?", "b"], offsets=[(0, 5), (5, 8), (0, 1)]
    )
    assert "1 of 2 sequences read back with other tokens" in prepare_corpus(odd, "brat")[1]


def test_label_column_and_scheme() -> None:
    made = corpus(IOB2, upos=[["D", "N", "N"]])
    moved, notes = prepare_corpus(made, "jsonl", label="upos")
    assert moved.names == ("word", "label")
    assert moved.lists("label") == [["D", "N", "N"]]
    assert notes == ["the column label gives way to upos"]
    assert prepare_corpus(made, "jsonl", scheme="IOBES")[0].lists("label") == [["B-X", "E-X", "O"]]
    assert prepare_corpus(made, "jsonl", scheme="none")[0].lists("label") == [["X", "X", "O"]]
    assert prepare_corpus(made, "parserator", scheme="IOB2")[0].lists("label") == [IOB2]
    with pytest.raises(DataError, match="no scheme 'BIO'"):
        prepare_corpus(made, "jsonl", scheme="BIO")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="no column 'pos'"):
        prepare_corpus(made, "jsonl", label="pos")
    with pytest.raises(DataError, match=r"no labels to write in the scheme IOB2.*, of word$"):
        prepare_corpus(Corpus.from_texts(["a"]), "jsonl", scheme="IOB2")


def test_notes_are_on_the_scheme_that_is_written() -> None:
    neighbours = corpus(["B-X", "B-X", "O"])
    joined = "neighbouring spans with one label become one"
    assert prepare_corpus(neighbours, "jsonl", scheme="none")[1] == [joined]
    assert prepare_corpus(neighbours, "doccano", scheme="none")[1] == []
    noted = ["labels of the scheme IOBES read back as IOB2"]
    assert prepare_corpus(neighbours, "doccano", scheme="IOBES")[1] == noted
    assert prepare_corpus(corpus(["S-X", "O", "O"]), "doccano", scheme="IOB2")[1] == []
    tags = "plain labels become tags, the column xpos"
    assert prepare_corpus(neighbours, "spacy", scheme="none")[1] == [tags, joined]
    assert prepare_corpus(corpus(["X", "O", "O"]), "spacy", scheme="IOB2")[1] == []


def test_formats_are_guessed(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text('{"text": "a", "spans": []}\n')
    (tmp_path / "doccano.jsonl").write_text('\n{"id": 1, "text": "a", "label": []}\n')
    (tmp_path / "part.jsonl").write_text('{"text": "a"}\n{"text": "a", "label": []}\n')
    (tmp_path / "bare.jsonl").write_text('{"text": "a"}\n')
    (tmp_path / "a.ann").write_text("")
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "columns.txt").write_text("a O\n")
    expected = {"own.jsonl": "jsonl", "doccano.jsonl": "doccano", "a.txt": "brat", ".": "brat"}
    expected |= {"part.jsonl": "doccano", "bare.jsonl": "jsonl"}
    expected |= {"columns.txt": "conll", "a.ann": "brat", "x.spacy": "spacy"}
    for name, format in expected.items():
        assert guess_source_format(tmp_path / name) == format
    assert guess_target_format("x.jsonl") == "jsonl"
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"neither \.ann nor \.xml nor \.parquet files"):
        guess_source_format(tmp_path / "empty")
    with pytest.raises(DataError, match=r"give one of: conll, .*text, markup.*, spacy$"):
        guess_source_format(tmp_path / "x.unknown")
    with pytest.raises(DataError, match=r"choose one of: conll, conllu, jsonl, brat.*, spacy$"):
        guess_target_format(tmp_path / "x.unknown")


def test_formats_that_do_not_go(conll: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="'text' is read and not written"):
        convert(conll, tmp_path / "x", target_format="text")
    with pytest.raises(DataError, match="'yaml' is not a format"):
        convert(conll, tmp_path / "x.conll", source_format="yaml")
    with pytest.raises(DataError, match="brat cannot be written to standard output"):
        convert(conll, "-", target_format="brat")
    with pytest.raises(DataError, match="brat cannot be read from standard input"):
        convert("-", tmp_path / "x.conll", source_format="brat")
    conll.write_text("a\n")
    with pytest.raises(DataError, match="say which column has the labels, of word"):
        convert(conll, tmp_path / "x.xml")
    conll.write_text("")
    with pytest.raises(DataError, match="holds no sequences"):
        convert(conll, tmp_path / "x.jsonl")
    assert [path.name for path in tmp_path.iterdir()] == ["in.conll"]


def test_words_with_blanks_are_written_between_tabs(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"tokens": ["New York"], "labels": ["City"]}')
    convert(tmp_path / "x.jsonl", tmp_path / "x.conll")
    assert (tmp_path / "x.conll").read_text() == "New York\tCity\n\n"


def test_spacy_is_asked_for_where_it_is_missing(conll: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(DovetailError, match="pip install 'dovetail"):
        convert(conll, tmp_path / "x.spacy")


def test_real_treebank(shared_data: Path, tmp_path: Path) -> None:
    source = shared_data / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz"
    done = convert(source, tmp_path / "x.jsonl", label="upos")
    back = read(tmp_path / "x.jsonl")
    assert back.lists("label") == read(source).lists("upos")
    assert back.texts == read(source).texts
    assert back.document_bounds.tolist() == read(source).document_bounds.tolist()
    assert done.notes == ["passed over: 359 ranges, 4 empty nodes, 3069 comments"]


def test_what_is_not_read_of_conllu_is_told(tmp_path: Path) -> None:
    source, copy = tmp_path / "in.conllu", tmp_path / "out.conllu"
    blank = "\t_" * 7
    source.write_text(
        "# newdoc\n# sent_id = 1\n# text = du vin\n"
        f"1-2\tdu\t_{blank}\n1\tde\t_{blank}\n2\tle\t_{blank}\n3\tvin\t_{blank}\n\n"
    )
    assert convert(source, copy).notes == ["passed over: 1 range, 1 comment"]
    assert convert(copy, source).notes == []
    assert source.read_text() == copy.read_text()
