"""Ctrl-C in a training by ``auto``: what there is is kept."""

from __future__ import annotations

from typing import Any

import pytest

from dovetail import Pipeline, Tagger, Template, column
from dovetail.pipeline.train.auto.pools import Candidates
from pipeline.conftest import only, random_corpus

WORD = Template(column("word").window(1))
LOWER = only(random_corpus(60, seed=1, longest=7), "word", "low")
UPPER = only(random_corpus(30, seed=2, longest=9), "word", "up")


def unfitted(decode: Any = "auto") -> Pipeline:
    return Pipeline({"low": Tagger(features=WORD), "up": Tagger(features=WORD)}, decode=decode)


def fit(pipeline: Pipeline, interrupted: str, time: int = 1) -> list[str]:
    """Train it, with Ctrl-C in the n-th training of that title; gives the titles of all."""
    titles: list[str] = []

    def listen(title: str, progress: Any) -> None:
        if progress.iteration == 1:
            titles.append(title)
        if title == interrupted and titles.count(title) == time:
            raise KeyboardInterrupt

    pipeline.fit({"low": LOWER, "up": UPPER}, folds=3, callback=listen)
    return titles


@pytest.mark.parametrize("interrupted", ["up", "up, without part 2 of 3"])
def test_the_plain_tagger_is_kept(interrupted: str) -> None:
    pipeline = unfitted()
    titles = fit(pipeline, interrupted)
    assert titles[-1] == interrupted
    assert isinstance(pipeline["up"], Tagger)
    assert pipeline.interrupted_
    assert "up: interrupted; kept the tagger that reads no task below" in pipeline.notes_
    again = Pipeline.load(pipeline.to_bytes())
    assert again.predict(UPPER) == pipeline.predict(UPPER)
    again.fit({"low": LOWER, "up": UPPER}, folds=3)
    assert not again.interrupted_
    assert "taken" in again.notes_[0]


def test_what_is_cross_validated_is_preferred_to_what_is_not() -> None:
    pipeline = unfitted()
    fit(pipeline, "up", time=2)  # the tagger that reads lower labels
    assert isinstance(pipeline["up"], Tagger)
    assert pipeline["up"].reads_ == ("word",)
    assert "kept: alone" in pipeline.notes_[0]
    assert pipeline.held_out_


def test_the_best_member_is_kept_where_pools_are_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt(_: Candidates) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Candidates, "select_pool", interrupt)
    pipeline = unfitted().fit({"low": LOWER, "up": UPPER}, folds=3)
    assert pipeline.interrupted_
    note = pipeline.notes_[0]
    scores = {part.rsplit(" ", 1)[0].rsplit(": ", 1)[-1]: float(part.rsplit(" ", 1)[1])
              for part in note.partition("; kept")[0].split(", ")}  # fmt: skip
    assert set(scores) == {"alone", "reading", "mapped", "pooled"}
    assert scores[note.rsplit(": ", 1)[1]] == max(scores.values())
    assert len(pipeline.predict(UPPER)["up"]) == 30


def test_before_the_last_task_nothing_changes() -> None:
    pipeline = unfitted()
    with pytest.raises(KeyboardInterrupt):
        fit(pipeline, "low")
    assert not pipeline.is_fitted


def test_the_next_task_does_not_begin() -> None:
    pipeline = unfitted("cascade")
    with pytest.raises(KeyboardInterrupt):
        fit(pipeline, "low")
    assert fit(pipeline, "up") == ["low", "up"]
    assert pipeline.interrupted_
    assert pipeline["up"].stopped_.startswith("interrupted after 1 rounds")
