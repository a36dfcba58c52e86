from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from dovetail.corpus import Corpus, read, stream
from dovetail.errors import DataError

CONTENTS = {
    ".conll": "a O\n",
    ".txt": "a O\n",
    ".tsv": "a\tO\n",
    ".IOB": "a O\n",
    ".conllu": "1\ta" + "\t_" * 8 + "\n",
    ".jsonl": '{"tokens": ["a"]}\n',
    ".ndjson": '{"text": "a"}\n',
}


@pytest.mark.parametrize("suffix", CONTENTS)
def test_format_is_told_by_the_suffix(tmp_path: Path, suffix: str) -> None:
    plain, packed = tmp_path / f"x{suffix}", tmp_path / f"x{suffix}.gz"
    plain.write_text(CONTENTS[suffix])
    packed.write_bytes(gzip.compress(CONTENTS[suffix].encode()))
    assert read(plain).lists("word") == [["a"]]
    assert read(packed) == read(plain) == Corpus.concatenate(stream(plain, chunk_size=5))


def test_format_and_options_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "eng.train"
    path.write_text("a O\n")
    assert read(path, format="conll", columns=["form", "ner"]).names == ("form", "ner")
    assert read(path, format="text").lists("word") == [["a", "O"]]


@pytest.mark.parametrize("name", ["eng.train", "eng.train.gz", "-", "file"])
def test_unknown_suffix_names_the_formats(name: str) -> None:
    with pytest.raises(DataError, match="give one of: conll, conllu, jsonl, text"):
        read(name)


def test_unknown_format_names_the_formats() -> None:
    with pytest.raises(DataError, match="no format 'yaml'; the formats are: conll, conllu"):
        stream("file.conll", format="yaml")


def test_formats_that_share_a_suffix_are_told_by_what_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "export.jsonl"
    path.write_text('{"text": "EU rejects", "label": [[0, 2, "ORG"]]}\n')
    assert read(path).lists("label") == [["B-ORG", "O"]]
    assert [part.lists("label") for part in stream(path)] == [[["B-ORG", "O"]]]
    (tmp_path / "letter.txt").write_text("In Rome")
    (tmp_path / "letter.ann").write_text("T1\tLOC 3 7\tRome\n")
    assert read(tmp_path / "letter.txt").lists("label") == [["O", "B-LOC"]]
