"""Functions, lists of entities and word pieces' scores as layers of a pipeline."""

from __future__ import annotations

import logging
import re
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail import Corpus, Pipeline, Tagger, Template, column
from dovetail.errors import DataError
from dovetail.interop.layers import entities_layer, labels_layer, logits_layer

LABELS = ["O", "B-PER", "I-PER"]
TALK = [["talk", "by", "Ada", "Lopez"]]


def shares(layer: Any, data: list[list[str]]) -> np.ndarray:
    """What a layer takes for the probabilities of labels, without regard to moves."""
    node = layer.potentials(Corpus.from_lists({"word": data}), {}).node
    return np.exp(node - np.logaddexp.reduce(node, axis=1, keepdims=True))


def capitals(words: list[str]) -> list[str]:
    return ["B-PER" if word[0].isupper() else "O" for word in words]


def test_labels_of_a_function() -> None:
    layer = labels_layer(LABELS, capitals, confidence=0.8)
    np.testing.assert_allclose(shares(layer, TALK)[1:3], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1]])
    assert Pipeline({"ner": layer}).predict(TALK)["ner"] == [["O", "O", "B-PER", "B-PER"]]


def test_a_function_may_say_nothing_and_read_another_column() -> None:
    corpus = Corpus.from_lists({"word": [["a", "b"]], "tag": [["X", "Y"]]})
    layer = labels_layer(
        ["O", "Z"], lambda tags: [None if t == "X" else "Z" for t in tags], column="tag"
    )
    node = layer.potentials(corpus, {}).node
    assert node[0].tolist() == [0, 0]
    assert node[1, 1] > node[1, 0]


def test_a_function_below_a_tagger() -> None:
    corpus = Corpus.from_lists(
        {"word": [["by", "Ada"], ["by", "tram"]] * 4, "who": [["O", "SPEAKER"], ["O", "O"]] * 4}
    )
    tagger = Tagger(features=Template(column("ner")), c2=0.1)
    pipeline = Pipeline({"ner": labels_layer(LABELS, capitals), "who": tagger})
    pipeline.fit({"who": corpus})
    for decode in ("joint", "soft", "cascade"):
        found = pipeline.predict([["for", "Bob"], ["for", "fun"]], decode=decode)["who"]
        assert found == [["O", "SPEAKER"], ["O", "O"]]


def test_entities_by_characters() -> None:
    corpus = Corpus.from_texts(["Dr. Ada Lopez's talk"])

    def find(texts: list[str]) -> list[list[dict[str, Any]]]:
        assert texts == ["Dr. Ada Lopez's talk"]
        return [[{"entity_group": "PER", "score": np.float32(0.9), "start": 4, "end": 13}]]

    again = lambda texts: [  # noqa: E731 - as GLiNER says it
        [{"label": one.pop("entity_group"), **one} for one in found] for found in find(texts)
    ]
    assert Pipeline({"ner": entities_layer(LABELS, again)}).predict(corpus)["ner"] == [
        ["O", "B-PER", "I-PER", "O", "O"]
    ]
    layer = entities_layer(LABELS, find, outside=0.7)
    found = Pipeline({"ner": layer}).annotate(corpus)
    assert found.lists("ner") == [["O", "B-PER", "I-PER", "O", "O"]]
    node = layer.potentials(corpus, {}).node
    assert np.exp(node[1]).tolist() == pytest.approx([0.05, 0.9, 0.05])
    assert np.exp(node[3, 0]) == pytest.approx(0.7)


def test_entities_of_word_pieces() -> None:
    def find(texts: list[str]) -> list[list[dict[str, Any]]]:
        pieces = [("B-PER", 0.9, 8, 11), ("I-PER", 0.8, 12, 14), ("B-PER", 0.99, 14, 17)]
        one = [{"entity": e, "score": s, "start": a, "end": b} for e, s, a, b in pieces]
        return [one for _ in texts]

    layer = entities_layer(LABELS, find)
    assert shares(layer, TALK)[3].tolist() == pytest.approx([0.1, 0.1, 0.8])
    assert Pipeline({"ner": layer}).predict(TALK)["ner"] == [["O", "O", "B-PER", "I-PER"]]


