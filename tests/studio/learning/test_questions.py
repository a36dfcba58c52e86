"""Questions about single places."""

from __future__ import annotations

import numpy as np

from dovetail.studio.annotation import EMPTY, Annotation, Span, Suggestion
from dovetail.studio.learning.learner import Learner
from dovetail.studio.learning.questions import SURE, questions_of, unsure_regions
from studio.learning.made_up import document, talks

TEXT = document(1, ["a"] * 8, bounds=(0, 5, 8))
SHARES = [0.999, 0.5, 0.999, 0.7, 0.6, 0.6, 0.999, 0.98]
MARGINALS = np.array([[share, 1 - share] for share in SHARES])
FOUND = [Suggestion(1, 3, "A", 0.5), Suggestion(6, 7, "A", 0.999)]


def test_regions_are_runs_of_unsure_tokens_with_the_spans_they_touch() -> None:
    regions = unsure_regions(TEXT, MARGINALS, FOUND, EMPTY)
    assert [(one.start, one.end) for one in regions] == [(1, 5), (5, 6), (7, 8)]
    assert regions[0].suggestions == (FOUND[0],)
    own = MARGINALS[1:5]
    assert np.isclose(regions[0].entropy, -(own * np.log(own)).sum())


def test_what_is_known_is_not_asked() -> None:
    known = Annotation((Span(1, 3, "A"),), (Span(5, 6, ""),))
    regions = unsure_regions(TEXT, MARGINALS, FOUND, known)
    assert [(one.start, one.end) for one in regions] == [(3, 5), (7, 8)]
    assert unsure_regions(TEXT, MARGINALS, FOUND, Annotation(done=True)) == []


def test_questions_are_about_what_the_model_is_unsure_of_the_least_sure_first() -> None:
    documents, right = talks(10)
    model = Learner(["PER", "LOC"], threads=1).fit(documents, right)
    others = list(talks(20, seed=2)[0].values())
    readings = model.read(others)
    asked = 0
    for k, text in enumerate(others):
        found = questions_of(readings, k, EMPTY)
        assert [one.entropy for one in found] == sorted((q.entropy for q in found), reverse=True)
        for one in found:
            assert (readings.of_document(k)[one.start : one.end].max(axis=1) < SURE).any()
            exact = readings.probability(k, one.start, one.end, one.label)
            assert one.document == text.id
            assert np.isclose(one.probability, exact)
            asked += 1
    assert asked > 5
