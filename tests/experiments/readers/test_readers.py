"""Readers of corpora with marks of their own, on files in their shape."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from dovetail import DataError
from dovetail.corpus import Span
from experiments.readers.grobid import read_grobid
from experiments.readers.gum import read_gum
from experiments.readers.labelled_strings import read_labelled_strings
from experiments.readers.litbank import read_litbank
from experiments.readers.mentions import outermost

SPLITS = "# Splits\n\n## train\n\n  * GUM_news_one\n\n## test\n\n  * GUM_news_two\n"


def archive(path: Path, files: Mapping[str, str]) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, text in files.items():
            content = text.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            made.addfile(member, io.BytesIO(content))
    return path


def test_a_crossing_mention_gives_way_to_the_longer_one() -> None:
    assert outermost([Span(1, 3, "a"), Span(2, 6, "b")]) == [Span(2, 6, "b")]
    assert outermost([Span(2, 3, "a"), Span(0, 2, "b")]) == [Span(0, 2, "b"), Span(2, 3, "a")]


def test_litbank_has_outermost_names_and_nominals(tmp_path: Path) -> None:
    notes = (
        "MENTION\tT1\t0\t0\t0\t3\tthe aunt of Ada\tPER\tNOM\n"
        "MENTION\tT2\t0\t3\t0\t3\tAda\tPER\tPROP\n"
        "MENTION\tT3\t1\t0\t1\t0\tShe\tPER\tPRON\n"
        "MENTION\tT4\t1\t2\t1\t2\tKent\tGPE\tPROP\n"
        "MENTION\tT5\t1\t3\t1\t3\thall\tFAC\tNOM\n"
        "COREF\tT1\tx-1\n"
    )
    files = {
        "coref/tsv/9_b_brat.txt": "the aunt of Ada\nShe left Kent hall\n",
        "coref/tsv/9_b_brat.ann": notes,
        "coref/tsv/1_a_brat.txt": "Hello\n",
        "coref/tsv/1_a_brat.ann": "",
        "entities/tsv/9_b_brat.tsv": "left out",
    }
    corpus = read_litbank(archive(tmp_path / "litbank.tar.gz", files))
    assert corpus.lists("label") == [
        ["O"],
        ["B-person nominal", *["I-person nominal"] * 3],
        ["O", "O", "B-place name", "O"],
    ]
    assert corpus.document_bounds is not None
    assert corpus.document_bounds.tolist() == [0, 1, 3]
    assert len(read_litbank(tmp_path / "litbank.tar.gz", n_books=1)) == 1


def test_litbank_that_does_not_fit_its_text(tmp_path: Path) -> None:
    path = tmp_path / "litbank.tar.gz"
    for place in ("0\t2\t0\t3", "7\t0\t7\t0"):
        notes = f"MENTION\tT1\t{place}\tAda\tPER\tPROP\n"
        files = {"coref/tsv/1_a_brat.txt": "by Ada\x0cB.\n", "coref/tsv/1_a_brat.ann": notes}
        with pytest.raises(DataError, match="there are no words at"):
            read_litbank(archive(path, files))
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(DataError, match="cannot read"):
        read_litbank(path)


def test_an_archive_without_books(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="has no books"):
        read_litbank(archive(tmp_path / "x.tar.gz", {"a.txt": ""}))
    (tmp_path / "y.tar.gz").write_text("no archive")
    with pytest.raises(DataError, match="cannot read"):
        read_litbank(tmp_path / "y.tar.gz")


def conllu(name: str, *tokens: tuple[str, str, str]) -> str:
    lines = [f"# newdoc id = {name}"]
    for number, (word, tag, entity) in enumerate(tokens, 1):
        misc = f"Entity={entity}|SpaceAfter=No" if entity else "_"
        lines.append("\t".join([str(number), word, "_", "_", tag, "_", "0", "dep", "_", misc]))
    return "\n".join(lines) + "\n\n"


def test_gum_has_heads(tmp_path: Path) -> None:
    one = conllu(
        "GUM_news_one",
        ("The", "DT", "(1-organization-new-n-cf1-3-coref"),
        ("Afghan", "JJ", ""),
        ("team", "NN", ""),
        ("of", "IN", ""),
        ("New", "NNP", "(2-place-new-n-cf2-1,2-coref-New_York"),
        ("York", "NNP", "2)1)"),
        ("met", "VBD", ""),
        ("him", "PRP", "(3-person-new-n-cf3-1-ana)"),
        ("boys", "NNS", "(4-person-new-n-cf4-1,3-sgl(5-person-new-n-cf5-1-sgl)"),
        ("and", "CC", ""),
        ("girls", "NNS", "(6-person-new-n-cf6-1-sgl)4)"),
        ("ideas", "NNS", "(7-abstract-new-n-cf7-1-sgl)"),
    )
    two = conllu("GUM_news_two", ("Ada", "NNP", "(1-person-new-n-cf1-1-coref)"))
    (tmp_path / "splits.md").write_text(SPLITS)
    with gzip.open(tmp_path / "gum_news.conllu.gz", "wt") as file:
        file.write(one + two)
    train, test = read_gum(tmp_path)
    place = ["B-place name", "I-place name"]
    person = "B-person nominal"
    assert train.lists("label") == [
        ["O", "O", "B-organisation nominal", "O", *place, "O", "O", person, "O", person, "O"]
    ]
    assert test.lists("label") == [["B-person name"]]


def test_gum_without_a_part(tmp_path: Path) -> None:
    (tmp_path / "splits.md").write_text("## train\n  * GUM_news_one\n")
    with pytest.raises(DataError, match="does not say which documents are test"):
        read_gum(tmp_path)


def test_fields_of_grobid_nest_and_have_kinds(tmp_path: Path) -> None:
    text = (
        "<tei xmlns='http://www.tei-c.org/ns/1.0'><bibl><author>J. Smith<lb/>and A. Bo</author>. "
        "<title level='j'>Acta</title> <biblScope type='vol'>10</biblScope>, "
        "<note/><date><year>1977</year></date>);</bibl><bibl> </bibl></tei>"
    )
    path = archive(tmp_path / "c.tar.gz", {"citation/corpus/a.xml": text})
    corpus = read_grobid(path, "corpus", "bibl")
    assert corpus.lists("word") == [
        ["J.", "Smith", "and", "A.", "Bo", ".", "Acta", "10", ",", "1977", ")", ";"]
    ]
    author = ["B-author", *["I-author"] * 4]
    fields = ["O", "B-title.j", "B-biblScope.volume", "O", "B-date", "O", "O"]
    assert corpus.lists("label") == [[*author, *fields]]
    with pytest.raises(DataError, match="has no XML files in evaluation"):
        read_grobid(path, "evaluation", "bibl")


def test_neighbours_in_addresses_are_one_span(tmp_path: Path) -> None:
    path = tmp_path / "a.xml"
    path.write_text(
        "<AddressCollection><AddressString><Street>New</Street> <Street>Road,</Street> "
        "<Place>Hull</Place></AddressString></AddressCollection>"
    )
    corpus = read_labelled_strings(path)
    assert corpus.lists("word") == [["New", "Road,", "Hull"]]
    assert corpus.lists("label") == [["B-Street", "I-Street", "B-Place"]]
    path.write_text("<Address")
    with pytest.raises(DataError, match="not XML"):
        read_labelled_strings(path)
