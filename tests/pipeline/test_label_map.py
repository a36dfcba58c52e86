"""Maps from the labels of an old tagger to those of a new task."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail import Corpus, Pipeline, Tagger
from dovetail.corpus import SoftColumn
from dovetail.pipeline.label_map import LabelMap, Mapped, fit_label_map, probabilities_of

OLD = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
NEW = ("O", "B-person", "I-person", "B-place", "I-place")


def text(old: list[list[str]], new: list[list[str]]) -> Corpus:
    words = [["w"] * len(row) for row in old]
    return Corpus.from_lists({"word": words, "ner": old, "label": new})


def most_likely(found: LabelMap) -> dict[str, str]:
    table = found.applied(np.eye(len(found.old)))
    return {
        label: found.new[int(row.argmax())] for label, row in zip(found.old, table, strict=True)
    }


def test_names_that_agree_agree_before_anything_is_seen() -> None:
    found = fit_label_map([], "ner", "label", OLD, NEW)
    assert most_likely(found) == {
        "O": "O",
        "B-PER": "B-person",
        "I-PER": "I-person",
        "B-LOC": "O",
        "I-LOC": "O",
    }
    np.testing.assert_allclose(found.table.sum(axis=1), 1)


def test_text_overrules_names() -> None:
    old = [["B-PER", "I-PER", "O", "B-LOC"]] * 20
    new = [["B-place", "I-place", "O", "B-person"]] * 20
    found = fit_label_map([text(old, new)], "ner", "label", OLD, NEW)
    assert most_likely(found) == {
        "O": "O",
        "B-PER": "B-place",
        "I-PER": "I-place",
        "B-LOC": "B-person",
        "I-LOC": "I-person",
    }


def test_schemes_may_differ() -> None:
    fine = ("O", "B-person", "I-person", "E-person", "S-person")
    table = fit_label_map([], "ner", "label", OLD, fine).applied(np.eye(5))
    begins, goes_on = table[1], table[2]
    assert begins[1] == begins[4] > 0.4
    assert begins[2] == begins[3] == 0
    assert goes_on[2] == goes_on[3] > 0.4
    coarse = fit_label_map([], "ner", "label", fine, ("O", "B-PER", "I-PER")).applied(np.eye(5))
    assert coarse.argmax(axis=1).tolist() == [0, 1, 2, 2, 1]


def test_plain_labels_are_types_themselves() -> None:
    found = fit_label_map([], "ner", "label", ("NN", "VB", "S"), ("nn", "VBZ", "S"))
    assert most_likely(found)["NN"] == "nn"
    assert most_likely(found)["S"] == "S"


def test_soft_and_plain_columns_are_read_alike() -> None:
    corpus = text([["B-PER", "O"]], [["O", "O"]])
    soft = corpus.with_column("ner", SoftColumn.of(("O", "B-PER"), [[0, 1], [1, 0]]))
    for own in (corpus, soft):
        assert probabilities_of(own, "ner", OLD).argmax(axis=1).tolist() == [1, 0]


def test_a_mapped_tagger_decodes_legal_labels() -> None:
    found = fit_label_map([], "ner", "label", OLD, NEW)
    mapped = Mapped("ner", found, "IOB2")
    corpus = text([["O", "I-PER", "O"]], [["O", "O", "O"]])
    labels = Pipeline({"label": mapped}, decode="cascade").predict(corpus)["label"]
    assert "I-person" not in labels[0]


def test_a_damaged_map_is_refused() -> None:
    spec = fit_label_map([], "ner", "label", OLD, NEW).spec()
    assert LabelMap.from_spec(spec).table.tolist() == spec["table"]
    with pytest.raises(ValueError, match="does not fit"):
        LabelMap.from_spec({**spec, "old": ["O"]})


def test_the_old_tagger_helps_from_the_first_examples() -> None:
    """Three labelled sequences, and an old tagger whose labels agree in name."""
    people = ["Ada", "Bob", "Cy", "Di", "Ed", "Flo", "Gil", "Hal"]
    news = Corpus.from_lists(
        {
            "word": [[name, "spoke", "here"] for name in people],
            "ner": [["B-PER", "O", "O"] for _ in people],
        }
    )
    few = Corpus.from_lists(
        {
            "word": [["talk", "by", "Ada"], ["tea", "with", "Bob", "now"], ["no", "talk"]],
            "task": [["O", "O", "B-person"], ["O", "O", "B-person", "O"], ["O", "O"]],
        }
    )
    pipeline = Pipeline({"ner": Tagger(), "task": Tagger()}, decode="auto")
    pipeline.fit({"ner": news, "task": few})
    found = pipeline.predict([["here", "spoke", "Flo"]])
    assert found["ner"] == [["O", "O", "B-PER"]]
    assert found["task"] == [["O", "O", "B-person"]]
