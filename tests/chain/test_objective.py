"""The training objective: value and gradient against enumeration, finite differences and itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dovetail import Constraints, Dataset, FeatureGroup, Tagger
from dovetail.chain.fitting import Fitting
from dovetail.chain.objective import FISHER_SHARE, Objective, Precision
from dovetail.corpus.schemes import allowed_transitions
from dovetail.errors import TrainingError
from reference.objective import Example, Group, Name, ReferenceObjective, log_z_in_logs

SINGLE, DOUBLE = 3e-6, 1e-11  # rounding, relative to the size of what is added up
TOLERANCE: dict[Precision, float] = {"single": SINGLE, "double": DOUBLE}
slow = settings(deadline=None, max_examples=60)


class Problem:
    """A problem with its parameters by name."""

    def __init__(self, examples: Sequence[Example], **choices: Any) -> None:
        self.data = Dataset()
        for e in examples:
            self.data.append(e.tokens, e.known, allowed=e.allowed, weight=e.weight)
        self.fitting = Fitting(Tagger(**choices).settings, self.data)
        feature, previous, label = self.fitting.problem.parameters()
        names, labels = [*self.data.native.feature_names(), None], [*self.data.labels, None]
        self.names = [
            Name(names[f], labels[x], labels[y] or "")
            for f, x, y in zip(feature, previous, label, strict=True)
        ]

    def objective(self, precision: Precision = "double", threads: int = 1) -> Objective:
        c2 = self.fitting.settings["c2"]
        return Objective(self.fitting.problem, c2, precision=precision, threads=threads)


def at_zero(made: Sequence[Example], precision: Precision, **choices: Any) -> float:
    objective = Problem(made, **choices).objective(precision)
    return objective(np.zeros(objective.size))[0]


def check(
    reference: ReferenceObjective,
    weights: Callable[[int], Any],
    precisions: Sequence[Precision] = ("single", "double"),
    **choices: Any,
) -> None:
    """Same parameters, value and gradient as the reference at ``weights(number of parameters)``."""
    parameters = reference.parameters()
    if not any(name.feature for name in parameters) and (reference.min_count > 1 or not parameters):
        with pytest.raises(TrainingError, match="no feature"):
            Problem(reference.examples, c2=reference.c2, **choices)
        return
    if not np.isfinite(reference({})[0]):
        for precision in precisions:
            with pytest.raises(ValueError, match="that the constraints forbid"):
                at_zero(reference.examples, precision, **choices)
        return
    own = Problem(reference.examples, c2=reference.c2, **choices)
    assert len(set(own.names)) == len(own.names)
    assert set(own.names) == parameters
    w = np.asarray(weights(len(own.names)), np.float32).astype(np.float64)
    by_name = dict(zip(own.names, w.tolist(), strict=True))
    value, gradient = reference(by_name)
    size = 1.0 + reference.c2 * float(w @ w)
    size += sum(
        e.weight * float(np.abs(reference.chain(e, by_name).scores).max())
        for e in reference.examples
        if e.tokens
    )
    for precision in precisions:
        objective = own.objective(precision)
        found, slope = objective(w)
        close = TOLERANCE[precision] * size
        assert found == pytest.approx(value, abs=close)
        expected = [gradient[name] for name in own.names]
        np.testing.assert_allclose(slope, expected, atol=30 * close, rtol=0)


def normal(scale: float = 1.0, seed: int = 0) -> Callable[[int], Any]:
    return lambda n: scale * np.random.default_rng(seed).normal(size=n)


features = st.sampled_from(["a", "b", "c=1", "c=2", "d:x"])
values = st.integers(-8, 8).map(lambda n: n / 4)
binary_tokens = st.lists(features, max_size=3)
valued_tokens = binary_tokens | st.dictionaries(features, values, max_size=3)


@st.composite
def examples(
    draw: st.DrawFn,
    tokens: st.SearchStrategy[Any] = binary_tokens,
    *,
    labels: str = "XYZ",
    partial: bool = False,
    weighted: bool = False,
    limited: bool = False,
) -> list[Example]:
    full = st.sampled_from(labels)
    sets = st.sets(full, min_size=1)
    known: st.SearchStrategy[Any] = st.none() | full | sets if partial else full
    out = []
    for length in draw(st.lists(st.integers(0, 4), min_size=1, max_size=3)):
        each = {"min_size": length, "max_size": length}
        gold = draw(st.lists(known, **each))
        allowed = draw(st.lists(st.none() | full | sets, **each)) if limited else None
        weight = draw(st.sampled_from([0.0, 0.5, 1.0, 3.25])) if weighted else 1.0
        out.append(Example(draw(st.lists(tokens, **each)), gold, allowed, weight))
    assume(ReferenceObjective(out, labels_of(out)).parameters())
    return out


def labels_of(given_examples: Sequence[Example]) -> list[str]:
    data = Dataset()
    for e in given_examples:
        data.append(e.tokens, e.known, allowed=e.allowed)
    return data.labels


seeds = st.integers(0, 1000)


@given(examples(), seeds)
@slow
def test_full_labels(made: list[Example], seed: int) -> None:
    check(ReferenceObjective(made, labels_of(made)), normal(seed=seed))


@given(examples(partial=True), seeds)
@slow
def test_partial_labels(made: list[Example], seed: int) -> None:
    check(ReferenceObjective(made, labels_of(made), c2=0.25), normal(seed=seed))


@given(examples(partial=True, weighted=True), seeds)
@slow
def test_sequence_weights(made: list[Example], seed: int) -> None:
    check(ReferenceObjective(made, labels_of(made)), normal(seed=seed))


@given(
    examples(partial=True, weighted=True),
    st.dictionaries(st.sampled_from("XYZ"), st.sampled_from([0.25, 0.9, 2.0, 40.0])),
    seeds,
)
@slow
def test_label_weights(made: list[Example], weights: dict[str, float], seed: int) -> None:
    labels = labels_of(made)
    kept = {y: v for y, v in weights.items() if y in labels}
    check(
        ReferenceObjective(made, labels, label_weights=kept), normal(seed=seed), label_weights=kept
    )


@given(examples(valued_tokens, partial=True), seeds)
@slow
def test_real_values(made: list[Example], seed: int) -> None:
    check(ReferenceObjective(made, labels_of(made)), normal(seed=seed))


@given(
    examples(valued_tokens, partial=True, weighted=True),
    st.lists(
        st.builds(
            Group,
            st.sampled_from(["a", "c=*", "?", "*", "d:?"]),
            st.sampled_from([0.25, 1.0, 3.0]),
            st.sampled_from(["labels", "transitions", "both"]),
        ),
        max_size=3,
    ),
    st.fixed_dictionaries(
        {
            "min_count": st.integers(1, 3),
            "all_pairs": st.booleans(),
            "all_transitions": st.booleans(),
            "boundaries": st.booleans(),
        }
    ),
    seeds,
)
@settings(deadline=None, max_examples=120)
def test_groups_and_choices_of_parameters(
    made: list[Example], groups: list[Group], choices: dict[str, Any], seed: int
) -> None:
    reference = ReferenceObjective(made, labels_of(made), groups=groups, **choices)
    given_groups = [FeatureGroup(g.pattern, g.prior, g.on) for g in groups]
    check(reference, normal(seed=seed), groups=given_groups, **choices)


@st.composite
def constraints(draw: st.DrawFn, labels: list[str]) -> Constraints:
    some = st.none() | st.sets(st.sampled_from(labels), min_size=1)
    follow = st.dictionaries(st.sampled_from(labels), st.sets(st.sampled_from(labels)))
    return Constraints(draw(st.none() | follow), draw(some), draw(some))


@given(examples(partial=True, limited=True), st.data(), st.booleans(), seeds)
@settings(deadline=None, max_examples=120)
def test_constraints(made: list[Example], data: st.DataObject, on_moves: bool, seed: int) -> None:
    """What is forbidden has no part in the denominator, and cannot be the truth."""
    labels = labels_of(made)
    rule = data.draw(constraints(labels))
    follow = rule.follow or {}
    legal = np.array([[x not in follow or y in follow[x] for y in labels] for x in labels])
    start = np.array([rule.start is None or y in rule.start for y in labels])
    end = np.array([rule.end is None or y in rule.end for y in labels])
    groups = [Group("a", 1.0, "both")] if on_moves else []
    reference = ReferenceObjective(made, labels, legal=legal, start=start, end=end, groups=groups)
    check(
        reference,
        normal(seed=seed),
        constraints=rule,
        groups=[FeatureGroup(g.pattern, g.prior, g.on) for g in groups],
    )


@pytest.mark.parametrize("scheme", ["IOB1", "IOB2", "IOBES"])
def test_moves_of_a_scheme(scheme: Any) -> None:
    gold = {
        "IOB1": ["O", "I-X", "B-X", "I-Y"],
        "IOB2": ["B-X", "I-X", "B-X", "O"],
        "IOBES": ["S-X", "B-X", "E-X", "O"],
    }[scheme]
    made = [Example([["a"], ["b"], ["a", "b"], []], gold), Example([["b"], ["a"]], [None, gold[0]])]
    labels = labels_of(made)
    moves, start, end = allowed_transitions(labels, scheme)
    reference = ReferenceObjective(made, labels, legal=moves, start=start, end=end)
    check(reference, normal(), constraints=scheme)
    plain = ReferenceObjective(made, labels)
    w = dict.fromkeys(reference.parameters(), 0.5)
    assert reference(w)[0] < plain(w)[0] - 0.1
    check(reference, normal(), constraints="auto" if scheme != "IOB1" else scheme)


@given(examples(partial=True), seeds)
@settings(deadline=None, max_examples=30)
def test_a_prior_is_a_factor_on_values(made: list[Example], seed: int) -> None:
    """A feature with a prior of p is one that has p times its values."""

    def scaled(token: Any) -> dict[str, float]:
        counts = {f: float(list(token).count(f)) for f in token}
        return {f: 4 * v if f.startswith("c=") else v for f, v in counts.items()}

    by_values = [Example([scaled(t) for t in e.tokens], e.known) for e in made]
    one = Problem(made, groups=[FeatureGroup("c=*", prior=4.0)])
    other = Problem(by_values)
    assert sorted(map(str, one.names)) == sorted(map(str, other.names))
    w = normal(seed=seed)(len(one.names))
    order = [one.names.index(name) for name in other.names]
    value, slope = one.objective()(w)
    again, slope_again = other.objective()(w[order])
    assert again == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(slope_again, slope[order], atol=1e-11)


@pytest.mark.parametrize("scale", [50.0, 500.0, 5000.0])
@given(
    made=examples(partial=True, limited=True),
    bits=st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=80, max_size=80),
    on_moves=st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_extreme_weights(
    scale: float, made: list[Example], bits: list[float], on_moves: bool
) -> None:
    groups = [Group("a", 1.0, "both")] if on_moves else []
    check(
        ReferenceObjective(made, labels_of(made), groups=groups, c2=0.0),
        lambda n: scale * np.array((bits * (1 + n // len(bits)))[:n]),
        groups=[FeatureGroup(g.pattern, g.prior, g.on) for g in groups],
    )


@pytest.mark.parametrize("scale", [1.0, 50.0, 5000.0])
@pytest.mark.parametrize("scheme", [None, "IOB2"])
def test_more_labels_than_a_vector_has_lanes(scale: float, scheme: Any) -> None:
    """Padding up to the next multiple of the vector length must not count, also under limits."""
    kinds = [f"{letter}-{kind}" for kind in "ABCDE" for letter in "BI"] + ["O"]
    random = np.random.default_rng(5)
    made = [Example([["f"], ["g"]], [y, y.replace("B-", "I-")]) for y in kinds if y[0] != "I"]
    made += [
        Example([["f", "g"], {"g": 0.5}, []], ["O", None, {"O", "B-A", "B-C"}]),
        Example([["g"], ["f"]], ["B-B", {"I-B", "O"}], [None, {"I-B", "O", "B-E"}]),
    ]
    labels = labels_of(made)
    assert len(labels) == 11
    limits: dict[str, Any] = {}
    if scheme:
        moves, start, end = allowed_transitions(labels, scheme)
        limits = {"legal": moves, "start": start, "end": end}
    reference = ReferenceObjective(made, labels, **limits)
    check(
        reference,
        lambda n: scale * random.choice([-1.0, -0.5, 0.25, 1.0], n),
        constraints=scheme,
    )


@given(examples(valued_tokens, partial=True, weighted=True), seeds)
@settings(deadline=None, max_examples=40)
def test_gradient_is_that_of_finite_differences(made: list[Example], seed: int) -> None:
    own = Problem(
        made,
        groups=[FeatureGroup("a", 2.0, "both")],
        label_weights={labels_of(made)[0]: 3.0},
    )
    objective = own.objective()
    random = np.random.default_rng(seed)
    w, direction = random.normal(size=(2, objective.size))
    step = 1e-4
    rise = objective(w + step * direction)[0] - objective(w - step * direction)[0]
    assert rise / (2 * step) == pytest.approx(float(objective(w)[1] @ direction), abs=1e-4)


def test_empty_sequences_change_nothing() -> None:
    made = [Example([["a"], ["b"]], ["X", "Y"])]
    empty = Example([], [])
    w = normal()(len(Problem(made).names))
    value, slope = Problem(made).objective()(w)
    again, slope_again = Problem([empty, *made, empty, empty]).objective()(w)
    assert again == value
    assert (slope_again == slope).all()


def test_long_sequence() -> None:
    """A document of 100,000 tokens, in single precision too."""
    random = np.random.default_rng(2)
    length, labels = 100_000, ["X", "Y", "Z"]
    words = random.integers(0, 50, length)
    gold = words % 3
    made = [Example([[f"w={k}"] for k in words], [labels[y] for y in gold])]
    own = Problem(made, all_pairs=True, all_transitions=True, boundaries=False, c2=0.5)
    w = random.normal(size=len(own.names)).astype(np.float32).astype(np.float64)
    by_name = dict(zip(own.names, w, strict=True))
    table = np.array([[by_name[Name(f"w={k}", None, y)] for y in labels] for k in range(50)])
    move = np.array([[by_name[Name(None, x, y)] for y in labels] for x in labels])
    score = table[words]
    known = score[np.arange(length), gold].sum() + move[gold[:-1], gold[1:]].sum()
    expected = log_z_in_logs(score, move) - known + 0.5 * float(w @ w)
    value, slope = own.objective("double")(w)
    assert value == pytest.approx(expected, rel=1e-11)
    found, single = own.objective("single")(w)
    assert found == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(single, slope, atol=2e-6 * length)
    of_moves = [name.feature is None for name in own.names]
    assert float((slope - w)[of_moves].sum()) == pytest.approx(0, abs=1e-6)


# Features whose names have the form of templates are scored in bundles where one determines others.


def words_and_parts(
    n: int, break_at: Callable[[int], bool] = lambda _: False, seed: int = 3
) -> list[Example]:
    """Words that determine a suffix, a shape and, through the suffix, a class of it."""
    random = np.random.default_rng(seed)
    out = []
    for number in range(n):
        tokens, gold = [], []
        for word in random.integers(0, 12, random.integers(1, 8)):
            token = [f"w={word}", f"suffix={word % 5}", f"class={word % 5 % 2}", "bias"]
            if word % 3:
                token.append(f"shape={word % 2}")
            if break_at(number):
                token[1] = "suffix=0"
            tokens.append(token)
            gold.append("XYZ"[(word + random.integers(0, 2)) % 3])
        out.append(Example(tokens, gold))
    return out


def opaque(made: Sequence[Example]) -> list[Example]:
    names: dict[str, str] = {}

    def rename(f: str) -> str:
        return names.setdefault(f, f"{f.split('=')[0]} {len(names)}")

    return [Example([[rename(f) for f in t] for t in e.tokens], e.known) for e in made]


def same_as_opaque(made: Sequence[Example], *, groups: Sequence[Any] = (), **choices: Any) -> None:
    named = Problem(made, groups=[FeatureGroup(f"{p}=*", *r) for p, *r in groups], **choices)
    plain = Problem(
        opaque(made), groups=[FeatureGroup(f"{p} *", *r) for p, *r in groups], **choices
    )
    assert [(n.previous, n.label) for n in named.names] == [
        (n.previous, n.label) for n in plain.names
    ]
    w = normal()(len(named.names))
    for precision in ("double", "single"):
        one, other = named.objective(precision), plain.objective(precision)
        size = TOLERANCE[precision] * sum(len(e.tokens) for e in made)
        (value, slope), (again, slope_again) = one(w), other(w)
        assert value == pytest.approx(again, abs=10 * size)
        np.testing.assert_allclose(slope, slope_again, atol=30 * size)
        np.testing.assert_allclose(
            1 / one.inverse_curvature(w), 1 / other.inverse_curvature(w), atol=30 * size
        )


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"min_count": 30},
        {"all_pairs": True, "all_transitions": True},
        {"boundaries": False},
        {"groups": [("suffix", 3.0), ("w", 0.5)]},
        {"groups": [("suffix", 2.0, "both"), ("w", 1.0, "transitions")]},
        {"groups": [("shape", 1.0, "transitions")], "min_count": 60},
    ],
)
def test_bundles(choices: dict[str, Any]) -> None:
    same_as_opaque(words_and_parts(100), **choices)


@pytest.mark.parametrize(
    "break_at",
    [lambda n: n == 0, lambda n: n == 1499, lambda n: n == 777, lambda n: n % 2 == 0],
)
def test_bundles_that_break(break_at: Callable[[int], bool]) -> None:
    """A word with another suffix, anywhere in data of which a first look takes only a sample."""
    same_as_opaque(words_and_parts(1500, break_at))


def test_bundles_with_two_features_of_a_family() -> None:
    made = words_and_parts(100)
    made[57] = Example([["w=1", "w=2", "suffix=1"], ["w=3", "suffix=3", "suffix=3"]], ["X", "Y"])
    same_as_opaque(made)


def test_bundles_of_more_families_than_are_looked_at() -> None:
    random = np.random.default_rng(0)
    made = [
        Example([[f"w={k}", *(f"f{n}={(k + n) % 4}" for n in range(300))] for k in ks], ["X", "Y"])
        for ks in random.integers(0, 8, (30, 2))
    ]
    same_as_opaque(made)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=3, max_size=30),
    st.data(),
)
@settings(deadline=None, max_examples=60)
def test_random_bundles(words: list[list[int]], data: st.DataObject) -> None:
    part = st.none() | st.integers(0, 2)
    tables = data.draw(st.lists(st.tuples(part, part, part, part), min_size=1, max_size=3))
    noise = data.draw(st.lists(st.tuples(st.integers(0, 29), st.sampled_from("abc")), max_size=2))

    def token(number: int, word: int) -> list[str]:
        own = [f"{f}={table[word]}" for f, table in zip("abc", tables, strict=False)
               if table[word] is not None]  # fmt: skip
        return [f"w={word}", *own, *(f"{f}=9" for at, f in noise if at == number)]

    made = [
        Example([token(n, w) for w in ws], ["XY"[(w + n) % 2] for w in ws])
        for n, ws in enumerate(words)
    ]
    same_as_opaque(made)


@pytest.mark.parametrize(
    ("precision", "tokens"), [("single", 5_000), ("double", 5_000), ("single", 310_000)]
)
def test_same_bits_for_any_number_of_threads(precision: Precision, tokens: int) -> None:
    random = np.random.default_rng(4)
    made = [
        Example([[f"w={k}", f"half={k // 2}"] for k in ks], ["XYZ"[k % 3] for k in ks])
        for ks in random.integers(0, 40, (tokens // 10, 10)).tolist()
    ]
    own = Problem(made)
    w = normal()(len(own.names))
    value, slope = own.objective(precision, 1)(w)
    scale = own.objective(precision, 1).inverse_curvature(w)
    for threads in (2, 3, 8):
        objective = own.objective(precision, threads)
        again, slope_again = objective(w)
        assert again == value
        assert slope_again.tobytes() == slope.tobytes()
        assert objective.inverse_curvature(w).tobytes() == scale.tobytes()


@given(examples(valued_tokens, weighted=True), seeds)
@settings(deadline=None, max_examples=40)
def test_inverse_curvature_follows_the_fisher_information(made: list[Example], seed: int) -> None:
    """Variances of features on labels, expected counts of moves."""
    own = Problem(made, c2=0.5, groups=[FeatureGroup("a", prior=2.0)])
    reference = ReferenceObjective(made, own.data.labels, groups=[Group("a", 2.0, "labels")])
    w = normal(seed=seed)(len(own.names))
    fisher = dict.fromkeys(own.names, 0.0)
    labels = list(enumerate(own.data.labels))
    for e in reference.examples:
        if not e.tokens:
            continue
        chain = reference.chain(e, dict(zip(own.names, w, strict=True)))
        variance, moves = chain.marginals() * (1 - chain.marginals()), chain.transition_marginals()
        for t in range(len(e.tokens)):
            for f, v in e.features(t):
                squared = e.weight * (v * reference.group_of(f).prior) ** 2
                for j, y in labels:
                    if (name := Name(f, None, y)) in fisher:
                        fisher[name] += squared * variance[t, j]
        for (i, x), (j, y) in itertools.product(labels, labels):
            if (name := Name(None, x, y)) in fisher:
                fisher[name] += e.weight * moves[:, i, j].sum()
    found = 1 / own.objective().inverse_curvature(w)
    expected = 1.0 + FISHER_SHARE * np.array([fisher[name] for name in own.names])
    np.testing.assert_allclose(found, expected, atol=2e-3)
