"""What a file cannot hold, or was not read, is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.corpus import Corpus, conllu
from dovetail.corpus import conll as plain
from dovetail.errors import DataError


def texts(*each: str) -> Corpus:
    return Corpus.from_texts(each)


def test_what_conll_does_not_hold() -> None:
    assert plain.find_losses(Corpus.from_lists({"word": [["a"]]})) == []
    usual = {"word": [["a"]], "column2": [["b"]], "label": [["O"]]}
    assert plain.find_losses(Corpus.from_lists(usual)) == []
    other = Corpus.from_lists({"word": [["a"]], "pos": [["b"]], "label": [["O"]]})
    [lost] = plain.find_losses(other)
    assert lost.endswith("lose their names, which are word, pos, label")
    assert plain.find_losses(texts("a b")) == []
    assert plain.find_losses(texts("a b", "a, b")) == [
        "the text is gone: it reads back with single blanks"
    ]


@pytest.mark.parametrize(("value", "separator"), [("a b", "\t"), ("ab", " ")])
def test_values_with_blanks_stand_between_tabs(tmp_path: Path, value: str, separator: str) -> None:
    path = tmp_path / "x"
    plain.write_converted(Corpus.from_lists({"word": [[value]], "label": [["O"]]}), path)
    assert path.read_text() == f"{value}{separator}O\n\n"


def test_lines_of_tokens(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("-DOCSTART- O\n\na O\nb O\n-DOCSTART- O\nc O\n\n\nd O\n")
    assert [*plain.token_lines(path)] == [[3, 4], [6], [9]]
    assert [*plain.token_lines(path, ["word", "label"])] == [[3, 4], [6], [9]]
    path.write_text("# a b\na\tO\n# x\tO\n")
    assert [*plain.token_lines(path, ["word", "label"])] == [[2, 3]]
    path.write_text("a\tO\n#comment\nb\tO\n")
    assert [*plain.token_lines(path, ["word", "label"])] == [[1, 3]]


def test_names_of_columns() -> None:
    assert plain.parse_columns(" word, _,,ner") == ("word", None, None, "ner")
    with pytest.raises(DataError, match="columns is the text 'word'; give a list"):
        plain.skip_unnamed("word")


def test_what_conllu_does_not_hold_or_is_not_read(tmp_path: Path) -> None:
    assert conllu.find_losses(texts("a b", "c")) == []
    assert conllu.find_losses(texts("a  b")) == ["white space in the text becomes single blanks"]
    assert conllu.find_losses(Corpus.from_lists({"word": [["a"]]})) == []
    path = tmp_path / "x.conllu"
    rest = "\ta" + "\t_" * 8 + "\n"
    path.write_text(f"# newdoc\n# text = a-b.c\n1{rest}\n")
    assert conllu.find_unread(path) == []
    path.write_text(f"#\n# a = b\n# c\n1-2{rest}1{rest}2{rest}2.1{rest}\n# text = x\n1-2{rest}\n")
    assert conllu.find_unread(path) == ["passed over: 2 ranges, 1 empty node, 2 comments"]
    assert conllu.find_unread("-") == ["ranges, empty nodes and comments, if any, are passed over"]
