"""Labelled text of a task below, as more text for a new task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dovetail import Corpus, DataError, Pipeline, Tagger, Template, column
from dovetail.corpus.schemes import Scheme
from dovetail.evaluate import evaluate
from dovetail.pipeline.layers.mapped import LabelMap, types_of
from dovetail.pipeline.train.auto import old_text
from dovetail.pipeline.train.auto.old_text import pool_text, sample_text, translate_labels

OLD = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")


def map_to(
    new: Sequence[str], types: dict[str, str], scheme: Scheme, sure: float = 0.9
) -> LabelMap:
    """A map that is so sure of the type of each old one."""
    names = types_of(new)
    table = np.full((len(types_of(OLD)), len(names)), (1 - sure) / (len(names) - 1))
    for row, kind in zip(table, types_of(OLD), strict=True):
        row[names.index(types[kind])] = sure
    uniform = np.full(len(names), 1 / len(names))
    return LabelMap(OLD, tuple(new), scheme, table, uniform, np.ones(len(names)))


@pytest.mark.parametrize(
    ("new", "scheme", "expected"),
    [
        (["O", "B-who", "I-who"], "IOB2", ["B-who", "I-who", "B-who"]),
        (["O", "B-who", "I-who"], "IOB1", ["I-who", "I-who", "B-who"]),
        (["O", *(f"{x}-who" for x in "BIES")], "IOBES", ["B-who", "E-who", "S-who"]),
        (["O", *(f"{x}-who" for x in "BILU")], "IOBES", ["B-who", "L-who", "U-who"]),
        (["O", "who"], "none", ["who", "who", "who"]),
    ],
)
def test_old_labels_become_the_likeliest_new_ones_in_their_scheme(
    new: list[str], scheme: Scheme, expected: list[str]
) -> None:
    found = map_to(new, {"O": "O", "PER": "who", "LOC": "O"}, scheme)
    given = [["B-PER", "I-PER", "B-PER", None, "O", "B-LOC"]]
    assert translate_labels(given, found).labels == [[*expected, None, "O", "O"]]


def test_agreement_is_that_of_the_map_where_the_old_text_has_spans() -> None:
    types = {"O": "O", "PER": "who", "LOC": "where"}
    new = ["O", "B-who", "I-who", "B-where", "I-where"]
    found = map_to(new, types, "IOB2", sure=0.5)
    found.table[2] = [0.0, 0.1, 0.9]
    given = [["B-PER", "O", None, "B-LOC", "I-LOC", "O"]]
    assert translate_labels(given, found).agreement == pytest.approx((0.5 + 2 * 0.9) / 3)
    assert translate_labels([["O", "O"]], found).agreement == 0


def test_plain_labels_do_not_tell_spans() -> None:
    found = map_to(["O", "B-who", "I-who"], {"O": "O", "PER": "who", "LOC": "O"}, "IOB2")
    assert translate_labels([["PER", "O"]], found).agreement == 0


def corpus_of(texts: Sequence[str], label: str = "task") -> Corpus:
    words = [text.split() for text in texts]
    labels = [["B-who" if word.istitle() else "O" for word in own] for own in words]
    return Corpus.from_lists({"word": words, label: labels})


def test_old_text_is_a_sample_without_the_new_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(old_text, "MOST_TOKENS", 21)
    old = corpus_of([f"text number{k}" for k in range(40)])
    new = corpus_of([f"text number{k}" for k in range(0, 40, 2)])
    found = sample_text(old, new, ["word"], 0).lists("word")
    assert 0 < len(found) <= 10
    assert all(int(str(words[1])[6:]) % 2 for words in found)
    assert found == sample_text(old, new, ["word"], 0).lists("word")
    assert found != sample_text(old, new, ["word"], 1).lists("word")


def test_of_old_text_a_long_sequence_is_taken_whole_and_the_same_text_not_at_all() -> None:
    old = corpus_of(["so " * (old_text.MOST_TOKENS + 1)])
    assert len(sample_text(old, corpus_of(["so"]), ["word"], 0)) == 1
    assert len(sample_text(old, old, ["word"], 0)) == 0
    assert len(sample_text(old.select([]), old, ["word"], 0)) == 0


def test_new_text_counts_several_times_while_it_is_the_shorter() -> None:
    new = corpus_of(["Ada spoke", "no"])
    for n_old, copies in ((100, 5), (3, 3), (0, 1)):
        pooled = pool_text(corpus_of(["so it is"] * n_old).select(range(n_old)), new)
        assert pooled.owners.tolist() == [-1] * n_old + [0, 1] * copies
        assert pooled.corpus.lists("word")[n_old:] == new.lists("word") * copies


NAMES = [f"n{k}" for k in range(300)]
PLACES = [f"p{k}" for k in range(300)]


def names_and_places(n: int, seed: int, *, swapped: bool = False) -> dict[str, list[list[str]]]:
    """Texts of words that only labelled text tells apart; swapped, the old types are exchanged."""
    rng = np.random.default_rng(seed)
    words, labels = [], []
    kinds = ("B-where", "B-who") if swapped else ("B-who", "B-where")
    for _ in range(n):
        which = rng.integers(2, size=2)
        one, other = (rng.choice((NAMES, PLACES)[kind]) for kind in which)
        words.append([one, "saw", other])
        labels.append([kinds[which[0]], "O", kinds[which[1]]])
    return {"word": words, "label": labels}


def as_corpus(made: dict[str, list[list[str]]], label: str) -> Corpus:
    return Corpus.from_lists({"word": made["word"], label: made["label"]})


def fit(old: Corpus, new: Corpus, **more: Any) -> Pipeline:
    """Above a tagger that has seen hardly any of the old text."""
    task = Tagger(features=Template(column("word")), c2=0.1)
    lower = task.clone().fit(old.select(range(15)), label="ner")
    return Pipeline({"ner": lower, "task": task}, decode="auto").fit({"task": new}, **more)


def f1(pipeline: Pipeline, test: Corpus) -> float:
    return evaluate(test.lists("task"), pipeline.predict(test)["task"]).micro.f1


def test_old_text_of_the_same_types_is_learnt_from() -> None:
    old = as_corpus(names_and_places(600, 1), "ner")
    new, test = (as_corpus(names_and_places(n, seed), "task") for n, seed in ((25, 2), (100, 3)))
    pipeline = fit(old, new, old_text={"ner": old})
    taken = pipeline.training_["task"]["selected"]
    assert taken.endswith("with old text"), pipeline.notes_
    assert f1(pipeline, test) > f1(fit(old, new), test) + 0.1
    loaded = Pipeline.load(pipeline.to_bytes())
    assert loaded.predict(test)["task"] == pipeline.predict(test)["task"]


def test_the_data_of_a_task_below_is_learnt_from_too() -> None:
    old = as_corpus(names_and_places(600, 1), "ner")
    new = as_corpus(names_and_places(25, 2), "task")
    task = Tagger(features=Template(column("word")), c2=0.1)
    pipeline = Pipeline({"ner": task, "task": task}, decode="auto").fit({"ner": old, "task": new})
    assert "transfer, with old text" in pipeline.training_["task"]["candidates"]


def test_old_text_of_contradicting_types_is_left_out() -> None:
    old = as_corpus(names_and_places(600, 1, swapped=True), "ner")
    new, test = (as_corpus(names_and_places(n, seed), "task") for n, seed in ((8, 2), (100, 3)))
    with_text = fit(old, new, old_text={"ner": old})
    assert f1(with_text, test) == f1(fit(old, new), test)
    assert "old text" not in with_text.training_["task"]["selected"]


def test_old_text_without_the_columns_that_features_read_is_left_out() -> None:
    made = names_and_places(20, 2)
    new = as_corpus(made, "task").with_column("upper", made["word"])
    old = as_corpus(names_and_places(50, 1), "ner")
    lower = Tagger(features=Template(column("word"))).fit(old)
    task = Tagger(features=Template(column("word"), column("upper")))
    pipeline = Pipeline({"ner": lower, "task": task}, decode="auto")
    pipeline.fit({"task": new}, labels={"task": "task"}, old_text={"ner": old})
    assert any("not learnt from: it has no column 'upper'" in note for note in pipeline.notes_)


@pytest.mark.parametrize(
    ("old", "settings", "message"),
    [
        ({"pos": 1}, {}, "names 'pos', which is no task below; there are ner"),
        ({"task": 1}, {}, "names 'task', which is no task below"),
        ({"ner": [["Ada"]]}, {}, "the old text of 'ner' is no corpus"),
        ({"ner": 1}, {"training": "soft"}, "only training 'auto' learns from old text"),
    ],
)
def test_old_text_is_checked_before_training(
    old: dict[str, Any], settings: dict[str, Any], message: str
) -> None:
    text = as_corpus(names_and_places(15, 1), "ner")
    new = as_corpus(names_and_places(5, 2), "task")
    given = {name: text if value == 1 else value for name, value in old.items()}
    with pytest.raises(DataError, match=message):
        fit(text, new, old_text=given, **settings)


def test_text_that_is_data_already_needs_no_telling() -> None:
    text = as_corpus(names_and_places(15, 1), "ner")
    new = as_corpus(names_and_places(5, 2), "task")
    pipeline = Pipeline({"ner": Tagger(), "task": Tagger()}, decode="auto")
    with pytest.raises(DataError, match="which is learnt from anyway: leave it out of old_text"):
        pipeline.fit({"ner": text, "task": new}, old_text={"ner": text})
