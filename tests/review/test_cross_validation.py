"""Models that have not seen what they are asked about."""

from __future__ import annotations

import pytest

import dovetail
from dovetail import Corpus, Tagger, Template, column, demo
from dovetail.errors import DataError
from dovetail.review import cross_validate, review

NAMES = ["Ada", "Bob", "Cora", "Dan", "Eve", "Finn"]


def talks(wrong: int) -> Corpus:
    """Sequences that are all of one kind, of which one has a wrong label."""
    words = [["talk", str(n), "by", name] for n in range(5) for name in NAMES]
    labels = [["O", "O", "O", "B-PER"] for _ in words]
    labels[wrong][3] = "O"
    return Corpus.from_lists({"word": words, "ner": labels})


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger(features=Template(column("word").window(1)), c2=0.1)


def test_a_wrong_label_is_suspicious(tagger: Tagger) -> None:
    corpus = talks(wrong=17)
    asked: list[tuple[int, int]] = []
    tagged = cross_validate(tagger, corpus, folds=5, callback=lambda *part: asked.append(part))
    assert asked == [(part, 5) for part in range(1, 6)]
    report = review(corpus.lists("word"), corpus.lists("ner"), tagged)  # type: ignore[arg-type]
    [(sequence, difference)] = report.suspicious(0.8)
    assert sequence.index == 17
    assert (difference.gold, difference.predicted) == (None, "PER")
    assert not tagger.is_fitted


def test_no_model_has_seen_its_part() -> None:
    corpus = dovetail.read(demo.path("few.conll"))
    tagger = Tagger(features=Template(column("word")), c2=1e-4)
    seen = tagger.clone().fit(corpus).tag(corpus)
    unseen = cross_validate(tagger, corpus, folds=3)
    gold = corpus.lists(corpus.names[-1])
    reports = [review(corpus.lists("word"), gold, found) for found in (seen, unseen)]  # type: ignore[arg-type]
    assert reports[0].share_right > reports[1].share_right


def test_fewer_than_two_folds_are_refused(tagger: Tagger) -> None:
    with pytest.raises(DataError, match="folds is 1"):
        cross_validate(tagger, talks(0), folds=1)