def test_schemes_rule_out_what_cannot_be() -> None:
    def find(texts: list[str]) -> list[list[dict[str, Any]]]:
        return [[{"entity": "I-PER", "score": 0.99, "start": 0, "end": 4}] for _ in texts]

    assert Pipeline({"ner": entities_layer(LABELS, find)}).predict(TALK)["ner"][0][0] != "I-PER"
    free = entities_layer(LABELS, find, scheme=None)
    assert Pipeline({"ner": free}).predict(TALK)["ner"][0][0] == "I-PER"


@pytest.mark.parametrize(
    ("scheme", "labels"),
    [
        ("IOB1", ["O", "O", "I-PER", "I-PER"]),
        ("IOB2", ["O", "O", "B-PER", "I-PER"]),
        ("IOBES", ["O", "O", "B-PER", "E-PER"]),
    ],
)
def test_entities_are_labels_of_the_scheme(scheme: Any, labels: list[str]) -> None:
    found = [{"entity_group": "PER", "score": 0.9, "start": 8, "end": 17}]
    layer = entities_layer(
        [*LABELS, "E-PER", "S-PER"][: 5 if scheme == "IOBES" else 3],
        lambda texts: [found for _ in texts],
        scheme=scheme,
    )
    assert Pipeline({"ner": layer}).predict(TALK)["ner"] == [labels]


def test_labels_that_cannot_end_a_sequence_do_not() -> None:
    layer = labels_layer([*LABELS, "E-PER", "S-PER"], capitals, scheme="IOBES")
    assert Pipeline({"ner": layer}).predict([["Ada"]])["ner"][0][0] not in ("B-PER", "I-PER")


def test_nothing_is_asked_of_nothing() -> None:
    layer = entities_layer(LABELS, lambda texts: [[] for _ in texts])
    assert Pipeline({"ner": layer}).predict([])["ner"] == []


