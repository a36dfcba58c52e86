"""Inference kernels against enumeration of every label sequence, on random tiny models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dovetail import _native
from reference.chain import Chain, Mask
from reference.model_columns import END, START, TinyModel, Token

FEATURES = ["a", "bb", "a feature of more than eight bytes", "d=ä", "e", "f", "g"]
NOTHING = np.zeros(0, np.uint8)
UNLIMITED = _native.Constraints(0, NOTHING, NOTHING, NOTHING)
slow = settings(deadline=None, max_examples=150)

# Sums of quarters are exact in single precision, so that equal scores are equal; spread weights
# reach every way of computing posteriors.
quarters = st.integers(-8, 8).map(lambda n: n / 4)
spread = st.sampled_from([1.0, 30.0, 2000.0]).flatmap(
    lambda scale: st.floats(-scale, scale, width=32).filter(lambda w: w == 0 or abs(w) > 1e-3)
)


def native(model: TinyModel) -> Any:
    return _native.Model(model.n_labels, **model.columns())


@st.composite
def models(draw: st.DrawFn, weights: st.SearchStrategy[float] = spread) -> TinyModel:
    labels = draw(st.integers(1, 4))
    label = st.integers(0, labels - 1)
    feature = st.sampled_from([*FEATURES, START, END])
    rows = st.lists(weights, min_size=labels**2, max_size=labels**2)
    on_labels = st.dictionaries(feature, st.dictionaries(label, weights, min_size=1))
    on_transitions = st.dictionaries(
        feature, st.dictionaries(st.tuples(label, label), weights, min_size=1), max_size=2
    )
    return TinyModel(
        labels,
        np.array(draw(rows), np.float32).reshape(labels, labels),
        draw(on_labels),
        draw(st.just({}) | on_transitions),
        frozenset(draw(st.sets(feature))),
    )


lists_of_features = st.lists(st.sampled_from([*FEATURES, "unknown"]), max_size=4)
dicts_of_features = st.dictionaries(st.sampled_from([*FEATURES, "unknown"]), quarters, max_size=4)
sequences = st.lists(lists_of_features, max_size=5) | st.lists(
    lists_of_features | dicts_of_features, max_size=5
)
batches = st.lists(sequences, min_size=1, max_size=3)


@dataclass
class Limits:
    """Constraints and labels that tokens may take; None: no such limit."""

    n_labels: int
    legal: Mask | None = None
    start: Mask | None = None
    end: Mask | None = None
    allowed: list[Mask] | None = None  # [T, L] for each sequence of the batch

    @property
    def constraints(self) -> Any:
        flat = [_bytes(m) for m in (self.legal, self.start, self.end)]
        return _native.Constraints(self.n_labels, *flat)

    @property
    def mask(self) -> Any:
        return _bytes(None if self.allowed is None else np.concatenate(self.allowed))

    def apply(self, chain: Chain, number: int) -> Chain:
        allowed = None if self.allowed is None else self.allowed[number]
        return chain.constrained(self.legal, self.start, self.end, allowed)


def _bytes(mask: Mask | None) -> Any:
    return NOTHING if mask is None else mask.reshape(-1).astype(np.uint8)


@st.composite
def limits(draw: st.DrawFn, labels: int, batch: Sequence[Sequence[Token]]) -> Limits:
    def masks(*shape: int) -> st.SearchStrategy[Mask]:
        size = int(np.prod(shape))
        mostly = st.lists(st.sampled_from([True, True, True, False]), min_size=size, max_size=size)
        return mostly.map(lambda bits: np.array(bits, dtype=bool).reshape(shape))

    return Limits(
        labels,
        draw(st.none() | masks(labels, labels)),
        draw(st.none() | masks(labels)),
        draw(st.none() | masks(labels)),
        draw(st.none() | st.tuples(*(masks(len(s), labels) for s in batch)).map(list)),
    )


@dataclass
class Case:
    """A model, a batch, and what enumeration says of each sequence of it."""

    model: Any
    batch: Any
    limits: Limits
    chains: list[Chain]

    def labels_of(self, labels: Any, number: int) -> tuple[int, ...]:
        begin, end = map(int, self.batch.bounds[number : number + 2])
        return tuple(map(int, labels[begin:end]))


@st.composite
def cases(draw: st.DrawFn, weights: st.SearchStrategy[float] = spread) -> Case:
    tiny = draw(models(weights))
    batch = draw(batches)
    limit = draw(st.just(Limits(tiny.n_labels)) | limits(tiny.n_labels, batch))
    chains = [limit.apply(tiny.chain(tokens), n) for n, tokens in enumerate(batch)]
    model = native(tiny)
    return Case(model, model.encode(batch), limit, chains)


def possible(case: Case) -> Case:
    assume(all(chain.possible for chain in case.chains))
    return case


def tolerance(chain: Chain) -> float:
    """Rounding of sums of this size."""
    finite = chain.scores[np.isfinite(chain.scores)]
    return 1e-9 * (1 + float(np.abs(finite).max(initial=0)))


@given(cases())
@slow
def test_viterbi_finds_the_best_score(case: Case) -> None:
    arguments = (case.batch, case.limits.constraints, case.limits.mask)
    impossible = [n for n, chain in enumerate(case.chains, 1) if not chain.possible]
    if impossible:
        with pytest.raises(ValueError, match=f"sequence {impossible[0]} has no label sequence"):
            case.model.viterbi(*arguments, 1)
        return
    labels, scores = case.model.viterbi(*arguments, 1)
    for n, chain in enumerate(case.chains):
        path = case.labels_of(labels, n)
        assert scores[n] == pytest.approx(chain.score_of(path), abs=tolerance(chain))
        single = 1e-5 * (1 + float(np.abs(chain.score[np.isfinite(chain.score)]).max(initial=0)))
        single += 1e-5 * float(
            np.abs(chain.transition[np.isfinite(chain.transition)]).max(initial=0)
        )
        assert scores[n] >= chain.scores.max() - single
    again = case.model.viterbi(*arguments, 3)
    assert (again[0] == labels).all()
    assert (again[1] == scores).all()


@given(cases(quarters).map(possible))
@slow
def test_viterbi_takes_the_lower_label_among_equals(case: Case) -> None:
    labels, _ = case.model.viterbi(case.batch, case.limits.constraints, case.limits.mask, 1)
    for n, chain in enumerate(case.chains):
        assert case.labels_of(labels, n) == chain.best()


@given(cases().map(possible))
@slow
def test_posteriors_are_those_of_enumeration(case: Case) -> None:
    arguments = (case.batch, case.limits.constraints, case.limits.mask)
    marginals, log_z, entropy = case.model.posteriors(*arguments, 1)
    assert marginals.shape == (case.batch.n_tokens, case.model.n_labels)
    for n, chain in enumerate(case.chains):
        begin, end = map(int, case.batch.bounds[n : n + 2])
        close = tolerance(chain)
        assert log_z[n] == pytest.approx(chain.log_z, abs=close)
        assert entropy[n] == pytest.approx(chain.entropy(), abs=close)
        np.testing.assert_allclose(marginals[begin:end], chain.marginals(), atol=close)
        transitions = case.model.transition_marginals(case.batch, n, *arguments[1:])
        np.testing.assert_allclose(transitions, chain.transition_marginals(), atol=close)
    best, p = case.model.max_marginal(*arguments, 2)
    if len(marginals):
        assert (best == marginals.argmax(axis=1)).all()
        assert (p == marginals.max(axis=1)).all()
    for one, other in zip(
        case.model.posteriors(*arguments, 3), (marginals, log_z, entropy), strict=True
    ):
        assert (one == other).all()


@given(cases(), st.data())
@slow
def test_path_scores_are_those_of_enumeration(case: Case, data: st.DataObject) -> None:
    assume(case.limits.allowed is None)
    label = st.integers(0, case.model.n_labels - 1)
    n_tokens = case.batch.n_tokens
    labels = np.array(data.draw(st.lists(label, min_size=n_tokens, max_size=n_tokens)), np.int32)
    scores = case.model.path_scores(case.batch, labels, case.limits.constraints)
    for n, chain in enumerate(case.chains):
        expected = chain.score_of(case.labels_of(labels, n))
        assert scores[n] == pytest.approx(expected, abs=tolerance(chain))


@given(cases(quarters | spread).map(possible), st.integers(0, 40))
@slow
def test_k_best_are_different_and_the_best(case: Case, k: int) -> None:
    for n, chain in enumerate(case.chains):
        labels, scores = case.model.kbest(
            case.batch, n, k, case.limits.constraints, case.limits.mask
        )
        expected = chain.k_best_scores(k)
        assert labels.shape == (len(expected), len(chain.score))
        np.testing.assert_allclose(scores, expected, atol=tolerance(chain), rtol=0)
        assert (np.diff(scores) <= 0).all()
        assert len(set(map(tuple, labels.tolist()))) == len(labels)
        for path, score in zip(labels, scores, strict=True):
            assert score == pytest.approx(chain.score_of(path), abs=tolerance(chain))


@given(cases().map(possible), st.data())
@slow
def test_span_probabilities_are_those_of_enumeration(case: Case, data: st.DataObject) -> None:
    for n, chain in enumerate(case.chains):
        length, labels = chain.score.shape
        inside = st.tuples(st.integers(0, length), st.integers(0, length)).map(sorted)
        spans = data.draw(st.lists(inside, max_size=4))
        masks = []
        for start, end in spans:
            size = (end - start + 2) * labels
            bits = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
            masks.append(np.array(bits, dtype=bool).reshape(-1, labels))
        found = case.model.span_log_probabilities(
            case.batch,
            n,
            np.array([start for start, _ in spans], np.int64),
            np.array([end for _, end in spans], np.int64),
            _bytes(np.concatenate(masks)) if masks else NOTHING,
            case.limits.constraints,
            case.limits.mask,
        )
        expected = [
            chain.span_log_probability(start, end, mask)
            for (start, end), mask in zip(spans, masks, strict=True)
        ]
        assert found == pytest.approx(expected, abs=tolerance(chain))


@given(cases().map(possible), st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=60)
def test_samples_are_possible_and_repeatable(case: Case, seed: int) -> None:
    for n, chain in enumerate(case.chains):
        arguments = (case.batch, n, 5, seed, case.limits.constraints, case.limits.mask)
        drawn = case.model.sample(*arguments)
        assert drawn.shape == (5, len(chain.score))
        assert all(np.isfinite(chain.score_of(path)) for path in drawn)
        assert (drawn == case.model.sample(*arguments)).all()


@pytest.mark.parametrize("scale", [1.0, 400.0])
def test_samples_have_the_frequencies_of_the_model(scale: float) -> None:
    model = TinyModel(
        3,
        np.array([[0, 1, -scale], [0.5, 0, 0], [scale, -1, 0]], np.float32),
        {"a": {0: 1.0, 2: 0.5}, "b": {1: 0.7}},
    )
    tokens = [["a"], ["b"], ["a", "b"], []]
    chain = model.chain(tokens)
    made = native(model)
    drawn = made.sample(made.encode([tokens]), 0, 20000, 7, UNLIMITED, NOTHING)
    place = (drawn * 3 ** np.arange(3, -1, -1)).sum(axis=1)
    observed = np.bincount(place, minlength=len(chain.paths)) / len(drawn)
    assert np.abs(observed - chain.probabilities).max() < 0.015


@given(models(), batches)
@slow
def test_token_scores_and_transitions(tiny: TinyModel, batch: list[list[Token]]) -> None:
    model = native(tiny)
    expected = np.concatenate([tiny.chain(tokens).score for tokens in batch])
    np.testing.assert_allclose(model.token_scores(model.encode(batch)), expected, atol=1e-9)
    assert (model.transitions() == tiny.transitions).all()


@given(models(), batches, st.integers(1, 3))
@slow
def test_tag_gives_the_names_of_the_viterbi_labels(
    tiny: TinyModel, batch: list[list[Token]], threads: int
) -> None:
    model = native(tiny)
    encoded = model.encode(batch)
    labels, _ = model.viterbi(encoded, UNLIMITED, NOTHING, 1)
    names = tuple(f"L{j}" for j in range(tiny.n_labels))
    tags = model.tag(iter(batch), names, UNLIMITED, threads)
    assert [len(s) for s in tags] == [len(s) for s in batch]
    assert [tag for s in tags for tag in s] == [names[j] for j in labels]


def three_labels(n: int) -> tuple[TinyModel, list[list[str]]]:
    """A model of three labels and n tokens with features that change from token to token."""
    random = np.random.default_rng(1)
    transitions = random.normal(size=(3, 3)).astype(np.float32)
    on_labels = {f: dict(enumerate(random.normal(size=3).astype(np.float32))) for f in "abcdef"}
    tokens = [["abcdef"[i] for i in random.integers(0, 6, 3)] for _ in range(n)]
    return TinyModel(3, transitions, on_labels, {"a": {(0, 1): 0.5}}, frozenset("abc")), tokens


def test_long_sequences() -> None:
    tiny, tokens = three_labels(100_000)
    model = native(tiny)
    batch = model.encode([tokens])
    labels, scores = model.viterbi(batch, UNLIMITED, NOTHING, 1)
    best, best_scores = model.kbest(batch, 0, 10, UNLIMITED, NOTHING)
    assert best_scores[0] == pytest.approx(scores[0], rel=1e-9)
    assert (labels == best[0]).all()
    assert len(np.unique(best, axis=0)) == 10
    one = model.path_scores(batch, best[9].copy(), UNLIMITED)
    assert one[0] == pytest.approx(best_scores[9], rel=1e-12)
    marginals, log_z, entropy = model.posteriors(batch, UNLIMITED, NOTHING, 1)
    np.testing.assert_allclose(marginals.sum(axis=1), 1, atol=1e-12)
    assert log_z[0] > scores[0]
    drawn = model.sample(batch, 0, 20, 3, UNLIMITED, NOTHING)
    surprise = [log_z[0] - model.path_scores(batch, path.copy(), UNLIMITED)[0] for path in drawn]
    assert np.mean(surprise) == pytest.approx(entropy[0], rel=0.01)
    everything = np.ones((100_002, 3), np.uint8)
    spans = (np.array([0, 500]), np.array([100_000, 501]))
    masks = np.concatenate([everything, np.array([[1, 1, 1], [0, 1, 0], [1, 1, 1]], np.uint8)])
    whole, single = model.span_log_probabilities(
        batch, 0, *spans, masks.ravel(), UNLIMITED, NOTHING
    )
    assert whole == pytest.approx(0, abs=1e-6)
    assert np.exp(single) == pytest.approx(marginals[500, 1])


def test_scores_beyond_single_precision() -> None:
    tiny = TinyModel(
        2, np.zeros((2, 2), np.float32), {"a": {0: 3e38, 1: 2e38}, "b": {0: -3e38, 1: -2e38}}
    )
    model = native(tiny)
    batch = model.encode([[{"a": 3e38}, {"b": 3e38}, {"a": -2.0}]])
    labels, scores = model.viterbi(batch, UNLIMITED, NOTHING, 1)
    assert labels.tolist() == [0, 1, 1]
    assert np.isfinite(scores).all()


def test_empty_sequences() -> None:
    tiny, tokens = three_labels(2)
    model = native(tiny)
    batch = model.encode([[], tokens, []])
    assert (batch.n_sequences, batch.n_tokens, batch.bounds.tolist()) == (3, 2, [0, 0, 2, 2])
    assert model.viterbi(batch, UNLIMITED, NOTHING, 2)[1][[0, 2]].tolist() == [0, 0]
    _, log_z, entropy = model.posteriors(batch, UNLIMITED, NOTHING, 2)
    assert log_z[0] == entropy[0] == 0
    labels, scores = model.kbest(batch, 0, 3, UNLIMITED, NOTHING)
    assert labels.shape == (1, 0)
    assert scores.tolist() == [0]
    assert model.sample(batch, 2, 4, 1, UNLIMITED, NOTHING).shape == (4, 0)
    assert model.transition_marginals(batch, 0, UNLIMITED, NOTHING).shape == (0, 3, 3)
    zero = np.zeros(1, np.int64)
    found = model.span_log_probabilities(
        batch, 0, zero, zero, np.zeros(6, np.uint8), UNLIMITED, NOTHING
    )
    assert found.tolist() == [0]
    assert model.tag([[], []], ("x", "y", "z"), UNLIMITED, 1) == [[], []]
    assert model.tag([], ("x", "y", "z"), UNLIMITED, 1) == []


def test_mistakes_are_named() -> None:
    tiny, tokens = three_labels(3)
    model = native(tiny)
    names = ("x", "y", "z")
    with pytest.raises(_native.ItemError, match=r"^sequence 2 token 1 is a single string"):
        model.encode([tokens, ["word"]])
    with pytest.raises(_native.ItemError, match=r"^sequence 2 token 2 has a feature of type int"):
        model.tag([tokens, [[], [3]]], names, UNLIMITED, 1)
    with pytest.raises(_native.ItemError, match=r"^sequence 1 is of type int"):
        model.encode([3])
    with pytest.raises(ValueError, match="label_names has 1 elements where 3"):
        model.tag([tokens], ("x",), UNLIMITED, 1)
    never = _native.Constraints(3, NOTHING, np.zeros(3, np.uint8), NOTHING)
    with pytest.raises(ValueError, match="sequence 3 has no label sequence that the constraints"):
        model.tag([[], [], tokens], names, never, 2)
    batch = model.encode([tokens])
    with pytest.raises(ValueError, match="another model"):
        native(tiny).viterbi(batch, UNLIMITED, NOTHING, 1)
    with pytest.raises(ValueError, match="allowed has 4 elements where 9"):
        model.viterbi(batch, UNLIMITED, np.ones(4, np.uint8), 1)
    with pytest.raises(ValueError, match="legal has 4 elements where 9"):
        model.viterbi(
            batch, _native.Constraints(2, np.ones(4, np.uint8), NOTHING, NOTHING), NOTHING, 1
        )
    with pytest.raises(ValueError, match="token 2 of the batch has the label 3"):
        model.path_scores(batch, np.array([0, 3, 0], np.int32), UNLIMITED)
    with pytest.raises(IndexError, match="no sequence of index 1"):
        model.kbest(batch, 1, 1, UNLIMITED, NOTHING)
    with pytest.raises(ValueError, match="span 1 from 2 to 4 does not lie within the 3 tokens"):
        model.span_log_probabilities(
            batch, 0, np.array([2]), np.array([4]), np.ones(12, np.uint8), UNLIMITED, NOTHING
        )


def test_tokens_may_be_any_iterable() -> None:
    names = [[f"a name of a feature, number {i}" for i in range(t, t + 9)] for t in range(5)]
    model = native(TinyModel(1, np.zeros((1, 1), np.float32), {f: {0: 1.0} for f in names[2]}))
    generated = model.encode([((str(f) + "" for f in token) for token in names)])
    assert (model.token_scores(generated) == model.token_scores(model.encode([names]))).all()
    fresh, listed = _native.Dataset(), _native.Dataset()
    fresh.append((("".join(f) for f in token) for token in names), ["x"] * 5)
    listed.append(names, ["x"] * 5)
    assert fresh.feature_names() == listed.feature_names()
