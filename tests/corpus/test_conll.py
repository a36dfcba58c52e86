from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Column, Corpus, read_conll, spans, stream_conll, write_conll
from dovetail.errors import DataError


def _read(tmp_path: Path, text: str | bytes, *args, **options) -> Corpus:
    path = tmp_path / "file.conll"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_conll(path, *args, **options)


def test_blanks_tabs_and_default_names(tmp_path: Path) -> None:
    blanks = _read(tmp_path, "a  DT B\nb NN I \n\n\n \t\nc VB O")
    assert blanks.lists("word") == [["a", "b"], ["c"]]
    assert blanks.names == ("word", "column2", "label")
    tabs = _read(tmp_path, "New York\tNN\t\nb\t\tO\n")
    assert tabs.lists("word") == [["New York", "b"]]
    assert tabs.lists("label") == [[None, "O"]]
    assert tabs.lists("column2") == [["NN", None]]
    assert _read(tmp_path, "a\nb\n").names == ("word",)
    assert _read(tmp_path, "a x\n").names == ("word", "label")
    assert _read(tmp_path, "").names == ()
    assert _read(tmp_path, "", ["word", "ner"]).names == ("word", "ner")


def test_only_tabs_and_blanks_divide_fields(tmp_path: Path) -> None:
    corpus = _read(tmp_path, "a\u00a0b\u2028c X\n\u3000 Y\n")
    assert corpus.lists("word") == [["a\u00a0b\u2028c", "\u3000"]]


def test_columns_are_named_and_skipped(tmp_path: Path) -> None:
    corpus = _read(tmp_path, "a DT B O\n", ["word", None, None, "ner"])
    assert corpus.names == ("word", "ner")
    assert corpus.lists("ner") == [["O"]]
    with pytest.raises(DataError, match="'x' is named twice"):
        _read(tmp_path, "", ["x", "x"])


@pytest.mark.parametrize("skipped", ["_", "", None])
def test_python_skips_columns_as_the_command_line_does(tmp_path: Path, skipped: str | None) -> None:
    columns = ["word", skipped, skipped, "ner"]
    corpus = _read(tmp_path, "a DT B O\n", columns)
    assert corpus.names == ("word", "ner")
    assert corpus.lists("ner") == [["O"]]
    [chunk] = stream_conll(tmp_path / "file.conll", columns)
    assert chunk.names == ("word", "ner")


def test_columns_in_one_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="columns is the text 'word,ner'; give a list of names"):
        _read(tmp_path, "a O\n", "word,ner")


def test_separator_can_be_told(tmp_path: Path) -> None:
    assert _read(tmp_path, "a b|X\n", separator="|").lists("word") == [["a b"]]
    assert _read(tmp_path, "a\tb X\n", separator=" ").lists("word") == [["a\tb"]]
    with pytest.raises(DataError, match="cannot be empty"):
        _read(tmp_path, "a", separator="")


def test_line_ends_mark_and_compression(tmp_path: Path) -> None:
    assert _read(tmp_path, b"\xef\xbb\xbfa X\r\n\r\nb Y\r\n").lists("word") == [["a"], ["b"]]
    path = tmp_path / "file.gz"
    path.write_bytes(gzip.compress(b"a X\n"))
    assert read_conll(path).lists("word") == [["a"]]


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b"a X\n"))
    monkeypatch.setattr("sys.stdin", stdin)
    assert read_conll("-").lists("label") == [["X"]]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"a X\nb\n")))
    with pytest.raises(DataError, match="-:2: 1 fields where 2"):
        read_conll("-")


def test_documents(tmp_path: Path) -> None:
    text = (
        "-DOCSTART- -X- O\n\na X O\n\nb X O\n-DOCSTART-\nc X O\n\n-DOCSTART-\n\n-DOCSTART-\nd X O\n"
    )
    corpus = _read(tmp_path, text)
    assert corpus.lists("word") == [["a"], ["b"], ["c"], ["d"]]
    assert corpus.document_bounds.tolist() == [0, 2, 3, 4]
    late = _read(tmp_path, "a X\n\n-DOCSTART- X\n\nb X\n")
    assert late.document_bounds.tolist() == [0, 1, 2]
    assert _read(tmp_path, "a X\n").document_bounds is None


