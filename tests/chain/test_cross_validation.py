"""Many trainings on parts of the same text."""

from __future__ import annotations

from threading import current_thread, main_thread

import numpy as np
import pytest

from dovetail import Corpus, Tagger, Template, column
from dovetail.chain.cross_validation import Job, divide, train_on_parts
from dovetail.chain.train.steps import Progress
from dovetail.errors import DataError, TrainingError

PENALTIES = (0.01, 0.1, 1.0)


def text(n: int = 30) -> Corpus:
    rng = np.random.default_rng(0)
    words = [[f"w{k}" for k in rng.integers(0, 25, rng.integers(1, 9))] for _ in range(n)]
    labels = [["B-X" if int(word[1:]) % 3 == 0 else "O" for word in own] for own in words]
    return Corpus.from_lists({"word": words, "label": labels})


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("features", [Template(column("word").window(1)), "entities", None])
def test_models_are_those_of_each_part_alone(features: Template | str | None, threads: int) -> None:
    """To the bit, whatever their number of threads, and whether text is indexed once or again."""
    corpus = text()
    parts = divide(np.arange(len(corpus)) % 3)
    taggers = [Tagger(features=features, c2=c2, threads=threads) for c2 in PENALTIES]
    data = taggers[0].index(corpus)
    jobs = [Job(tagger, part) for part in range(3) for tagger in taggers]

    def judge(job: Job, model: Tagger) -> tuple[bytes, list[list[str]], list[float]]:
        held_out = data.select(parts[job.part][1])
        gold = corpus.select(parts[job.part][1]).lists("label")
        likelihoods = model.log_likelihood(held_out, gold)  # type: ignore[arg-type]
        return weights_of(model), model.predict(held_out), likelihoods

    found = train_on_parts(data, [rest for rest, _ in parts], jobs, judge)
    for job, (weights, labels, likelihoods) in zip(jobs, found, strict=True):
        rest, held_out = (corpus.select(own) for own in parts[job.part])
        alone = job.tagger.clone().fit(rest)
        assert weights == weights_of(alone)
        assert labels == alone.predict(held_out)
        assert likelihoods == alone.log_likelihood(held_out, held_out.lists("label"))  # type: ignore[arg-type]
        assert not job.tagger.is_fitted


def weights_of(tagger: Tagger) -> bytes:
    model = tagger.model_
    return b"".join(bytes(model.array(name)) for name in ("slots", "names", "dense", "pair_weight"))


def test_callbacks_come_in_order_and_here() -> None:
    corpus = text()
    tagger = Tagger(threads=2)
    data = tagger.index(corpus)
    seen: list[int] = []

    def note(part: int, progress: Progress) -> None:
        assert current_thread() is main_thread()
        if progress.iteration == 1:
            seen.append(part)

    jobs = [Job(tagger, part, lambda p, part=part: note(part, p)) for part in range(4)]
    parts = [rest for rest, _ in divide(np.arange(len(corpus)) % 4)]
    done: list[int] = []
    train_on_parts(data, parts, jobs, lambda *_: None, lambda job: done.append(job.part))
    assert seen == done == [0, 1, 2, 3]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interruption_ends_all(threads: int) -> None:
    corpus = text()
    tagger = Tagger(threads=threads, tolerance=1e-9)
    data = tagger.index(corpus)

    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    jobs = [Job(tagger, 0, interrupt), *(Job(tagger, 1) for _ in range(20))]
    judged: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        train_on_parts(
            data, [np.arange(20), np.arange(30)], jobs, lambda job, _: judged.append(job.part)
        )
    assert len(judged) < len(jobs)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_cannot_be_trained_is_said(threads: int) -> None:
    corpus = text()
    tagger = Tagger(threads=threads, min_count=1000)
    jobs = [Job(tagger, 0), Job(tagger, 0)]
    with pytest.raises(TrainingError, match="lower min_count"):
        train_on_parts(tagger.index(corpus), [np.arange(9)], jobs, lambda *_: None)
    with pytest.raises(DataError, match="two folds"):
        divide([0, 0])


def test_folds_may_have_any_numbers() -> None:
    divided = [(rest.tolist(), held_out.tolist()) for rest, held_out in divide([3, 1, 3])]
    assert divided == [([0, 2], [1]), ([1], [0, 2])]
    with pytest.raises(DataError, match="at least two folds"):
        divide([3, 3])
