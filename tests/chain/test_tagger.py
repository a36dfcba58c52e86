"""A tagger's answers against enumeration, its constraints and weights."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from chain.small import SMALL
from dovetail import Constraints, Dataset, FeatureGroup, Tagger, Template, column
from dovetail.chain.constraints import infer_scheme
from dovetail.corpus.labels import spans
from dovetail.corpus.schemes import allowed_transitions
from dovetail.errors import DataError
from dovetail.io.model_file import to_bytes
from reference.announcements import announcements
from reference.chain import Chain
from reference.model_columns import END, START, TinyModel

FEATURES = ["a", "b", "c"]
slow = settings(deadline=None, max_examples=60)


def tagger_of(tiny: TinyModel, labels: Sequence[str], scheme: Any, *, legal: bool) -> Tagger:
    """A tagger with weights of our own making."""
    names = sorted({*tiny.on_labels, *tiny.on_transitions})
    encoded = [name.encode() for name in names]
    arrays: dict[str, Any] = dict(tiny.columns())
    arrays["names"] = np.frombuffer(b"".join(encoded), np.uint8)
    arrays["name_offsets"] = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
    limits: Sequence[Any] = [np.zeros(0, np.uint8)] * 3
    if legal:
        limits = [m.ravel().astype(np.uint8) for m in allowed_transitions(labels, scheme)]
    arrays.update(zip(("legal", "start", "end"), limits, strict=True))
    facts = {"labels": list(labels), "scheme": scheme, "features": None, "label": None}
    return dovetail.load(to_bytes(arrays, {**facts, "training": {}}))


class Case:
    """A tagger over random weights, a sequence, and all label sequences it could have."""

    def __init__(self, draw: st.DrawFn, labels: Sequence[str], scheme: Any, legal: bool) -> None:
        n = len(labels)
        random = np.random.default_rng(draw(st.integers(0, 10_000)))
        scale = draw(st.sampled_from([0.5, 3.0]))

        def weights(size: Any) -> Any:
            return (scale * random.normal(size=size)).astype(np.float32)

        on_labels = {f: dict(enumerate(weights(n).tolist())) for f in [*FEATURES, START, END]}
        pairs = [tuple(p) for p in random.integers(0, n, (4, 2)).tolist()]
        on_transitions = {"a": dict(zip(pairs, weights(4).tolist(), strict=True))}
        self.tiny = TinyModel(
            n,
            weights((n, n)),
            on_labels,
            draw(st.sampled_from([{}, on_transitions])),
            frozenset("ab"),
        )
        self.labels = labels
        self.tagger = tagger_of(self.tiny, labels, scheme, legal=legal)
        token = st.lists(st.sampled_from([*FEATURES, "unknown"]), max_size=3)
        self.tokens = draw(st.lists(token, max_size=4))
        self.chain = self.tiny.chain(self.tokens)
        if legal:
            self.chain = self.chain.constrained(*allowed_transitions(labels, scheme))

    def names(self, path: Sequence[int]) -> list[str]:
        return [self.labels[j] for j in path]

    def is_best(self, labels: Sequence[str], chain: Chain) -> bool:
        """Whether no label sequence scores higher; several may score the same."""
        codes = [self.labels.index(y) for y in labels]
        return bool(chain.score_of(codes) >= chain.scores.max() - 1e-5)

    @cached_property
    def all_sequences(self) -> list[tuple[list[str], float]]:
        paths = map(self.names, self.chain.paths.tolist())
        return list(zip(paths, self.chain.probabilities.tolist(), strict=True))


@st.composite
def cases(draw: st.DrawFn, labels: Sequence[str] = "XYZ", scheme: Any = "none") -> Case:
    return Case(draw, labels, scheme, legal=scheme != "none" and draw(st.booleans()))


@given(cases())
@slow
def test_labels_and_marginals(case: Case) -> None:
    (best,) = case.tagger.predict([case.tokens])
    assert case.is_best(best, case.chain)
    (marginals,) = case.tagger.predict_marginals([case.tokens])
    expected = case.chain.marginals()
    for row, token in zip(expected, marginals, strict=True):
        assert list(token) == list(case.labels)
        assert list(token.values()) == pytest.approx(row.tolist(), abs=1e-9)
    (by_marginal,) = case.tagger.predict([case.tokens], decode="marginal")
    assert by_marginal == case.names(expected.argmax(axis=1).tolist())


@given(cases(), st.integers(1, 100))
@slow
def test_n_best(case: Case, k: int) -> None:
    (found,) = case.tagger.predict_nbest([case.tokens], k)
    p = [probability for _, probability in found]
    ranked = sorted((q for _, q in case.all_sequences), reverse=True)[:k]
    assert p == pytest.approx(ranked, abs=1e-9)
    assert p == sorted(p, reverse=True)
    assert sum(p) <= 1 + 1e-9
    assert len({tuple(labels) for labels, _ in found}) == len(found)
    assert case.is_best(found[0][0], case.chain)
    if k >= len(ranked) and len(case.chain.paths) <= k:
        assert sum(p) == pytest.approx(1)


@given(cases(), st.data())
@slow
def test_log_likelihood(case: Case, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(case.chain.paths) - 1))
    labels, probability = case.all_sequences[place]
    (found,) = case.tagger.log_likelihood([case.tokens], [labels])
    assert found == pytest.approx(np.log(probability), abs=1e-9)


def check_tagging(case: Case) -> None:
    """Labels, confidences, spans, probability and entropy of one sequence."""
    (tagging,) = case.tagger.tag([case.tokens])
    assert tagging.labels == case.tagger.predict([case.tokens])[0]
    marginals = case.chain.marginals()
    shown = [marginals[t, case.labels.index(y)] for t, y in enumerate(tagging.labels)]
    assert tagging.confidences == pytest.approx(shown, abs=1e-9)
    (own,) = [p for labels, p in case.all_sequences if labels == tagging.labels]
    assert tagging.probability == pytest.approx(own, abs=1e-9)
    assert tagging.entropy == pytest.approx(case.chain.entropy(), abs=1e-7)
    assert [span[:3] for span in tagging.spans] == spans(tagging.labels)
    for *span, probability in tagging.spans:
        having = [p for labels, p in case.all_sequences if tuple(span) in spans(labels)]
        assert probability == pytest.approx(sum(having), abs=1e-9)


IOB = ["O", "B-X", "I-X", "B-Y", "I-Y"]


@given(cases(IOB, "IOB2"))
@slow
def test_spans_in_iob2(case: Case) -> None:
    check_tagging(case)


@given(cases(IOB, "IOB1"))
@slow
def test_spans_in_iob1(case: Case) -> None:
    check_tagging(case)


@given(cases(["O", "B-X", "I-X", "E-X", "S-X"], "IOBES"))
@slow
def test_spans_in_iobes(case: Case) -> None:
    check_tagging(case)


@given(cases(["O", "B-X", "I-X", "L-X", "U-X"], "IOBES"))
@settings(deadline=None, max_examples=30)
def test_spans_in_bilou(case: Case) -> None:
    check_tagging(case)


@given(cases(["O", "B", "I"], "IOB2"))
@settings(deadline=None, max_examples=30)
def test_spans_without_a_type(case: Case) -> None:
    check_tagging(case)


def test_labels_that_are_no_spans_have_none() -> None:
    tagger = Tagger(c2=0.1).fit([[["a"], ["b"]]], [["DET", "NOUN"]])
    (tagging,) = tagger.tag([[["a"], ["b"]]])
    assert tagging.labels == ["DET", "NOUN"]
    assert tagging.spans == []


@given(cases(IOB, "IOB2"))
@slow
def test_explanations_add_up(case: Case) -> None:
    """Contributions sum to what the sequence would lose if one token had its rival's label."""
    explanation = case.tagger.explain(case.tokens, top=10**6)
    best = [case.labels.index(token.label) for token in explanation.tokens]
    assert case.is_best(case.names(best), case.chain)
    plain = case.tiny.chain(case.tokens)
    marginals = case.chain.marginals()
    for t, token in enumerate(explanation.tokens):
        rival = case.labels.index(token.rival)
        assert token.probability == pytest.approx(marginals[t, best[t]], abs=1e-9)
        assert token.rival_probability == pytest.approx(marginals[t, rival], abs=1e-9)
        others = [p for j, p in enumerate(marginals[t]) if j != best[t]]
        assert token.rival_probability == pytest.approx(max(others), abs=1e-9)
        other = [*best[:t], rival, *best[t + 1 :]]
        lost = plain.score_of(best) - plain.score_of(other)
        margins = [c.margin for c in token.contributions]
        assert sum(margins) == pytest.approx(lost, abs=1e-4)
        assert [abs(m) for m in margins] == sorted((abs(m) for m in margins), reverse=True)


