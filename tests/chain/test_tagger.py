"""What a tagger answers: against enumeration, python-crfsuite, and with bad input."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from dovetail import Constraints, Corpus, Dataset, FeatureGroup, Tagger, Template, column, demo
from dovetail.chain.constraints import scheme_of
from dovetail.chain.model_file import to_bytes
from dovetail.corpus.labels import spans
from dovetail.corpus.schemes import allowed_transitions
from dovetail.errors import DataError, DovetailError
from reference.announcements import announcements
from reference.chain import Chain
from reference.model_columns import END, START, TinyModel

FEATURES = ["a", "b", "c"]
slow = settings(deadline=None, max_examples=60)


def tagger_of(tiny: TinyModel, labels: Sequence[str], scheme: Any, *, legal: bool) -> Tagger:
    """A tagger with weights of our own making."""
    names = sorted({*tiny.on_labels, *tiny.on_moves})
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
        on_moves = {"a": dict(zip(pairs, weights(4).tolist(), strict=True))}
        self.tiny = TinyModel(
            n, weights((n, n)), on_labels, draw(st.sampled_from([{}, on_moves])), frozenset("ab")
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


# Against enumeration


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


# All kinds of input


def small() -> Tagger:
    X = [[["a"], ["b"], ["c"]], [["b"], ["a"]], [["c"], ["c"], ["a"]]]
    return Tagger(c2=0.1).fit(X, [list("XYZ"), list("YX"), list("ZZX")])


SMALL = small()
DATA = [[["a", "b"], ["b"], []], [], [["c"], ["unknown"]]]
KINDS: list[Callable[[], Any]] = [
    lambda: DATA,
    lambda: tuple(tuple(tuple(token) for token in s) for s in DATA),
    lambda: [[set(token) for token in s] for s in DATA],
    lambda: [[dict.fromkeys(token, 1.0) for token in s] for s in DATA],
    lambda: [[dict.fromkeys(token, True) for token in s] for s in DATA],
    lambda: [[dict.fromkeys(token, np.float32(1)) for token in s] for s in DATA],
    lambda: (((f for f in token) for token in s) for s in DATA),
    lambda: map(tuple, DATA),
    lambda: [[dict.fromkeys(token, 1).keys() for token in s] for s in DATA],
]


@pytest.mark.parametrize("kind", KINDS)
def test_any_iterable_will_do(kind: Callable[[], Any]) -> None:
    for ask in (
        SMALL.predict,
        SMALL.predict_marginals,
        SMALL.tag,
        lambda data: SMALL.predict_nbest(data, 4),
        lambda data: SMALL.sample(data, 4),
        lambda data: SMALL.log_likelihood(data, [list("XYZ"), [], list("ZZ")]),
        lambda data: SMALL.predict(data, decode="marginal"),
    ):
        assert ask(kind()) == ask(DATA)
    trained = Tagger(c2=0.1).fit(kind(), (iter(y) for y in (list("XYZ"), [], list("ZZ"))))
    assert trained.predict_marginals(DATA) == Tagger(c2=0.1).fit(
        DATA, [list("XYZ"), [], list("ZZ")]
    ).predict_marginals(DATA)


def test_values_count() -> None:
    one, other = SMALL.predict_marginals([[{"a": 1.0}], [{"a": 3.0}]])
    assert one != other
    assert SMALL.predict_marginals([[{"a": 3.0}]]) == SMALL.predict_marginals([[["a"] * 3]])


def test_empty_input() -> None:
    assert SMALL.predict([]) == []
    assert SMALL.predict([[]]) == [[]]
    assert SMALL.predict_marginals([[], []]) == [[], []]
    assert SMALL.predict_nbest([[]], 3) == [[([], 1.0)]]
    assert SMALL.tag([]) == []
    assert SMALL.tag([[]])[0][:2] == ([], [])
    assert SMALL.log_likelihood([[]], [[]]) == [0.0]
    assert SMALL.sample([[]], 2) == [[[], []]]


names = st.text("ab:=é", max_size=3)
numbers = st.booleans() | st.integers(-5, 5) | st.floats(-4, 4, width=32)
values = numbers | names | st.lists(names, max_size=2) | st.sets(names)
nested = st.recursive(
    st.dictionaries(names, values, max_size=3),
    lambda inner: st.dictionaries(names, inner, max_size=2),
    max_leaves=5,
)


@given(st.lists(nested, min_size=1, max_size=3))
@settings(deadline=None, max_examples=150)
def test_dicts_are_read_as_crfsuite_reads_them(tokens: list[dict[str, Any]]) -> None:
    flat = pycrfsuite.ItemSequence(tokens).items()
    gold = ["XYZ"[t % 3] for t in range(len(tokens))]
    own = Dataset.from_lists([tokens], [gold]).native.feature_names()
    expected = {name for token in flat for name in token}
    assert {name for name in own if name not in (START, END)} == expected
    tagger = Tagger().fit([flat, [["z"]]], [gold, ["Q"]])
    occurrences = Dataset.from_lists([tokens], [gold]).native.n_occurrences
    if occurrences == 2 + sum(map(len, flat)):  # no name twice in one token
        (one,), (other,) = tagger.predict_marginals([tokens]), tagger.predict_marginals([flat])
        for row, again in zip(one, other, strict=True):
            assert row == pytest.approx(again, abs=1e-6)


def test_allowed_labels() -> None:
    data = [[["a"], ["a"], ["a"]], [["b"]]]
    assert SMALL.predict(data)[0] == ["X", "X", "X"] or SMALL.predict(data)[1] == ["Y"]
    allowed: list[list[Any]] = [[None, "Z", {"Y", "Z"}], [["Z"]]]
    for decode in ("viterbi", "marginal"):
        (first, second) = SMALL.predict(data, decode=decode, allowed=allowed)
        assert first[1] == "Z"
        assert first[2] in ("Y", "Z")
        assert second == ["Z"]
    marginals = SMALL.predict_marginals(data, allowed=allowed)
    assert marginals[0][1] == {"X": 0.0, "Y": 0.0, "Z": 1.0}
    assert marginals[0][2]["X"] == 0.0
    assert sum(marginals[0][2].values()) == pytest.approx(1)
    (tagging, _) = SMALL.tag(data, allowed=allowed)
    assert tagging.confidences[1] == 1.0


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


def test_eight_threads_at_once() -> None:
    tagger = Tagger(c2=0.1, threads=2, constraints="auto").fit(*announcements("train", 80))
    data, labels = announcements("test", 40)
    asks: list[Callable[[], Any]] = [
        lambda: tagger.predict(data),
        lambda: tagger.predict_marginals(data),
        lambda: tagger.predict_nbest(data, 3),
        lambda: tagger.tag(data),
        lambda: tagger.sample(data, 2),
        lambda: tagger.top_weights(50),
        lambda: str(tagger.explain(data[0])),
        lambda: tagger.to_bytes(),
    ]
    expected = [ask() for ask in asks]
    fresh = dovetail.load(tagger.to_bytes())
    assert fresh.predict(data) == expected[0]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(lambda ask: ask(), asks)) == expected
        same = list(pool.map(lambda _: fresh.tag(data), range(8)))
    assert all(one == expected[3] for one in same)
    assert len(labels) == len(data)


# Bad input


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([[["a"]], [["a"], "word"]], "sequence 2 token 2 is a single string"),
        ([[["a"], [3]]], "sequence 1 token 2 has a feature of type int where a string"),
        ([[["a"], None]], "sequence 1 token 2 is of type NoneType"),
        ([[["a"], [None]]], "sequence 1 token 2 has a feature of type NoneType"),
        ([None], "sequence 1 is of type NoneType"),
        ([[{"a": float("nan")}]], "sequence 1 token 1 has the value nan for feature 'a'"),
        ([[["a"], {"a": float("inf")}]], "sequence 1 token 2 has the value inf for feature"),
        ([[{"a": 1e60}]], r"sequence 1 token 1 has the value 1e\+60 for feature 'a'"),
        ([[{"a": 10**400}]], "sequence 1 token 1 has a value for feature 'a' that does not fit"),
        ([[{3: 1.0}]], "sequence 1 token 1 has a feature name of type int"),
        ([[{"a": object()}]], "sequence 1 token 1 has a value of type object for feature 'a'"),
        ([[{"a": None}]], "sequence 1 token 1 has a value of type NoneType for feature 'a'"),
        ([[{"a": ["x", 1]}]], "sequence 1 token 1 has a value of type int in feature 'a:'"),
        ([[["ok", "\ud800"]]], "sequence 1 token 1 holds a string that is not valid Unicode"),
        ([[], [["x"], {"\udfff": 1.0}]], "sequence 2 token 2 holds a string that is not valid"),
        ([[{"a": "\ud800"}]], "sequence 1 token 1 holds a string that is not valid Unicode"),
        ([[{"a": {"b": float("nan")}}]], "sequence 1 token 1 has the value nan for feature 'a:b'"),
    ],
)
def test_malformed_features_are_named(data: Any, message: str) -> None:
    gold = [["X"] * (len(s) if isinstance(s, list) else 0) for s in data]
    for ask in (
        SMALL.predict,
        SMALL.predict_marginals,
        SMALL.tag,
        lambda data: SMALL.predict_nbest(data, 2),
        lambda data: SMALL.sample(data, 2),
        lambda data: SMALL.predict(data, decode="marginal"),
        lambda data: SMALL.log_likelihood(data, gold),
    ):
        with pytest.raises(DataError, match=message):
            ask(data)
    with pytest.raises(
        DataError, match=message.replace(" token", ": token", 1).replace("1 is", "1: is")
    ):
        Tagger().fit(data, gold)


def test_explain_names_malformed_features_too() -> None:
    with pytest.raises(DataError, match="token 2 is a single string"):
        SMALL.explain([["a"], "word"])


def test_nesting_without_end() -> None:
    endless: dict[str, Any] = {}
    endless["a"] = endless
    with pytest.raises(DataError, match="sequence 1 token 1 has features nested too deeply"):
        SMALL.predict([[endless]])
    deep: dict[str, Any] = {"a": {"b": {"c": {"d": None}}}}
    for _ in range(sys.getrecursionlimit()):  # each error leaves Python's stack as it was
        with pytest.raises(DataError):
            SMALL.predict([[deep]])


def test_an_error_in_a_generator_comes_through() -> None:
    def tokens() -> Iterator[list[str]]:
        yield ["a"]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        SMALL.predict([tokens()])
    with pytest.raises(ZeroDivisionError):
        Tagger().fit([tokens()], [["X", "Y"]])


@pytest.mark.parametrize(
    ("data", "labels", "message"),
    [
        ([[["a"], ["b"]]], [["X"]], "sequence 1: has 2 tokens but 1 labels"),
        ([[["a"]], [["a"]]], [["X"], ["X", "Y"]], "sequence 2: has 1 tokens but 2 labels"),
        ([[["a"]], [["a"]]], [["X"]], "there are more sequences than labels: 1"),
        ([[["a"]]], [["X"], ["Y"]], "there are more labels than sequences: 1"),
        ([[["a"]]], [[3]], "sequence 1: token 1 is of type int"),
        ([[["a"]]], [[{3}]], "sequence 1: token 1 has a label of type int"),
        ([[["a"]]], [[set()]], "sequence 1: token 1 has an empty set of labels"),
        ([[["a"]]], [["\ud800"]], "sequence 1: token 1 holds a string that is not valid Unicode"),
    ],
)
def test_malformed_labels_are_named(data: Any, labels: Any, message: str) -> None:
    with pytest.raises(DovetailError, match=message):
        Tagger().fit(data, labels)


def test_malformed_companions_are_named() -> None:
    data, labels = [[["a"]], [["b"], ["a"]]], [["X"], ["Y", "X"]]
    with pytest.raises(DataError, match="sequence 2: has the weight -1"):
        Tagger().fit(data, labels, weights=[1.0, -1.0])
    with pytest.raises(DataError, match="sequence 1: has the weight nan"):
        Tagger().fit(data, labels, weights=[float("nan"), 1.0])
    with pytest.raises(DataError, match="there are more sequences than weights: 1"):
        Tagger().fit(data, labels, weights=[1.0])
    with pytest.raises(DataError, match="sequence 2: has 2 tokens but 1 sets of allowed labels"):
        Tagger().fit(data, labels, allowed=[[None], [None]])


def test_questions_that_cannot_be_answered() -> None:
    data = [[["a"], ["b"]], [["c"]]]
    with pytest.raises(DataError, match="the model has no label 'Q'"):
        SMALL.log_likelihood(data, [["X", "Q"], ["Z"]])
    with pytest.raises(DataError, match="there are 2 sequences but 1 with labels"):
        SMALL.log_likelihood(data, [["X", "Y"]])
    with pytest.raises(DataError, match="sequence 1 has 2 tokens but 1 labels"):
        SMALL.log_likelihood(data, [["X"], ["Y", "Z"]])
    with pytest.raises(DataError, match="sequence 1 has 2 tokens but 1 sets of allowed labels"):
        SMALL.predict(data, allowed=[[None], [None, None]])
    with pytest.raises(DataError, match="sequence 2 token 1 is allowed no label that the"):
        SMALL.predict(data, allowed=[[None, {"Q", "X"}], [{"Q"}]])
    with pytest.raises(DataError, match="give a list of sequences"):
        SMALL.predict("a sentence")
    with pytest.raises(DataError, match="the model has no label 'Q'"):
        SMALL.top_weights(label="Q")
    for ask in (SMALL.predict, SMALL.tag):
        with pytest.raises(DataError, match="no decoder 'best'"):
            ask(data, decode="best")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda data: SMALL.predict_nbest(data, 0), "k is 0; give a whole number of at least 1"),
        (lambda data: SMALL.predict_nbest(data, -3), "k is -3; give a whole number of at least 1"),
        (lambda data: SMALL.predict_nbest(data, 1.5), "k is 1.5; give a whole number"),
        (lambda data: SMALL.predict_nbest(data, None), "k is None; give a whole number"),
        (lambda data: SMALL.sample(data, 0), "n is 0; give a whole number of at least 1"),
        (lambda data: SMALL.sample(data, -1), "n is -1; give a whole number of at least 1"),
        (lambda data: SMALL.sample(data, 1, seed=-1), "seed is -1; give a whole number of at le"),
        (lambda data: SMALL.sample(data, 1, seed=2**64), r"seed is \d+; give a number below 2"),
        (lambda data: SMALL.sample(data, 1, seed="x"), "seed is 'x'; give a whole number"),
    ],
)
def test_numbers_that_cannot_be(ask: Callable[[Any], Any], message: str) -> None:
    for data in ([[["a"], ["b"]], [["c"]]], []):
        with pytest.raises(DataError, match=f"^{message}"):
            ask(data)


def test_whole_numbers_of_any_type() -> None:
    data = [[["a"], ["b"]]]
    assert SMALL.predict_nbest(data, np.int64(2)) == SMALL.predict_nbest(data, 2)
    drawn = SMALL.sample(data, np.int32(3), seed=np.uint8(4))
    assert drawn == SMALL.sample(data, 3, seed=4)
    assert len(SMALL.sample(data * 3, 1, seed=2**63 - 1)) == 3


@pytest.mark.parametrize(
    "ask",
    ["predict", "predict_marginals", "tag", "explain", "to_bytes", "top_weights", "transitions"],
)
def test_a_tagger_that_is_not_trained(ask: str) -> None:
    arguments = [[]] if ask in ("predict", "predict_marginals", "tag", "explain") else []
    with pytest.raises(DovetailError, match="has not been trained: call fit, or load a model"):
        getattr(Tagger(), ask)(*arguments)
    assert repr(Tagger()) == "<Tagger: not fitted>"


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
    assert scheme_of(data) == scheme


# Corpora


def corpus() -> Corpus:
    return dovetail.read(demo.path("train.conll"))[:40]


def test_a_corpus_with_the_default_features(tmp_path: Path) -> None:
    tagger = Tagger(c2=0.1).fit(corpus())
    words = Corpus.from_lists({"word": corpus().lists("word")})
    expected = tagger.predict(words.lists("word"))
    assert tagger.predict(words) == expected
    assert tagger.predict(corpus()) == expected
    assert tagger.label_column_ == "label"
    tagger.save(tmp_path / "model")
    loaded = dovetail.load(tmp_path / "model")
    assert loaded.predict(words) == expected
    assert loaded.tag(words) == tagger.tag(words)
    with pytest.raises(DataError, match="a column 'word' that the data does not have"):
        tagger.predict(Corpus.from_lists({"token": [["a"]]}))


def test_a_corpus_with_a_template() -> None:
    made = Corpus.from_lists(
        {"word": [["the", "dog"]] * 3, "tag": [["DT", "NN"]] * 3, "misc": [["x", "y"]] * 3}
    )
    template = Template(column("word"), column("word").lower[-1])
    tagger = Tagger(features=template, c2=0.1).fit(made, label="tag")
    assert tagger.label_column_ == "tag"
    assert {f for f, _, _ in tagger.top_weights(100)} >= {"word=the", "word=dog"}
    assert not any("misc" in f or "[1]" in f for f, _, _ in tagger.top_weights(100))
    assert tagger.predict(made) == [["DT", "NN"]] * 3
    with pytest.raises(DataError, match="there is no column 'pos'"):
        Tagger().fit(made, label="pos")


def last_letters(sequence: Any) -> list[list[str]]:
    return [[f"last={word[-1]}"] for word in sequence["word"]]


def test_a_corpus_with_a_function(tmp_path: Path) -> None:
    tagger = Tagger(features=last_letters).fit(corpus())
    expected = tagger.predict(map(last_letters, corpus()))
    assert tagger.predict(corpus()) == expected
    tagger.save(tmp_path / "model")
    with pytest.raises(DataError, match="features=function"):
        dovetail.load(tmp_path / "model").predict(corpus())
    assert dovetail.load(tmp_path / "model", features=last_letters).predict(corpus()) == expected
    assert {f for f, _, _ in tagger.top_weights(500)} >= {"last=y"}
    with pytest.raises(DataError, match=r"has 3 tokens but 2 labels|has \d+ tokens but"):
        Tagger(features=lambda s: last_letters(s)[:-1]).fit(corpus())


def test_a_corpus_for_a_model_of_feature_lists() -> None:
    with pytest.raises(DataError, match="trained on feature lists"):
        SMALL.predict(corpus())


def test_missing_labels_of_a_corpus_are_unknown() -> None:
    made = Corpus.from_lists({"word": [["a", "b"], ["a", "b"]], "tag": [["X", None], [None, "Y"]]})
    tagger = Tagger(c2=0.1, features=Template(column("word"))).fit(made)
    assert tagger.labels_ == ["X", "Y"]
    assert tagger.predict(made) == [["X", "Y"]] * 2


def test_indexed_data() -> None:
    X, Y = announcements("train", 30)
    tagger = Tagger().fit(Dataset.from_lists(X, Y))
    assert tagger.predict(X) == Tagger().fit(X, Y).predict(X)


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
        heavy = ("numpy", "safetensors", "dovetail.chain.fitting", "dovetail.corpus")
        print([name for name in heavy if name in sys.modules])
    """
    command = [sys.executable, "-c", code, str(tmp_path / "model"), data]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [str(SMALL.predict([[["a"]]])), "[]"]
