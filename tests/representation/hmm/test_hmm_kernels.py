"""The E-step and Viterbi against enumeration, and their promises about precision and threads."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.representation.hmm.inference import Costs, Engine
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.text import Text
from reference.hmm import Enumerated

EXACT = Engine(exact=True)
SINGLE = Engine()


@dataclass
class Problem:
    text: Text
    parameters: Parameters
    costs: Costs

    def sequences(self) -> list[Enumerated]:
        """The same, sequence by sequence; empty ones are left out."""
        at, k = self.parameters, self.parameters.n_states
        cost = np.zeros((self.text.n_tokens, k))
        for codes, table in self.costs.coded:
            cost += np.where((codes >= 0)[:, None], table[codes], 0.0)
        if self.costs.each is not None:
            cost += self.costs.each
        out = []
        bounds = self.text.bounds.astype(int)
        for a, b in itertools.pairwise(bounds):
            if b > a:
                words = self.text.words[a:b].astype(np.int64)
                rows = cost[a:b]
                out.append(Enumerated(at.start, at.transitions, at.emissions, words, rows))
        return out


def parameters(rng: np.random.Generator, states: int, words: int) -> Parameters:
    return Parameters(
        rng.dirichlet(np.ones(states)),
        rng.dirichlet(np.ones(states), states),
        rng.dirichlet(np.ones(words), states).T,
    )


def problem(seed: int, states: int, lengths: list[int], tables: int, each: bool) -> Problem:
    rng = np.random.default_rng(seed)
    words, n = 5, sum(lengths)
    text = Text.of(rng.integers(0, words, n), np.cumsum([0, *lengths]), words)
    coded = [
        (rng.integers(-1, 3, n).astype(np.int32), 3 * rng.standard_normal((3, states)))
        for _ in range(tables)
    ]
    dense = rng.standard_normal((n, states)).astype(np.float32) if each else None
    return Problem(text, parameters(rng, states, words), Costs(coded, dense))


problems = st.builds(
    problem,
    seed=st.integers(0, 10_000),
    states=st.integers(1, 4),
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    tables=st.integers(0, 2),
    each=st.booleans(),
)


@settings(max_examples=60, deadline=None)
@given(problems)
def test_expected_counts_are_those_of_enumeration(given_problem: Problem) -> None:
    text, at, costs = given_problem.text, given_problem.parameters, given_problem.costs
    sequences = given_problem.sequences()
    posteriors = np.concatenate([s.posteriors() for s in sequences] or [np.zeros((0, at.n_states))])
    emissions = np.zeros_like(at.emissions)
    np.add.at(emissions, text.words, posteriors)
    for engine, tolerance in ((EXACT, 1e-10), (SINGLE, 1e-4)):
        found = engine.expected(text, at, costs)
        assert found.log_likelihood == pytest.approx(
            sum(s.log_likelihood for s in sequences), rel=tolerance, abs=tolerance
        )
        close = {"rtol": tolerance, "atol": tolerance}
        start = sum((s.posteriors()[0] for s in sequences), np.zeros(at.n_states))
        transitions = sum((s.transition_counts() for s in sequences), np.zeros_like(at.transitions))
        np.testing.assert_allclose(found.counts.start, start, **close)
        np.testing.assert_allclose(found.counts.transitions, transitions, **close)
        np.testing.assert_allclose(found.counts.emissions, emissions, **close)
        np.testing.assert_allclose(engine.marginals(text, at, costs), posteriors, **close)
        for (codes, table), sums in zip(costs.coded, found.by_code, strict=True):
            expected = np.zeros_like(table)
            np.add.at(expected, codes[codes >= 0], posteriors[codes >= 0])
            np.testing.assert_allclose(sums, expected, **close)
        alone = engine.log_likelihood(text, at, costs)
        assert alone == pytest.approx(found.log_likelihood, rel=1e-6, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(problems)
def test_best_states_are_best(given_problem: Problem) -> None:
    states = EXACT.best_states(given_problem.text, given_problem.parameters, given_problem.costs)
    first = 0
    for sequence in given_problem.sequences():
        path = states[first : first + len(sequence.words)]
        assert sequence.weight_of(path) == pytest.approx(sequence.best_weight(), rel=1e-9)
        first += len(sequence.words)


def large(states: int = 37) -> tuple[Text, Parameters, Costs]:
    """Some waves of chunks, with sequences of very different lengths."""
    rng = np.random.default_rng(3)
    lengths = np.concatenate([rng.integers(0, 60, 1500), [3000]])
    n, words = int(lengths.sum()), 400
    text = Text.of(rng.zipf(1.5, n) % words, np.cumsum([0, *lengths]), words)
    codes = rng.integers(-1, 6, n).astype(np.int32)
    return text, parameters(rng, states, words), Costs([(codes, rng.standard_normal((6, states)))])


@pytest.mark.parametrize("exact", [False, True])
def test_threads_do_not_change_a_bit(exact: bool) -> None:
    text, at, costs = large()
    one, four = Engine(exact, 1), Engine(exact, 4)
    a, b = one.expected(text, at, costs), four.expected(text, at, costs)
    assert a.log_likelihood == b.log_likelihood
    for name in ("start", "transitions", "emissions"):
        assert np.array_equal(getattr(a.counts, name), getattr(b.counts, name))
    assert np.array_equal(a.by_code[0], b.by_code[0])
    assert np.array_equal(one.marginals(text, at, costs), four.marginals(text, at, costs))
    assert np.array_equal(one.best_states(text, at, costs), four.best_states(text, at, costs))


def test_single_precision_is_close_to_double() -> None:
    text, at, costs = large()
    single, double = SINGLE.expected(text, at, costs), EXACT.expected(text, at, costs)
    assert single.log_likelihood == pytest.approx(double.log_likelihood, rel=1e-7)
    np.testing.assert_allclose(
        single.counts.emissions, double.counts.emissions, rtol=1e-3, atol=1e-4
    )
    np.testing.assert_allclose(
        single.counts.transitions, double.counts.transitions, rtol=1e-4, atol=1e-4
    )


def test_numbers_too_small_for_single_precision_are_computed_in_double() -> None:
    """State 0 can hardly be left, and only state 1 emits the second word."""
    tiny = 1e-60
    at = Parameters(
        np.array([1.0, 0.0]),
        np.array([[1.0, tiny], [0.5, 0.5]]),
        np.array([[1.0, 0.0], [0.0, 1.0]]),
    )
    text = Text.of([0, 1, 1], [0, 3], 2)
    found = SINGLE.expected(text, at)
    assert found.log_likelihood == pytest.approx(np.log(tiny * 0.5))
    np.testing.assert_allclose(found.counts.transitions, [[0, 1], [0, 1]])


def test_products_too_small_for_double_precision_keep_their_logarithms() -> None:
    tiny = 1e-160
    at = Parameters(np.array([1.0, 0.0]), np.array([[1.0, tiny], [tiny, 1.0]]), np.eye(2))
    found = EXACT.log_likelihood(Text.of([0, 1, 0, 1], [0, 4], 2), at)
    assert found == pytest.approx(3 * np.log(tiny))


def test_a_sequence_that_cannot_be_has_no_likelihood_and_no_counts() -> None:
    at = Parameters(np.array([1.0]), np.array([[1.0]]), np.array([[1.0], [0.0]]))
    text = Text.of([0, 0, 1], [0, 1, 3], 2)
    found = SINGLE.expected(text, at)
    assert found.log_likelihood == -np.inf
    assert found.counts.emissions[0, 0] == pytest.approx(1.0)


def test_arrays_that_do_not_fit_are_refused() -> None:
    at = parameters(np.random.default_rng(0), 2, 3)
    with pytest.raises(ValueError, match="word number 3 in a vocabulary of 3"):
        EXACT.expected(Text.of([3], [0, 1], 3), at)
    with pytest.raises(ValueError, match="bounds"):
        EXACT.expected(Text.of([0, 1], [0, 1], 3), at)
    with pytest.raises(ValueError, match="emissions has the shape 3 x 2"):
        EXACT.expected(Text.of([0], [0, 1], 4), at)
    codes = np.array([5], np.int32)
    with pytest.raises(ValueError, match="a code"):
        EXACT.expected(Text.of([0], [0, 1], 3), at, Costs([(codes, np.zeros((2, 2)))]))
