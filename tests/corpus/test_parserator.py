from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus, read, read_parserator, stream_parserator, write_parserator
from dovetail.errors import DataError


def _read(folder: Path, content: str) -> Corpus:
    path = folder / "x.xml"
    path.write_text(content)
    return read_parserator(path)


def test_text_between_tokens_is_kept(tmp_path: Path) -> None:
    corpus = _read(
        tmp_path,
        """<?xml version="1.0"?>
        <Names>
          <Name><Given>Ada </Given>&amp; <Given>Bob</Given>,  <Last>L&#246;w</Last>
          </Name>
          <Name> </Name>
          <Name><Last>Xu</Last></Name>
        </Names>""",
    )
    assert corpus.lists("word") == [["Ada", "Bob", "Löw"], ["Xu"]]
    assert corpus.lists("label") == [["Given", "Given", "Last"], ["Last"]]
    assert corpus.texts == ("Ada & Bob,  Löw", "Xu")
    assert corpus.offsets.tolist() == [[0, 3], [6, 9], [12, 15], [0, 2]]


BAD = {
    "<A>\n<B><C>x</C>": ":2: not XML",
    "<A>\n<B><C>x<D>y</D></C></B></A>": ":2: <D> stands within the token <C>",
    "<A>\n<B><C>x y</C></B></A>": ":2: <C> holds several words, 'x y', .* --format xml",
    "<A>\n<B><C> </C></B></A>": ":2: the token <C> is empty",
    "<A>\nx<B><C>y</C></B></A>": ":2: text 'x' outside all strings",
    "": "x.xml:1: not XML",
    '<?xml version="1.0" encoding="nonsense"?><A/>': "another encoding: unknown encoding: nonsense",
    "no XML": ":1: not XML",
    '<!DOCTYPE A [<!ENTITY x "xx">]><A><B><C>&x;</C></B></A>': ":1: .* declares the entity 'x'",
}


@pytest.mark.parametrize("content", BAD)
def test_bad_files_are_named(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=BAD[content]):
        _read(tmp_path, content)


token = st.tuples(
    st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), min_size=1, max_size=4),
    st.sampled_from(["City", "Zip", "O", "B-x.y"]),
    st.text(" ,\n\r&<", max_size=3),
)


@settings(max_examples=80)
@given(st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=4))
def test_what_is_written_is_read(tmp_path_factory, strings) -> None:
    texts, offsets = [], []
    for tokens in strings:
        text = ""
        for word, _, gap in tokens:
            offsets.append((len(text), len(text) + len(word)))
            text += word + gap
        texts.append(text.rstrip())
    lists = {n: [[t[i] for t in s] for s in strings] for i, n in enumerate(["word", "label"])}
    plain = Corpus.from_lists(lists)
    corpus = Corpus(plain.columns, plain.bounds, texts=texts, offsets=offsets)
    path = tmp_path_factory.getbasetemp() / "round.xml"
    write_parserator(corpus, path)
    assert read_parserator(path) == corpus
    assert len(list(stream_parserator(path, chunk_size=1))) == len(strings)
    write_parserator(plain, path)
    assert read_parserator(path).texts == tuple(" ".join(words) for words in lists["word"])


@pytest.mark.parametrize(
    ("word", "label", "message"),
    [
        ("a", "B x", "'B x' cannot be the tag"),
        ("a", "1st", "'1st' cannot be the tag"),
        ("a", "m²", "'m²' cannot be the tag"),
        ("a", "x:y", "'x:y' cannot be the tag"),
        ("\x00", "X", "sequence 1 has '\\\\x00', which XML cannot hold"),
        (" ", "X", "sequence 1, token 1 has no word"),
        ("New York", "X", "sequence 1, token 1 has white space in it, 'New York'"),
    ],
)
def test_what_xml_cannot_hold(word: str, label: str, message: str) -> None:
    corpus = Corpus.from_lists({"word": [[word]], "label": [[label]]})
    with pytest.raises(DataError, match=message):
        write_parserator(corpus, io.StringIO())


def test_words_without_a_label_are_text(tmp_path: Path) -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"]], "label": [[None, "X"]]})
    write_parserator(corpus, tmp_path / "x.xml")
    back = read_parserator(tmp_path / "x.xml")
    assert back.lists("word") == [["b"]]
    assert back.texts == ("a b",)


def test_strings_without_tokens_are_counted(tmp_path: Path, caplog) -> None:
    corpus = _read(tmp_path, "<A><B>nobody labelled this</B><B> </B><B><C>x</C></B></A>")
    assert corpus.lists("word") == [["x"]]
    assert "1 strings without tokens were left out" in caplog.text


def test_real_addresses(shared_data: Path) -> None:
    corpus = read(shared_data / "usaddress" / "training" / "labeled.xml")
    assert (len(corpus), corpus.n_tokens) == (1513, 10722)
    assert len(corpus.column("label").levels) == 29
    tokens = zip(corpus[0].offsets.tolist(), corpus[0]["word"], strict=True)
    assert all(corpus[0].text[a:b] == word for (a, b), word in tokens)