@pytest.mark.parametrize(
    ("names", "opening"),
    [
        (["word"], "-DOCSTART-"),
        (["word", "label"], "-DOCSTART- O"),
        (["word", "pos", "label"], "-DOCSTART- -X- O"),
        (["word", "pos", "chunk", "label"], "-DOCSTART- -X- -X- O"),
    ],
)
def test_documents_are_written(tmp_path: Path, names: list[str], opening: str) -> None:
    path = tmp_path / "x.conll"
    column = Column.from_values(["a", "b", "c"])
    columns = dict.fromkeys(names, column)
    write_conll(Corpus(columns, [0, 1, 2, 3], document_bounds=[0, 2, 3]), path)
    line = " ".join
    rows = [line([word] * len(names)) for word in "abc"]
    assert path.read_text() == (
        f"{opening}\n\n{rows[0]}\n\n{rows[1]}\n\n{opening}\n\n{rows[2]}\n\n"
    )


def test_comments(tmp_path: Path) -> None:
    text = "# a comment of several words\n#hash O\n# O\na O\n# another comment\nb O\n"
    assert _read(tmp_path, text).lists("word") == [["#hash", "#", "a", "b"]]
    assert _read(tmp_path, text, comments=True).lists("word") == [["#hash", "a", "b"]]
    with pytest.raises(DataError, match=":1: 6 fields where 2"):
        _read(tmp_path, text, comments=False)
    assert _read(tmp_path, "# O\n# O\n").lists("word") == [["#", "#"]]


def test_wrong_number_of_fields_names_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"file\.conll:3: 1 fields where 2 were expected \(word, ner"
    ):
        _read(tmp_path, "a O\n\nb\n", ["word", "ner"])


