"""All that a tagger takes: lists, generators, dicts, corpora, data indexed before."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from chain.small import SMALL
from dovetail import Corpus, Dataset, Tagger, Template, column, demo
from dovetail.errors import DataError
from reference.announcements import announcements
from reference.model_columns import END, START

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


def test_more_tokens_than_are_tagged_at_a_time() -> None:
    lengths = (5000, 4000, 0, 1, 9000, 3)
    X = [[[f"w={k % 7}"] for k in range(n)] for n in lengths]
    y = [["ABC"[k % 3] for k in range(n)] for n in lengths]
    tagger = Tagger(max_iterations=3, threads=1).fit(X[3:4] + X[5:], y[3:4] + y[5:])
    assert tagger.predict(X) == [tagger.predict([sequence])[0] for sequence in X]


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