def score_pieces(texts: list[str]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Three characters a piece; capitals make names."""
    made = []
    for text in texts:
        places = [(a, min(a + 3, len(text))) for a in range(0, len(text), 3)]
        logits = [[0.0, 4.0 * text[a:b].strip()[:1].isupper(), 1.0] for a, b in places]
        made.append((np.array([[9.0, 0, 0], *logits]), np.array([(0, 0), *places])))
    return made


def test_scores_of_word_pieces() -> None:
    layer = logits_layer(["O", "B-PER", "I-PER"], score_pieces, scheme=None)
    corpus = Corpus.from_lists({"word": [["Abc", "def"]]})
    # Abc| de|f: the first piece of "def" begins with a blank
    node = layer.potentials(corpus, {}).node
    expected = np.array([[0, 4, 1], [0, 0, 1.0]])
    expected -= np.log(np.exp(expected).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(node, expected)
    mean = logits_layer(LABELS, score_pieces, pieces="mean", scheme=None)
    np.testing.assert_allclose(mean.potentials(corpus, {}).node, expected)


def test_tokens_that_a_network_did_not_see_are_left_open(caplog) -> None:
    def score(texts: list[str]) -> list[Any]:
        return [([[0.0, 5.0]], [[0, 2]]) for _ in texts]

    with caplog.at_level(logging.WARNING):
        node = (
            logits_layer(["O", "X"], score, scheme=None)
            .potentials(Corpus.from_lists({"word": [["ab", "cd"]]}), {})
            .node
        )
    assert node[1].tolist() == [0, 0]
    assert "1 tokens have no scores" in caplog.text


@given(st.lists(st.text("ab", min_size=1, max_size=5), min_size=1, max_size=5), st.integers(1, 4))
def test_every_token_takes_the_piece_it_begins_in(words: list[str], width: int) -> None:
    text = " ".join(words)
    places = [(a, min(a + width, len(text))) for a in range(0, len(text), width)]

    def score(texts: list[str]) -> list[Any]:
        return [(np.eye(len(places)) * 50, places) for _ in texts]

    labels = [str(k) for k in range(len(places))]
    layer = logits_layer(labels, score, scheme=None)
    found = layer.potentials(Corpus.from_lists({"word": [words]}), {}).node.argmax(axis=1)
    starts = [len(" ".join(words[:k])) + (k > 0) for k in range(len(words))]
    assert found.tolist() == [start // width for start in starts]


def given_one(answer: Any) -> Any:
    return lambda texts: [answer for _ in texts]


BAD = [
    (lambda: labels_layer(LABELS, lambda _: ["O"]), "1 labels for the 4 tokens of sequence 1"),
    (lambda: labels_layer(LABELS, lambda _: ["X"] * 4), "sequence 1, token 1: the label 'X'"),
    (lambda: labels_layer(LABELS, capitals, confidence=2), "probability 2"),
    (lambda: entities_layer(["PER"], given_one([]), scheme=None), "the label 'O' is not one of"),
    (lambda: entities_layer(LABELS, lambda _: []), "0 answers for 1 texts"),
    (lambda: entities_layer(LABELS, given_one([{"entity": "O"}])), "is no dict with start"),
    (
        lambda: entities_layer(
            LABELS, given_one([{"entity_group": "LOC", "score": 1, "start": 0, "end": 4}])
        ),
        "sequence 1: the label 'B-LOC' is not one of O, B-PER, I-PER",
    ),
    (lambda: logits_layer(LABELS, given_one(([[1, 2]], [[0, 4]]))), r"the shape \(1, 2\)"),
    (
        lambda: logits_layer(LABELS, given_one(([[1, 2, 3]], []))),
        r"1 pieces and places of the shape \(0,",
    ),
    (lambda: logits_layer(LABELS, given_one(([[1, 2, 3]], [[0, 4, 1]]))), r"the shape \(1, 3\)"),
    (lambda: labels_layer(["O", "O"], capitals), "the labels of a layer must differ: O, O"),
    (lambda: logits_layer(LABELS, score_pieces, pieces="last"), "'last'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_what_does_not_fit_is_named(make: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Pipeline({"ner": make()}).predict(TALK)


class Tensor(np.ndarray):
    """An array that has what torch's have."""

    def numpy(self) -> np.ndarray:
        return np.asarray(self)


def test_page_runs_with_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The block that the tests of all pages leave out, with a stand-in for a downloaded model."""

    def tokenize(text: str, **options: object) -> dict[str, Any]:
        assert options["return_offsets_mapping"]
        [(logits, places)] = score_pieces([text])
        return {"offset_mapping": places[None].view(Tensor), "logits": logits[None].view(Tensor)}

    class Network:
        config = SimpleNamespace(id2label=dict(enumerate(LABELS)), num_labels=3)

        def __call__(self, logits: Tensor) -> SimpleNamespace:
            return SimpleNamespace(logits=logits)

    def loading(what: Any) -> SimpleNamespace:
        return SimpleNamespace(from_pretrained=lambda _: what)

    torch = SimpleNamespace(no_grad=nullcontext)
    transformers = SimpleNamespace(
        AutoModelForTokenClassification=loading(Network()), AutoTokenizer=loading(tokenize)
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "transformers", transformers)
    page = Path(__file__).parents[2] / "docs" / "howto" / "other-annotators.md"
    blocks = re.findall(r"^```py\n(.*?)^```$", page.read_text(), re.M | re.S)
    variables: dict[str, Any] = {"name": "some/model", "logits_layer": logits_layer}
    exec(next(block for block in blocks if "transformers" in block), variables)
    found = Pipeline({"ner": variables["names"]}).predict([["Abc", "def"]])
    assert found["ner"] == [["B-PER", "I-PER"]]