def test_an_explanation_is_readable() -> None:
    tagger = Tagger(c2=0.1, boundaries=False).fit([[["w=the"], {"w=dog": 2.0}]], [["DET", "NOUN"]])
    explanation = tagger.explain([["w=the"], {"w=dog": 2.0}], top=2)
    text = str(explanation)
    assert text.startswith("1. DET 0.8")
    assert "rather than NOUN" in text
    first, second = explanation.to_dict()
    weights = {
        feature: weight for feature, label, weight in tagger.top_weights() if label == "NOUN"
    }
    dog = {c["source"]: c for c in second["contributions"]}["w=dog"]
    assert dog["weight"] == pytest.approx(2 * weights["w=dog"])
    assert [c["source"] for c in first["contributions"]] == ["before NOUN", "w=the"]
    assert [len(t.contributions) for t in tagger.explain([["w=the"]] * 3, top=1).tokens] == [
        1,
        1,
        1,
    ]
    assert tagger.explain([]).tokens == []


def test_samples_have_the_frequencies_of_the_model() -> None:
    tagger = Tagger(c2=1.0).fit([[["a"], ["b"], ["a"]], [["b"], ["b"]]], [list("XYX"), list("YX")])
    sequence = [["a"], ["b"], ["b"]]
    (drawn,) = tagger.sample([sequence], 20_000, seed=1)
    for labels, probability in tagger.predict_nbest([sequence], 8)[0]:
        assert drawn.count(labels) / len(drawn) == pytest.approx(probability, abs=0.015)
    assert tagger.sample([sequence] * 2, 50, seed=1) == tagger.sample([sequence] * 2, 50, seed=1)
    assert tagger.sample([sequence], 50, seed=1) != tagger.sample([sequence], 50, seed=2)


