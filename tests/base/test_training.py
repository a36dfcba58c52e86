"""The loop of all trainings: what ends it, what it keeps, what it hands out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from dovetail.base import training
from dovetail.base.training import Hooks, Outcome, Round, run_rounds


@dataclass
class Step:
    value: float
    finished: str | None = None


def report(done: Round[Step]) -> tuple[int, float | None]:
    return done.number, done.held_out


def run(values: Sequence[float], limit: int | None = None, done: int = 0, **hooks: Any) -> Outcome:
    def steps() -> Iterator[Step]:
        for value in values:
            yield Step(value, "no more" if value == values[-1] else None)

    return run_rounds(steps(), report, Hooks(**hooks), limit=limit, done=done, unit="epochs")


def value(step: Step) -> float:
    return step.value


def test_without_held_out_data_the_last_step_is_kept() -> None:
    outcome = run([3.0, 1.0, 2.0])
    assert (outcome.step.value, outcome.kept, outcome.stopped) == (2.0, 3, "no more")
    assert outcome.history == [(1, None), (2, None), (3, None)]


def test_with_held_out_data_the_best_step_is_kept() -> None:
    outcome = run([1.0, 3.0, 2.0, 3.0, 0.0], held_out=value, patience=9)
    assert (outcome.step.value, outcome.kept, outcome.stopped) == (3.0, 2, "no more")
    assert outcome.history[1] == (2, 3.0)


def test_patience_ends_it() -> None:
    outcome = run([1.0, 3.0, 2.0, 1.5, 1.0, 0.0], held_out=value, patience=2)
    assert outcome.stopped == "no better held-out score for 2 rounds"
    assert (outcome.kept, len(outcome.history)) == (2, 4)


def test_the_limit_counts_rounds_made_before() -> None:
    outcome = run([1.0, 2.0, 3.0, 4.0], limit=7, done=5)
    assert outcome.stopped == "the limit of 7 epochs is reached"
    assert [number for number, _ in outcome.history] == [6, 7]
    assert outcome.kept == 7


def test_a_callback_ends_it() -> None:
    outcome = run([1.0, 2.0, 3.0], callback=lambda progress: progress[0] == 2)
    assert (outcome.kept, outcome.stopped) == (2, "the callback asked to stop")
    assert not outcome.interrupted


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def interrupt(progress: tuple[int, float | None]) -> None:
        if progress[0] == 12:
            raise KeyboardInterrupt

    outcome = run([5.0, 1.0, 2.0], done=10, held_out=value, callback=interrupt)
    assert outcome.interrupted
    assert outcome.stopped == "interrupted after 12 rounds; the best model so far is kept"
    assert (outcome.step.value, outcome.kept) == (5.0, 11)


def test_ctrl_c_before_the_first_step_has_nothing_to_keep() -> None:
    def steps() -> Iterator[Step]:
        raise KeyboardInterrupt
        yield Step(0.0)

    with pytest.raises(KeyboardInterrupt):
        run_rounds(steps(), report, Hooks())


@pytest.mark.parametrize(("resumes", "expected"), [(False, [1, 2, 2, 2]), (True, [1, 2, 3, 2])])
def test_checkpoints_hold_the_best_step_or_the_latest(
    resumes: bool, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    saved: list[int] = []
    run(
        [1.0, 3.0, 2.0],
        held_out=value,
        checkpoint=lambda _step, number: saved.append(number),
        resumes=resumes,
    )
    assert saved == expected  # the last is written in the end


def test_a_checkpoint_is_written_in_the_end_only_where_rounds_are_quick() -> None:
    saved: list[float] = []
    run([1.0, 2.0], checkpoint=lambda step, _number: saved.append(step.value))
    assert saved == [2.0]


def test_a_training_without_steps_is_a_mistake() -> None:
    with pytest.raises(RuntimeError, match="made no step"):
        run_rounds(iter([]), report, Hooks())
