from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, read_conllu, stream_conllu, write_conllu
from dovetail.errors import DataError

SAMPLE = """\
# newdoc id = d1
# sent_id = 1
# text = I don't _.
1\tI\tI\tPRON\tPRP\tCase=Nom|Number=Sing\t2\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t0\troot\t0:root\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tgo\tgo\tVERB\t_\t_\t_\t_\t0:root\t_
4\t_\t_\tSYM\t_\t_\t2\tobj\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_

# newdoc
1\tNo\tno\tINTJ\tUH\t_\t0\troot\t_\t_
"""


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    path = tmp_path / "sample.conllu"
    path.write_text(SAMPLE)
    return path


def test_words_columns_documents_and_text(sample: Path) -> None:
    corpus = read_conllu(sample)
    assert corpus.lists("word") == [["I", "do", "n't", "_", "."], ["Yes"], ["No"]]
    assert corpus[0]["lemma"] == ["I", "do", "not", "_", "."]
    assert corpus[0]["xpos"] == ["PRP", "VBP", "RB", None, "."]
    assert corpus[0]["feats"] == ["Case=Nom|Number=Sing", None, None, None, None]
    assert corpus[0]["head"] == ["2", "0", "2", "2", "2"]
    assert corpus[0]["deps"] == [None, "0:root", None, None, None]
    assert corpus.names == (
        "word", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"
    )  # fmt: skip
    assert corpus.document_bounds.tolist() == [0, 2, 3]
    assert corpus.texts == ("I don't _.", "", "")
    assert [len(chunk) for chunk in stream_conllu(sample, chunk_size=2)] == [2, 1]


def test_what_is_written_is_read(sample: Path, tmp_path: Path) -> None:
    corpus = read_conllu(sample)
    write_conllu(corpus, tmp_path / "copy.conllu.gz")
    assert read_conllu(tmp_path / "copy.conllu.gz") == corpus


def test_other_columns_can_be_written() -> None:
    corpus = Corpus.from_lists({"word": [["Go"]], "guess": [["VERB"]]})
    file = io.StringIO()
    write_conllu(corpus, file, {"upos": "guess"})
    assert file.getvalue() == "1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
    with pytest.raises(DataError, match="no field 'pos'"):
        write_conllu(corpus, file, {"pos": "guess"})
    with pytest.raises(DataError, match="cannot be written"):
        write_conllu(Corpus.from_lists({"word": [["a\tb"]]}), file)
    with pytest.raises(DataError, match="no column 'word'"):
        write_conllu(Corpus.from_lists({"form": [["a"]]}), file)


def test_labels_stand_in_misc(tmp_path: Path) -> None:
    columns = {"word": [["Go", "on", "x"]], "misc": [["SpaceAfter=No", None, "A=b"]]}
    corpus = Corpus.from_lists({**columns, "label": [["B-x", "O", None]]})
    path = tmp_path / "x.conllu"
    write_conllu(corpus, path)
    assert "SpaceAfter=No|Label=B-x\n" in path.read_text()
    back = read_conllu(path)
    assert [back.lists(name) for name in corpus.names] == [corpus.lists(n) for n in corpus.names]
    assert back.names[-1] == "label"
    with pytest.raises(DataError, match="cannot stand in the field MISC"):
        write_conllu(corpus.with_column("label", [["a|b", "O", "O"]]), path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1\tGo\tgo", ":2: 3 fields where 10"),
        ("1\tGo  on" + "\t_" * 8, ":2: a field has two blanks"),
        ("x\tGo" + "\t_" * 8, ":2: .*'x' is not a valid ID"),
        ("_\tGo" + "\t_" * 8, ":2: the token has no number"),
        ("9" * 5000 + "\tGo" + "\t_" * 8, ":2: "),
    ],
)
def test_errors_name_the_line(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(f"# comment\n{line}\n")
    with pytest.raises(DataError, match=message):
        read_conllu(path)


@settings(max_examples=100)
@given(st.binary(max_size=60) | st.text(st.sampled_from("1-.#=_a\t\n newdoc")).map(str.encode))
def test_anything_is_a_corpus_or_a_data_error(tmp_path_factory, content: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.conllu"
    for padding in (b"", b"\t_" * 8):
        path.write_bytes(content.replace(b"\n", padding + b"\n"))
        try:
            corpus = read_conllu(path)
        except DataError:
            continue
        assert all(len(sequence) for sequence in corpus)


def test_real_treebank(shared_data) -> None:
    corpus = read_conllu(shared_data / "ud-english-ewt" / "en_ewt-ud-dev.conllu.gz")
    assert (len(corpus), corpus.n_tokens) == (2001, 25147)
    assert "NOUN" in corpus.column("upos").levels
    assert len(corpus.document_bounds) > 100