@given(cases(), st.data())
@slow
def test_allowed_labels_against_enumeration(case: Case, data: st.DataObject) -> None:
    size = len(case.tokens)
    choice = st.none() | st.sampled_from("XYZ") | st.sets(st.sampled_from("XYZ"), min_size=1)
    allowed = data.draw(st.lists(choice, min_size=size, max_size=size))
    mask = [[k is None or y in k for y in "XYZ"] for k in allowed]
    chain = case.chain.constrained(allowed=np.array(mask, bool).reshape(size, 3))
    (best,) = case.tagger.predict([case.tokens], allowed=[allowed])
    assert case.is_best(best, chain)
    (tagging,) = case.tagger.tag([case.tokens], allowed=[allowed])
    assert tagging.probability == pytest.approx(float(chain.probabilities.max()), abs=1e-5)
    marginals = case.tagger.predict_marginals([case.tokens], allowed=[allowed])[0]
    found = np.array([list(row.values()) for row in marginals]).reshape(size, 3)
    np.testing.assert_allclose(found, chain.marginals(), atol=1e-9)


# Constraints


def test_constraints_hold_in_every_answer() -> None:
    rule = Constraints(follow={"X": {"Y"}, "Y": set("XYZ"), "Z": ()}, start={"X"}, end={"Z"})
    X = [[["a"], ["b"], ["c"]], [["a"], ["b"], ["a"], ["b"], ["c"]]]
    tagger = Tagger(constraints=rule).fit(X, [list("XYZ"), list("XYXYZ")])
    data = [[["c"], ["c"], ["c"]], [["c"], ["a"], ["a"], ["b"], ["a"]]]
    expected = [list("XYZ"), list("XYXYZ")]
    assert tagger.predict(data) == expected
    assert tagger.predict(data[:1], decode="marginal") == expected[:1]
    assert dovetail.load(tagger.to_bytes()).predict(data) == expected
    nbest = tagger.predict_nbest(data[1:], 20)[0]
    assert sorted("".join(labels) for labels, _ in nbest) == ["XYXYZ", "XYYYZ"]
    assert sum(p for _, p in nbest) == pytest.approx(1)
    assert tagger.log_likelihood(data[:1], [list("XXZ")]) == [-np.inf]
    for ask in (tagger.predict, tagger.predict_marginals, tagger.tag):
        with pytest.raises(DataError, match="sequence 2 has no label sequence that the constraint"):
            ask([data[0], [["a"]]])
    with pytest.raises(DataError, match="no label sequence"):
        tagger.explain([["a"]])
    with pytest.raises(DataError, match="no label sequence"):
        tagger.predict_nbest([[["a"]]], 1)
    with pytest.raises(DataError, match="no label sequence"):
        tagger.sample([[["a"]]], 1)


