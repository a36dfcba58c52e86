"""What to label next, against plain enumeration."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from dovetail.studio.learning.choose import (
    EVERY,
    MEASURES,
    choose_next,
    copy_groups,
    is_reserved,
    random_rank,
    similarity,
    texts_with_copies,
    without_copies,
)
from dovetail.studio.learning.learner import Learner
from dovetail.studio.learning.model import Model, Readings
from dovetail.studio.learning.progress import random_sample
from studio.learning.enumeration import TEXTS, distribution, found_in
from studio.learning.made_up import document, talks


@pytest.fixture(scope="module")
def model() -> Model:
    documents, right = talks(8)
    return Learner(["PER", "LOC"], threads=1).fit(documents, right)


def read(model: Model) -> Readings:
    return model.read(TEXTS)


def test_uncertainty_is_that_of_the_distribution(model: Model) -> None:
    measured = {name: measure(read(model)) for name, measure in MEASURES.items()}
    for k, text in enumerate(TEXTS):
        n = len(text.tokens)
        shares = distribution(model, text)
        best = max(shares.values())
        assert measured["least confidence"][k] == pytest.approx(-log(best) / n, rel=1e-4)
        entropy = 0.0
        for t in range(n):
            each: dict[str, float] = {}
            for labels, p in shares.items():
                each[labels[t]] = each.get(labels[t], 0.0) + p
            entropy -= sum(p * log(p) for p in each.values() if p > 0)
        assert measured["total entropy"][k] == pytest.approx(entropy, rel=1e-3)
        assert measured["mean entropy"][k] == pytest.approx(entropy / n, rel=1e-3)


def test_wrong_spans_are_those_expected(model: Model) -> None:
    measured = MEASURES["wrong spans"](read(model))
    for k, text in enumerate(TEXTS):
        shown = {(s.start, s.end, s.label) for s in model.suggest([text])[0]}
        shares = distribution(model, text)
        expected = sum(p * len(found_in(text, labels) ^ shown) for labels, p in shares.items())
        assert measured[k] * len(text.tokens) == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_probabilities_of_spans_are_those_of_the_distribution(model: Model) -> None:
    readings = read(model)
    for k, text in enumerate(TEXTS):
        shares = distribution(model, text)
        for s in readings.suggestions(k):
            exact = sum(
                p for own, p in shares.items() if (s.start, s.end, s.label) in found_in(text, own)
            )
            assert s.probability == pytest.approx(exact, rel=1e-4)


def test_similarity_is_the_mean_cosine() -> None:
    texts = [["a", "b", "a"], ["b"], ["c", "A"]]
    vectors = np.array([[2, 1, 0], [0, 1, 0], [1, 0, 1]], float)
    vectors /= np.linalg.norm(vectors, axis=1)[:, None]
    assert similarity(texts) == pytest.approx((vectors @ vectors.T).mean(axis=1))


def test_every_fifth_document_is_the_next_of_the_reserve() -> None:
    scores = {k: float(k) for k in range(40)}
    left = list(range(40))
    reserve = sorted((k for k in left if is_reserved(k, 3)), key=lambda k: random_rank(k, 3))
    assert 3 < len(reserve) < 14
    taken = []
    for asked in range(40):
        found = choose_next(left, scores, "least confidence", asked, seed=3)
        assert found is not None
        rest = [k for k in reserve if k in left]
        others = [k for k in left if k not in reserve]
        if rest and (asked % EVERY == 0 or not others):
            assert found.document == rest[0]
        else:
            assert found.document == max(others)
        left.remove(found.document)
        taken.append(found.document)
    assert choose_next(left, scores, "least confidence", 40) is None
    texts = texts_with_copies(range(40), {}, seed=3)
    assert random_sample(texts, taken[:11], seed=3) == [[k] for k in reserve[:3]]


def test_what_is_hard_does_not_come_first_in_the_sample() -> None:
    """A model that never learns: its score stays what it is, however documents are chosen."""
    n = 1000
    right = np.random.default_rng(0).beta(4, 2, n)
    scores = {k: -right[k] for k in range(n)}
    left, taken = list(range(n)), []
    for asked in range(600):
        found = choose_next(left, scores, "least confidence", asked)
        assert found is not None
        left.remove(found.document)
        taken.append(found.document)
    order = {k: place for place, k in enumerate(taken)}
    texts = texts_with_copies(range(n), {})
    sample = sorted((k for [k] in random_sample(texts, taken)), key=order.__getitem__)
    assert len(sample) > 100
    for part in (sample[:50], sample[-50:]):
        assert right[part].mean() == pytest.approx(right.mean(), abs=4 * right.std() / 50**0.5)
    assert right[taken[500:550]].mean() > right[taken[:50]].mean() + 0.2


def test_without_scores_the_choice_is_random_and_order_is_order() -> None:
    found = choose_next([4, 2, 9], {}, "least confidence", 1)
    assert found == choose_next([4, 2, 9], {}, "random", 1)
    ordered = choose_next([4, 2, 9], {}, "order", 0)
    assert ordered is not None
    assert ordered.document == 4


def test_near_copies_are_not_asked_twice() -> None:
    first = ["the", "talk", "by", "Ada", "on", "graphs", "is", "in", "room", "three", "today"]
    texts = [document(0, first), document(1, [*first, "again"]), document(2, ["Yes"])]
    groups = copy_groups(texts)
    assert without_copies([1, 2], groups, [0]) == [2]
    assert without_copies([0, 1, 2], groups, []) == [0, 2]


def test_a_copy_that_was_labelled_out_of_order_stands_for_its_text_in_the_sample() -> None:
    groups = {k: k // 2 for k in range(60)}  # each text is there twice
    texts = texts_with_copies(range(60), groups)
    sample = [text for text in texts if is_reserved(text[0])]
    assert len(sample) > 3
    others = [text[1] for text in sample[:2]]
    assert random_sample(texts, [*others, sample[3][0]]) == [[k] for k in others]
    assert random_sample(texts, sample[0]) == [sample[0]]


def test_no_strategy_picks_a_copy_of_what_is_in_the_reserve() -> None:
    groups = {k: k // 2 for k in range(60)}
    texts = texts_with_copies(range(60), groups)
    first = {k: text[0] for text in texts for k in text}
    candidates = [text[1] for text in texts]
    scores = {k: 1.0 + is_reserved(first[k]) for k in candidates}
    chosen = choose_next(candidates, scores, "least confidence", 1, first=first)
    assert chosen is not None
    assert not is_reserved(first[chosen.document])
    drawn = choose_next(candidates, scores, "least confidence", 0, first=first)
    assert drawn is not None
    assert is_reserved(first[drawn.document])
