"""Maps from the labels of an old tagger to those of a new task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, DataError, Pipeline, Pool, Tagger, Template, column
from dovetail.corpus import SoftColumn
from dovetail.pipeline.layers.mapped import LabelMap, Mapped, probabilities_of
from dovetail.pipeline.train.auto.label_map import fit_label_map
from dovetail.pipeline.train.auto.members import with_types

OLD = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
NEW = ("O", "B-person", "I-person", "B-place", "I-place")


def text(old: list[list[str]], new: list[list[str]]) -> Corpus:
    words = [["w"] * len(row) for row in old]
    return Corpus.from_lists({"word": words, "ner": old, "label": new})


def most_likely(found: LabelMap) -> dict[str, str]:
    table = found.apply(np.eye(len(found.old)))
    return {
        label: found.new[int(row.argmax())] for label, row in zip(found.old, table, strict=True)
    }


def test_names_that_agree_agree_before_anything_is_seen() -> None:
    found = fit_label_map([], "ner", "label", OLD, NEW, "IOB2")
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
    found = fit_label_map([text(old, new)], "ner", "label", OLD, NEW, "IOB2")
    assert most_likely(found) == {
        "O": "O",
        "B-PER": "B-place",
        "I-PER": "I-place",
        "B-LOC": "B-person",
        "I-LOC": "I-person",
    }


def test_schemes_may_differ() -> None:
    fine = ("O", "B-person", "I-person", "E-person", "S-person")
    table = fit_label_map([], "ner", "label", OLD, fine, "IOBES").apply(np.eye(5))
    begins, goes_on = table[1], table[2]
    assert begins[1] == begins[4] > 0.4
    assert begins[2] == begins[3] == 0
    assert goes_on[2] == goes_on[3] > 0.4
    coarse = fit_label_map([], "ner", "label", fine, ("O", "B-PER", "I-PER"), "IOB2").apply(
        np.eye(5)
    )
    assert coarse.argmax(axis=1).tolist() == [0, 1, 2, 2, 1]


def test_plain_labels_are_types_themselves() -> None:
    found = fit_label_map([], "ner", "label", ("NN", "VB", "S"), ("nn", "VBZ", "S"), "none")
    assert most_likely(found)["NN"] == "nn"
    assert most_likely(found)["S"] == "S"


def test_soft_and_plain_columns_are_read_alike() -> None:
    corpus = text([["B-PER", "O"]], [["O", "O"]])
    soft = corpus.with_column("ner", SoftColumn.of(("O", "B-PER"), [[0, 1], [1, 0]]))
    for own in (corpus, soft):
        assert probabilities_of(own, "ner", OLD).argmax(axis=1).tolist() == [1, 0]


def test_a_mapped_tagger_decodes_legal_labels() -> None:
    found = fit_label_map([], "ner", "label", OLD, NEW, "IOB2")
    mapped = Mapped("ner", found)
    corpus = text([["O", "I-PER", "O"]], [["O", "O", "O"]])
    labels = Pipeline({"label": mapped}, decode="cascade").predict(corpus)["label"]
    assert "I-person" not in labels[0]


def test_a_damaged_map_is_refused() -> None:
    spec = fit_label_map([], "ner", "label", OLD, NEW, "IOB2").spec()
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


def test_labels_of_iob1_have_no_roles() -> None:
    """A span begins with I there, so the first word of an old span goes to it."""
    plain = fit_label_map([], "ner", "label", OLD, ("O", "I-PER"), "IOB1").apply(np.eye(5))
    assert plain.argmax(axis=1).tolist() == [0, 1, 1, 0, 0]
    both = fit_label_map([], "ner", "label", OLD, ("O", "I-PER", "B-PER"), "IOB1")
    assert both.apply(np.eye(5))[1, 1] > 0.4
    back = fit_label_map([], "ner", "label", ("O", "I-PER"), ("O", "B-PER", "I-PER"), "IOB2")
    assert back.apply(np.eye(2))[1, 1] > 0.4


def test_where_the_old_tagger_says_nothing_labels_are_as_frequent_as_they_are() -> None:
    old, new = [["B-PER", "O", "O", "O", "O"]] * 9, [["B-person", "O", "O", "O", "O"]] * 9
    found = fit_label_map([text(old, new)], "ner", "label", OLD, NEW, "IOB2")
    nothing = found.apply(np.zeros((1, len(OLD))))
    assert nothing[0, 0] > 0.5
    assert nothing.sum() == pytest.approx(1)


def test_joint_decoding_follows_a_pool_of_mapped_labels() -> None:
    news = text([["B-PER", "O"]] * 4, [["B-person", "O"]] * 4)
    words = [["Ada", "spoke"], ["Bob", "slept"], ["Cy", "left"], ["Di", "spoke"]]
    news = Corpus.from_lists({"word": words, "ner": news.lists("ner")})
    ner = Tagger().fit(news, label="ner")
    mapped = Mapped("ner", fit_label_map([], "ner", "task", ner.labels_, NEW, "IOB2"))
    pipeline = Pipeline({"ner": ner, "task": Pool([mapped])})
    for decode in ("cascade", "soft", "joint"):
        found = pipeline.predict([["Ada", "spoke"]], decode=decode)  # type: ignore[arg-type]
        assert found["task"] == [["B-person", "O"]]


@pytest.mark.parametrize(
    "damage",
    [
        {"scheme": "nonsense"},
        {"scheme": "IOBES", "new": ["x"]},
        {"old": ["O", "O"]},
        {"base": [2.0, -1.0, 0.0]},
    ],
)
def test_other_damage_is_refused(damage: dict[str, Any]) -> None:
    spec = fit_label_map([], "ner", "label", OLD, NEW, "IOB2").spec()
    with pytest.raises((ValueError, DataError)):
        LabelMap.from_spec({**spec, **damage})


def test_what_is_told_goes_before_names_and_text_overrules_both() -> None:
    told = {"LOC": "place", "PER": "place"}
    assert most_likely(fit_label_map([], "ner", "label", OLD, NEW, "IOB2", told)) == {
        "O": "O",
        "B-PER": "B-place",
        "I-PER": "I-place",
        "B-LOC": "B-place",
        "I-LOC": "I-place",
    }
    seen = [text([["B-PER", "O"]] * 40, [["B-person", "O"]] * 40)]
    found = most_likely(fit_label_map(seen, "ner", "label", OLD, NEW, "IOB2", told))
    assert found["B-PER"] == "B-person"


def test_types_that_are_told_must_be_there() -> None:
    news = Corpus.from_lists({"word": [["Ada", "spoke"]], "ner": [["B-PER", "O"]]})
    words = [["Ada", "met", "Bob"], ["he", "saw", "Ada"], ["Bob", "left"]]
    labels = [["B-who", "O", "B-who"], ["O", "O", "B-who"], ["B-who", "O"]]
    talks = Corpus.from_lists({"word": words, "task": labels})
    ner = Tagger(c2=0.01).fit(news)

    def fit(same: dict[str, str], **settings: Any) -> Pipeline:
        made = Pipeline({"ner": ner, "task": Tagger()}, decode="auto")
        return made.fit({"task": talks}, same=same, **settings)

    assert fit({"PER": "who"}).predict([["Ada", "left"]])["task"] == [["B-who", "O"]]
    with pytest.raises(DataError, match=r"type 'LOC', but the types of the tasks below are PER"):
        fit({"LOC": "who"})
    with pytest.raises(DataError, match="can be told to training 'auto' only"):
        fit({"PER": "who"}, training="soft")


def test_a_type_that_no_text_shows_is_found_by_the_tagger_below() -> None:
    """New names are known to the tagger below alone."""
    kinds = {"B-PER": ["ada", "bob", "cy", "dee", "eve"], "B-LOC": ["rome"], "O": ["so", "left"]}
    words = [[word] for some in kinds.values() for word in some]
    tags = [[kind] for kind, some in kinds.items() for _ in some]
    ner = Tagger(features=Template(column("word")), c2=0.001)
    ner.fit(Corpus.from_lists({"word": words, "ner": tags}))
    texts = [["so", "ada"], ["bob", "left"], ["so", "cy"], ["dee", "left"], ["so", "left"]]
    labels = [["O", "B-who"], ["B-who", "O"], ["O", "B-who"], ["B-who", "O"], ["O", "O"]]
    talks = Corpus.from_lists({"word": texts, "task": labels})
    task = Tagger(features=Template(column("word")))
    pipeline = Pipeline({"ner": ner, "task": task}, decode="auto")
    pipeline.fit({"task": talks}, same={"PER": "who", "LOC": "where"})
    assert any("labelled text has no where" in note for note in pipeline.notes_)
    text = [["eve", "left", "rome"]]
    found = pipeline.predict(text)["task"]
    assert found == [["B-who", "O", "B-where"]], pipeline.notes_
    assert Pipeline.load(pipeline.to_bytes()).predict(text)["task"] == found


@pytest.mark.parametrize(
    ("same", "message"),
    [
        ({"O": "who"}, "type 'O', but the types of the tasks below are PER"),
        ({"PER": None}, "'PER' means None; give the name of a type"),
        ({"PER": "B-who"}, "means 'B-who', which is a label; give its type, such as 'who'"),
    ],
)
def test_what_types_mean_is_checked_before_training(same: Any, message: str) -> None:
    news = Corpus.from_lists({"word": [["Ada", "spoke"]], "ner": [["B-PER", "O"]]})
    talks = Corpus.from_lists(
        {"word": [["Ada", "met"], ["Bob", "left"]], "task": [["B-who", "O"]] * 2}
    )
    pipeline = Pipeline({"ner": Tagger(c2=0.01).fit(news), "task": Tagger()}, decode="auto")
    seen: list[str] = []
    with pytest.raises(DataError, match=message):
        pipeline.fit({"task": talks}, same=same, callback=lambda title, _: seen.append(title))
    assert not seen


def test_types_that_no_text_shows_have_all_labels_of_the_scheme() -> None:
    assert with_types(["O", "S-a"], ["b"], "IOBES") == ("O", "S-a", "B-b", "I-b", "E-b", "S-b")
    assert with_types(["O", "U-a"], ["b"], "IOBES") == ("O", "U-a", "B-b", "I-b", "L-b", "U-b")
    assert with_types(["A"], ["B"], "none") == ("A", "B")