def test_predicted_labels_obey_the_detected_scheme() -> None:
    train, test = announcements("train", 25), announcements("test", 60)
    plain = Tagger(c2=3.0).fit(*train)
    tagger = Tagger(c2=3.0, constraints="auto").fit(*train)

    def legal(rows: list[list[str]]) -> bool:
        return all(spans(row) == spans(row, "IOB2") for row in rows)

    assert legal(tagger.predict(test[0]))
    broken = plain.predict(test[0]) + [row for s in plain.sample(test[0], 5) for row in s]
    assert not legal(broken)
    assert all(legal(drawn) for drawn in tagger.sample(test[0], 5))


def test_a_malformed_sequence_does_not_switch_constraints_off(caplog) -> None:
    X = [[["a"], ["b"]]] * 4
    y = [["B-Q", "I-Q"], ["O", "I-Q"], ["B-Q", "I-Q"], ["O", "B-Q"]]
    tagger = Tagger(constraints="auto").fit(X, y)
    assert tagger.training_["constraints_used"] == "IOB2"
    assert tagger.model_.facts["repaired"]["sequence"] == 2
    assert "the first is sequence 2, token 2: I-Q after O" in caplog.text
    legal, illegal = tagger.log_likelihood(X[:2], [["O", "B-Q"], ["O", "I-Q"]])
    assert legal > -5
    assert illegal == -math.inf
    assert Tagger().fit(X, y).training_["constraints_used"] == "none"


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        ([["O", "B-X", "I-X"]], "IOB2"),
        ([["I-X", "I-X", "B-X", "O"]], "IOB1"),
        ([["S-X", "B-X", "I-X", "E-X"]], "IOBES"),
        ([["U-X", "B-X", "L-X", "O"]], "IOBES"),
        ([["B-X", "O"], ["I-X"]], "none"),
        ([["B-X", "O"], ["B-X", "O", "I-X"]], "none"),
        ([["DT", "NN"]], "none"),
        ([["B-X", "NN"]], "none"),
        ([["B-X", "I-X", "E-X"], ["B-X"]], "none"),
        ([["B-X", None, "I-X"]], "IOB2"),
        ([["O", "O"]], "IOB2"),
    ],
)
def test_detection_of_the_scheme(labels: list[list[Any]], scheme: str) -> None:
    data = Dataset.from_lists([[["a"]] * len(row) for row in labels], labels)
    assert infer_scheme(data) == scheme


# Weights


def test_weights_are_those_of_the_features() -> None:
    groups = [FeatureGroup("cap", on="both")]
    X = [[["a", "cap"], ["b", "cap"]], [["b"], ["a", "cap"]]]
    tagger = Tagger(c2=0.1, groups=groups).fit(X, [["X", "Y"], ["Y", "X"]])
    top = tagger.top_weights(1000)
    assert [w for _, _, w in top] == sorted((w for _, _, w in top), reverse=True)
    by_name = {(f, y): w for f, y, w in top}
    assert tagger.top_weights(1, label="Y") == [next(t for t in top if t[1] == "Y")]
    # One token with one feature: the difference of scores is that of the weights.
    (row,) = tagger.predict_marginals([[["b"]]])[0]
    score = {y: sum(by_name.get((f, y), 0.0) for f in ("b", START, END)) for y in ("X", "Y")}
    assert np.log(row["Y"] / row["X"]) == pytest.approx(score["Y"] - score["X"], abs=1e-5)
    assert set(tagger.transitions()) == {(a, b) for a in "XY" for b in "XY"}


@pytest.mark.parametrize("of_tokens", [False, True])
def test_a_process_that_only_tags_loads_no_more_than_that(tmp_path: Path, of_tokens: bool) -> None:
    template = Template(column("word").lower, column("word").match("[a-z]"))
    tagger = Tagger(features=template).fit([["a"]], [["X"]]) if of_tokens else SMALL
    tagger.save(tmp_path / "model")
    data = '["a"]' if of_tokens else '[["a"]]'
    code = """if True:
        import sys, dovetail
        print(dovetail.load(sys.argv[1]).predict([eval(sys.argv[2])]))
        heavy = ("numpy", "safetensors", "dovetail.chain.train.fitting", "dovetail.corpus")
        print([name for name in heavy if name in sys.modules])
    """
    command = [sys.executable, "-c", code, str(tmp_path / "model"), data]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(SMALL.predict([[["a"]]])), "[]"]