def test_stream_is_the_file_in_chunks(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("".join(f"w{i} T{i % 3}\n\n" for i in range(10)))
    chunks = list(stream_conll(path, chunk_size=4))
    assert [len(chunk) for chunk in chunks] == [4, 4, 2]
    assert Corpus.concatenate(chunks) == read_conll(path)
    with pytest.raises(DataError, match="at least one"):
        list(stream_conll(path, chunk_size=0))


def test_stream_keeps_documents(tmp_path: Path) -> None:
    path = tmp_path / "file.conll"
    path.write_text("a X\n\n-DOCSTART-\n\nb X\n\nc X\n\n-DOCSTART-\n\nd X\n")

    def chunks(size: int) -> list[tuple[int, list[int] | None]]:
        return [
            (len(chunk), None if chunk.document_bounds is None else chunk.document_bounds.tolist())
            for chunk in stream_conll(path, chunk_size=size)
        ]

    assert chunks(1) == [(1, None), (1, [0, 1]), (1, None), (1, [0, 1])]
    assert chunks(2) == [(2, [0, 1, 2]), (1, None), (1, [0, 1])]
    assert chunks(3) == [(3, [0, 1, 3]), (1, [0, 1])]


token = st.text(
    st.characters(codec="utf-8", exclude_characters="\t\n\r \ufeff"), min_size=1
).filter(lambda t: t.strip() and t != "-DOCSTART-")
rows = st.lists(st.lists(st.tuples(token, token), min_size=1, max_size=4), max_size=5)


@settings(max_examples=60)
@given(rows, st.sampled_from([" ", "\t"]), st.booleans())
def test_what_is_written_is_read(tmp_path_factory, rows, separator: str, documents: bool) -> None:
    columns = {n: [[row[i] for row in s] for s in rows] for i, n in enumerate(["word", "label"])}
    corpus = Corpus.from_lists(columns)
    if documents:
        corpus = Corpus(
            corpus.columns, corpus.bounds, document_bounds=range(len(rows) + 1) if rows else [0]
        )
    path = tmp_path_factory.getbasetemp() / "round.conll"
    write_conll(corpus, path, separator=separator)
    back = read_conll(path)
    if rows:
        assert back == corpus


def test_writing() -> None:
    corpus = Corpus(
        {"a": Column.from_values(["x", None]), "b": Column.from_values(["1", "2"])},
        [0, 1, 1, 2],
        document_bounds=[0, 2, 3],
    )
    file = io.StringIO()
    write_conll(corpus[:2], file)
    assert file.getvalue() == "-DOCSTART- O\n\nx 1\n\n"
    file = io.StringIO()
    write_conll(corpus[:1], file, ["b"])
    assert file.getvalue() == "-DOCSTART-\n\n1\n\n"


def test_missing_values_stay_missing(tmp_path: Path) -> None:
    columns = {"word": [["_", None], ["b"]], "label": [[None, "_"], ["B-X"]]}
    corpus = Corpus.from_lists(columns)
    write_conll(corpus, tmp_path / "a.conll")
    assert (tmp_path / "a.conll").read_text() == "_\t\n\t_\n\nb\tB-X\n\n"
    assert read_conll(tmp_path / "a.conll") == corpus
    write_conll(corpus, tmp_path / "a.csv", separator=",")
    assert read_conll(tmp_path / "a.csv", separator=",") == corpus


def test_missing_values_that_would_be_lost_are_refused() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"]], "x": [["X", None]], "y": [[None, None]]})
    with pytest.raises(DataError, match=r"column 'x' has missing values.*such as a tab"):
        write_conll(corpus, io.StringIO(), separator=" ")
    for names in (["x", "y"], ["x"]):
        with pytest.raises(DataError, match=f"sequence 1, token 2 has no value in {names[0]}"):
            write_conll(corpus, io.StringIO(), names)


@pytest.mark.parametrize("value", ["a b", "a\nb", "", " ", "-DOCSTART-", "a\rb"])
def test_values_that_would_not_read_back_are_refused(value: str) -> None:
    with pytest.raises(DataError, match="column 'word'"):
        write_conll(Corpus.from_lists({"word": [[value]], "x": [["X"]]}), io.StringIO())


@settings(max_examples=200)
@given(st.binary(max_size=80) | st.text(st.sampled_from("a#\t \n\r-O\u3000"), max_size=60))
def test_anything_is_a_corpus_or_a_data_error(tmp_path_factory, content: bytes | str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.conll"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for read in (read_conll, lambda p: Corpus.concatenate(stream_conll(p, chunk_size=2))):
        try:
            corpus = read(path)
        except DataError:
            continue
        assert all(len(sequence) for sequence in corpus)


def _block(lines: list[str], number: int) -> list[str]:
    """The lines around one, up to the blank ones."""
    first = last = number
    while first > 0 and lines[first - 1].strip(" \t"):
        first -= 1
    while last < len(lines) and lines[last].strip(" \t"):
        last += 1
    return lines[first:last]


def _line_by_line(text: str) -> list[list[tuple[str | None, ...]]] | None:
    """The rules for two columns, stated plainly; nothing if a line has other than two fields."""
    sequences: list[list[tuple[str | None, ...]]] = [[]]
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "\t" not in line and line.startswith("# ") and "\t" in "".join(_block(lines, number)):
            continue
        if "\t" in line:
            fields = tuple(field or None for field in line.split("\t"))
        else:
            fields = tuple(field for field in line.split(" ") if field)
        if not line.strip(" \t") or fields[0] == "-DOCSTART-":
            sequences.append([])
        elif len(fields) == 2:
            sequences[-1].append(fields)
        elif not line.startswith("#"):
            return None
    return [rows for rows in sequences if rows]


pieces = ["a", "#", "# a\n", "O", "\t", " ", "\n", "\n", "-DOCSTART-", "a O\n", "b\tX\n", "\u00a0"]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(pieces), max_size=14).map("".join))
def test_reading_follows_the_rules(tmp_path_factory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "rules.conll"
    path.write_text(text)
    expected = _line_by_line(text)
    if expected is None:
        with pytest.raises(DataError, match="fields where 2 were expected"):
            read_conll(path, ["word", "label"])
    else:
        corpus = read_conll(path, ["word", "label"])
        found = [list(zip(s["word"], s["label"], strict=True)) for s in corpus]
        assert found == expected


COUNTS = {
    "eng.train.gz": (946, 14041, 203621, {"LOC": 7140, "MISC": 3438, "ORG": 6321, "PER": 6600}),
    "eng.testa.gz": (216, 3250, 51362, {"LOC": 1837, "MISC": 922, "ORG": 1341, "PER": 1842}),
    "eng.testb.gz": (231, 3453, 46435, {"LOC": 1668, "MISC": 702, "ORG": 1661, "PER": 1617}),
}


@pytest.mark.parametrize("name", COUNTS)
def test_conll2003_has_its_official_counts(shared_data, name: str) -> None:
    documents, sequences, tokens, entities = COUNTS[name]
    corpus = read_conll(shared_data / "conll2003" / name, ["word", "pos", "chunk", "ner"])
    assert len(corpus.document_bounds) - 1 == documents
    assert (len(corpus), corpus.n_tokens) == (sequences, tokens)
    found = [span.label for labels in corpus.lists("ner") for span in spans(labels)]
    assert {label: found.count(label) for label in set(found)} == entities


@pytest.mark.parametrize(
    ("path", "sequences", "tokens"),
    [
        ("conll2000/train.txt.gz", 8936, 211727),
        ("wnut17/wnut17train.conll", 3394, 62730),
        ("wnut17/emerging.dev.conll", 1009, 15733),
        ("wnut17/emerging.test.annotated", 1287, 23394),
        ("wikigold/wikigold.conll.txt", 1696, 39007),
    ],
)
def test_other_corpora_have_their_counts(shared_data, path, sequences, tokens) -> None:
    corpus = read_conll(shared_data / path)
    assert (len(corpus), corpus.n_tokens) == (sequences, tokens)
