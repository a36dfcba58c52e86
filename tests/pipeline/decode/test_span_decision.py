"""Spans chosen with F1 in view, against plain enumeration."""

from __future__ import annotations

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dovetail.corpus import spans
from dovetail.grid import Grid
from dovetail.pipeline.decode.span_candidates import find_candidates, labels_of_types
from dovetail.pipeline.decode.span_decision import SpanDecision, best_f1, label_scores

SCHEMES = {
    "IOB2": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "IOBES": ["O", "B-X", "I-X", "E-X", "S-X"],
    "no O": ["B-X", "I-X", "B-Y"],
}


def random_grid(labels: list[str], lengths: list[int], seed: int, each: bool = False) -> Grid:
    """Scores under which a span can only go on with its own type."""
    rng = np.random.default_rng(seed)
    n, tokens = len(labels), sum(lengths)
    transition = rng.normal(size=(tokens, n, n) if each else (n, n))
    for i, before in enumerate(labels):
        for j, after in enumerate(labels):
            goes_on = before[0] in "BI" and before[2:] == after[2:]
            if after[0] in "IE" and not goes_on:
                transition[..., i, j] = -np.inf
    node = rng.normal(size=(tokens, n))
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    for first in bounds[:-1][np.array(lengths) > 0]:
        node[first, [label[0] in "IE" for label in labels]] = -np.inf
    return Grid([node], [transition], bounds=bounds)


def enumerated(grid: Grid, labels: list[str]) -> dict[tuple[int, int, str], float]:
    """The probability of every span."""
    out: dict[tuple[int, int, str], float] = {}
    node, transition = np.asarray(grid.nodes[0]), np.asarray(grid.transitions[0])
    bounds = np.asarray(grid.bounds).tolist()
    for first, last in pairwise(bounds):
        found: list[tuple[float, list[str]]] = []
        for codes in product(range(len(labels)), repeat=last - first):
            score = sum(node[first + k, code] for k, code in enumerate(codes))
            for k in range(1, len(codes)):
                own = transition[first + k] if transition.ndim == 3 else transition
                score += own[codes[k - 1], codes[k]]
            found.append((float(np.exp(score)), [labels[code] for code in codes]))
        total = sum(weight for weight, _ in found)
        for weight, chosen in found:
            for span in spans(chosen) if weight else ():
                key = first + span.start, first + span.end, span.label
                out[key] = out.get(key, 0.0) + weight / total
    return out


@pytest.mark.parametrize("scheme", SCHEMES)
@given(seed=st.integers(0, 10_000), each=st.booleans())
def test_candidates_are_those_of_enumeration(scheme: str, seed: int, each: bool) -> None:
    labels = SCHEMES[scheme]
    grid = random_grid(labels, [3, 0, 1, 4], seed, each)
    expected = {k: p for k, p in enumerated(grid, labels).items() if p >= 0.05}
    found = find_candidates(grid, labels, least=0.05)
    keys = [
        (a, b, found.names[k])
        for a, b, k in zip(
            found.starts.tolist(), found.ends.tolist(), found.types.tolist(), strict=True
        )
    ]
    assert dict(zip(keys, found.probabilities, strict=True)) == pytest.approx(expected)
    assert found.ends.tolist() == sorted(found.ends.tolist())


def test_candidates_of_long_text_are_found_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = SCHEMES["IOB2"]
    grid = random_grid(labels, [4, 2, 0, 7, 1], seed=1)
    whole = find_candidates(grid, labels)
    monkeypatch.setattr("dovetail.pipeline.decode.span_candidates.MOST_NUMBERS", 5 * 25)
    pieces = find_candidates(grid, labels)
    for one, other in zip(whole[1:], pieces[1:], strict=True):
        assert np.array_equal(one, other)


@given(seed=st.integers(0, 10_000), threshold=st.sampled_from([0.1, 0.25, 0.4]))
def test_the_spans_of_the_greatest_total_gain_are_taken(seed: int, threshold: float) -> None:
    labels = SCHEMES["IOB2"]
    grid = random_grid(labels, [4], seed)
    likely = {k: p for k, p in enumerated(grid, labels).items() if p >= 0.02}
    best = grid.best("exact").labels[0]
    codes = SpanDecision(threshold).decode(grid, labels, best)
    taken = [(s.start, s.end, s.label) for s in spans([labels[code] for code in codes])]
    gain = sum(likely[span] - threshold for span in taken)
    others = [
        sum(likely[span] - threshold for span in some)
        for size in range(5)
        for some in combinations(likely, size)
        if all(a[1] <= b[0] or b[1] <= a[0] for a, b in combinations(some, 2))
    ]
    assert gain == pytest.approx(max(others))


def test_every_token_is_in_a_span_where_there_is_no_label_outside() -> None:
    labels = SCHEMES["no O"]
    grid = random_grid(labels, [3, 2], seed=3)
    best = grid.best("exact").labels[0]
    for threshold in (0.0, 0.4, 0.99):
        codes = SpanDecision(threshold).decode(grid, labels, best)
        assert np.isfinite(label_scores(grid, codes)).all()


def test_forbidden_labels_are_not_given() -> None:
    """The first token must be in a span, though none is likely enough to be taken."""
    labels = ["O", "B-X", "B-Y"]
    node = np.log([[1.0, 0.5, 0.5], [0.9, 0.05, 0.05]])
    node[0, 0] = -np.inf
    grid = Grid([node], [np.zeros((3, 3))])
    best = grid.best("exact").labels[0]
    assert SpanDecision(0.6).decode(grid, labels, best)[0] in (1, 2)


def test_labels_without_spans_have_no_candidates() -> None:
    assert labels_of_types(["NN", "VB"]) == {}
    assert labels_of_types(["O", "I-X", "B-X"])
    grid = Grid([np.zeros((2, 2))], [np.zeros((2, 2))])
    assert not find_candidates(grid, ["NN", "VB"]).starts.size


def test_f1_is_highest_at_half_of_it() -> None:
    """The expected F1 of all spans above half of the best F1 is that F1."""
    p = np.random.default_rng(0).uniform(size=50)
    best = best_f1(p)
    taken = p[p > best / 2]
    assert 2 * taken.sum() / (len(taken) + p.sum()) == pytest.approx(best)


def test_a_threshold_is_a_probability() -> None:
    with pytest.raises(ValueError, match="not a probability"):
        SpanDecision(1.5)


def test_where_candidates_do_not_cover_all_the_likeliest_labelling_is_taken() -> None:
    """Without O each token must be in a span; here all spans are below the least probability."""
    labels = ["B-X", "I-X", *(f"B-{k}" for k in range(60))]
    node = np.zeros((2, len(labels)))
    node[:, 3] = 0.01
    grid = Grid([node], [np.zeros((len(labels), len(labels)))])
    assert SpanDecision(0.3).decode(grid, labels, np.array([3, 3], np.int32)).tolist() == [3, 3]
