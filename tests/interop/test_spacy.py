"""spaCy's documents and files there and back, and taggers as its components."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail import Corpus, Pipeline, Tagger, Template, column
from dovetail.corpus import labels_from_spans
from dovetail.errors import DataError

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (pip install spacy)")

from dovetail.interop import spacy_component  # noqa: E402, F401 - registers the component
from dovetail.interop.conversion import convert  # noqa: E402
from dovetail.interop.spacy import from_docs, read_docbin, stream_docbin, to_docs, write_docbin  # noqa: E402

NAMES = Corpus.from_lists(
    {
        "word": [["Ada", "Lopez", "spoke", "."], ["he", "saw", "Bob"]] * 3,
        "ner": [["B-PER", "I-PER", "O", "O"], ["O", "O", "B-PER"]] * 3,
    }
)


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    word = column("word")
    return Tagger(features=Template(word, word.shape), c2=0.05).fit(NAMES)


@pytest.fixture(scope="module")
def model(tagger: Tagger, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "names.dovetail"
    tagger.save(path)
    return path


@st.composite
def corpora(draw) -> Corpus:
    """Texts with any white space, with spans and gaps in them, some in documents."""
    texts = draw(st.lists(st.text("Aé1.,😀 \n\t", min_size=1, max_size=10), min_size=1, max_size=5))
    corpus = Corpus.from_texts([text for text in texts if text.strip()] or ["A"])
    labels: list[list[str | None]] = []
    for words in corpus.lists("word"):
        ends = sorted(draw(st.sets(st.integers(0, len(words)), max_size=4)))
        spans = [(a, b, draw(st.sampled_from(["PER", "x-y"]))) for a, b in pairwise(ends)]
        known = labels_from_spans(spans, len(words))
        labels.append([None if y == "O" and draw(st.booleans()) else y for y in known])
    cuts = draw(st.none() | st.sets(st.integers(1, len(corpus) - 1))) if len(corpus) > 1 else None
    return Corpus(
        corpus.with_column("label", labels).columns,
        corpus.bounds,
        texts=corpus.texts,
        offsets=corpus.offsets,
        document_bounds=None if cuts is None else [0, *sorted(cuts), len(corpus)],
    )


@settings(max_examples=80, deadline=None)
@given(corpora())
def test_files_keep_texts_spans_and_documents(tmp_path_factory, corpus: Corpus) -> None:
    path = tmp_path_factory.getbasetemp() / "round.spacy"
    write_docbin(corpus, path)
    back = read_docbin(path)
    assert back.texts == corpus.texts
    assert back.offsets.tolist() == corpus.offsets.tolist()
    has_labels = any(y is not None for labels in corpus.lists("label") for y in labels)
    if has_labels:
        assert back.lists("label") == corpus.lists("label")
    if corpus.document_bounds is not None:
        assert back.document_bounds.tolist() == corpus.document_bounds.tolist()
    parts = list(stream_docbin(path, chunk_size=2))
    assert sum(map(len, parts)) == len(corpus)


def test_documents_of_spacy_become_a_corpus() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    doc = nlp("Ada Lopez spoke.  Bob left!")
    doc.ents = [doc.char_span(0, 9, label="PER")]
    corpus = from_docs([doc])
    assert corpus.lists("word") == [["Ada", "Lopez", "spoke", "."], ["Bob", "left", "!"]]
    assert corpus.lists("label")[0] == ["B-PER", "I-PER", "O", "O"]
    assert corpus[0].text == "Ada Lopez spoke."
    assert [corpus[1].text[a:b] for a, b in corpus[1].offsets.tolist()] == ["Bob", "left", "!"]
    assert corpus.document_bounds.tolist() == [0, 2]
    shapes = from_docs([doc], {"shape": "shape_"})
    assert shapes.lists("shape")[0] == ["Xxx", "Xxxxx", "xxxx", "."]


def test_single_tokens_do_not_make_documents() -> None:
    lists = Corpus.from_lists({"word": [["a"], ["b", "c"], ["d"], ["e", "f"]]})
    assert from_docs(to_docs(lists)).document_bounds is None
    in_documents = Corpus(lists.columns, lists.bounds, document_bounds=[0, 1, 2, 4])
    assert from_docs(to_docs(in_documents)).document_bounds.tolist() == [0, 1, 2, 4]


def test_sentences_without_blanks_between_them_are_whole() -> None:
    nlp = spacy.blank("zh")
    doc = nlp("他走。你好")
    doc[3].is_sent_start = True
    assert from_docs([doc]).texts == ("他走。", "你好")


def test_tags_and_plain_labels() -> None:
    columns = {"word": [["Go", "on"]], "lemma": [["go", None]], "upos": [["VERB", "ADP"]]}
    corpus = Corpus.from_lists({**columns, "label": [["VB", "RP"]]})
    [doc] = to_docs(corpus)
    assert [(t.lemma_, t.pos_, t.tag_) for t in doc] == [("go", "VERB", "VB"), ("", "ADP", "RP")]
    back = from_docs([doc])
    assert back.lists("xpos") == [["VB", "RP"]]
    assert back.lists("lemma") == [["go", None]]
    with pytest.raises(DataError, match="sequence 1 is not for spaCy"):
        list(to_docs(corpus.with_column("upos", [["VBZ", "XX"]])))


def test_text_between_tokens_is_a_token_there() -> None:
    lists = Corpus.from_lists({"word": [["Oslo", "NO"]], "label": [["B-x", "I-x"]]})
    corpus = Corpus(lists.columns, lists.bounds, texts=["Oslo, NO."], offsets=[(0, 4), (6, 8)])
    [doc] = to_docs(corpus)
    assert doc.text == "Oslo, NO."
    assert [(e.text, e.label_) for e in doc.ents] == [("Oslo, NO", "x")]


def test_conversion(tmp_path: Path) -> None:
    (tmp_path / "x.conll").write_text("-DOCSTART- O\n\nEU B-ORG\nrejects O\n\nYes O\n\n")
    convert(tmp_path / "x.conll", tmp_path / "x.spacy")
    convert(tmp_path / "x.spacy", tmp_path / "y.conll")
    assert (tmp_path / "y.conll").read_text() == (tmp_path / "x.conll").read_text()


def test_other_files_are_refused(tmp_path: Path) -> None:
    for content in (b"", b"nothing", bytes(200)):
        (tmp_path / "x.spacy").write_bytes(content)
        with pytest.raises(DataError, match=re.escape("x.spacy is no .spacy file")):
            read_docbin(tmp_path / "x.spacy")


def test_component_sets_entities(model: Path, tagger: Tagger) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("dovetail", config={"model": str(model)})
    doc = nlp("he  saw Ada Lopez")
    assert [(e.text, e.label_) for e in doc.ents] == [("Ada Lopez", "PER")]
    expected = tagger.tag([["he", "saw", "Ada", "Lopez"]])[0].spans[0].probability
    assert doc.spans["dovetail"].attrs["scores"] == pytest.approx([expected])
    assert doc.spans["dovetail"][0].label_ == "PER"


def test_component_goes_by_sentences_and_batches(model: Path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("dovetail", config={"model": str(model), "spans_key": "names"})
    texts = ["Ada spoke. Bob spoke.", "", "   ", "he saw Bob"]
    found = [[e.text for e in doc.ents] for doc in nlp.pipe(texts, batch_size=2)]
    assert found == [["Ada", "Bob"], [], [], ["Bob"]]


def test_component_is_saved_with_the_pipeline(model: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.dovetail"
    copy.write_bytes(model.read_bytes())
    nlp = spacy.blank("en")
    nlp.add_pipe("dovetail", config={"model": str(copy)})
    nlp.to_disk(tmp_path / "nlp")
    copy.unlink()
    for again in (spacy.load(tmp_path / "nlp"), spacy.blank("en")):
        if not again.has_pipe("dovetail"):
            again.add_pipe("dovetail")
            again.from_bytes(nlp.to_bytes())
        assert [e.text for e in again("he saw Ada Lopez").ents] == ["Ada Lopez"]


def test_component_without_a_model(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    component = nlp.add_pipe("dovetail", config={"model": str(tmp_path / "no")})
    with pytest.raises(DataError, match=r"there is no file .*no: add_pipe"):
        component(nlp.make_doc("a"))


def test_component_reads_what_others_wrote_and_sets_tags(tmp_path: Path) -> None:
    corpus = Corpus.from_lists({"low": [["x", "y"]] * 3, "tag": [["X", "Y"]] * 3})
    Tagger(features=Template(column("low")), c2=0.05).fit(corpus).save(tmp_path / "m")
    nlp = spacy.blank("en")
    nlp.add_pipe("dovetail", config={"model": str(tmp_path / "m"), "columns": {"low": "lower_"}})
    assert [token.tag_ for token in nlp("X Y y")] == ["X", "Y", "Y"]


def test_component_shows_a_layer_of_a_pipeline(tagger: Tagger, tmp_path: Path) -> None:
    upper = Tagger(features=Template(column("ner")), c2=0.05)
    pipeline = Pipeline({"ner": tagger, "who": upper})
    who = [["B-WHO", "I-WHO", "O", "O"], ["O", "O", "B-WHO"]] * 3
    pipeline.fit({"who": NAMES.without_column("ner").with_column("who", who)})
    pipeline.save(tmp_path / "p")
    for layer, label in ((None, "WHO"), ("ner", "PER")):
        nlp = spacy.blank("en")
        nlp.add_pipe("dovetail", config={"model": str(tmp_path / "p"), "layer": layer})
        assert [(e.text, e.label_) for e in nlp("he saw Bob").ents] == [("Bob", label)]


def test_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The blocks that the tests of all pages leave out, since they need spaCy."""
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[2] / "docs" / "howto" / "other-annotators.md"
    variables: dict[str, object] = {}
    blocks = re.findall(r"^```(python|py|text)\n(.*?)^```$", page.read_text(), re.M | re.S)
    for (language, code), (after, shown) in zip(blocks, [*blocks[1:], ("", "")], strict=True):
        if language == "text" or "transformers" in code:
            continue
        exec(code, variables)
        printed = capsys.readouterr().out
        if after == "text":
            assert printed == shown
