"""The training objective: value and gradient against enumeration, finite differences and itself."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chain.train.problems import Problem, check, normal
from dovetail import Constraints, Dataset, FeatureGroup
from dovetail.chain.train.objective import FISHER_SHARE, Precision
from dovetail.corpus.schemes import allowed_transitions
from reference.objective import Example, Group, Name, ReferenceObjective, log_z_in_logs

slow = settings(deadline=None, max_examples=60)

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
def test_constraints(
    made: list[Example], data: st.DataObject, on_transitions: bool, seed: int
) -> None:
    """What is forbidden has no part in the denominator, and cannot be the truth."""
    labels = labels_of(made)
    rule = data.draw(constraints(labels))
    follow = rule.follow or {}
    legal = np.array([[x not in follow or y in follow[x] for y in labels] for x in labels])
    start = np.array([rule.start is None or y in rule.start for y in labels])
    end = np.array([rule.end is None or y in rule.end for y in labels])
    groups = [Group("a", 1.0, "both")] if on_transitions else []
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
    transitions, start, end = allowed_transitions(labels, scheme)
    reference = ReferenceObjective(made, labels, legal=transitions, start=start, end=end)
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
    on_transitions=st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_extreme_weights(
    scale: float, made: list[Example], bits: list[float], on_transitions: bool
) -> None:
    groups = [Group("a", 1.0, "both")] if on_transitions else []
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
        transitions, start, end = allowed_transitions(labels, scheme)
        limits = {"legal": transitions, "start": start, "end": end}
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
    transition = np.array([[by_name[Name(None, x, y)] for y in labels] for x in labels])
    score = table[words]
    known = score[np.arange(length), gold].sum() + transition[gold[:-1], gold[1:]].sum()
    expected = log_z_in_logs(score, transition) - known + 0.5 * float(w @ w)
    value, slope = own.objective("double")(w)
    assert value == pytest.approx(expected, rel=1e-11)
    found, single = own.objective("single")(w)
    assert found == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(single, slope, atol=2e-6 * length)
    of_moves = [name.feature is None for name in own.names]
    assert float((slope - w)[of_moves].sum()) == pytest.approx(0, abs=1e-6)


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
    """Variances of features on labels, expected counts of transitions."""
    own = Problem(made, c2=0.5, groups=[FeatureGroup("a", prior=2.0)])
    reference = ReferenceObjective(made, own.data.labels, groups=[Group("a", 2.0, "labels")])
    w = normal(seed=seed)(len(own.names))
    fisher = dict.fromkeys(own.names, 0.0)
    labels = list(enumerate(own.data.labels))
    for e in reference.examples:
        if not e.tokens:
            continue
        chain = reference.chain(e, dict(zip(own.names, w, strict=True)))
        variance, transitions = (
            chain.marginals() * (1 - chain.marginals()),
            chain.transition_marginals(),
        )
        for t in range(len(e.tokens)):
            for f, v in e.features(t):
                squared = e.weight * (v * reference.group_of(f).prior) ** 2
                for j, y in labels:
                    if (name := Name(f, None, y)) in fisher:
                        fisher[name] += squared * variance[t, j]
        for (i, x), (j, y) in itertools.product(labels, labels):
            if (name := Name(None, x, y)) in fisher:
                fisher[name] += e.weight * transitions[:, i, j].sum()
    found = 1 / own.objective().inverse_curvature(w)
    expected = 1.0 + FISHER_SHARE * np.array([fisher[name] for name in own.names])
    np.testing.assert_allclose(found, expected, atol=2e-3)
