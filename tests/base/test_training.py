"""The loop of all trainings: what ends it, what it keeps, what it hands out."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from dovetail import interruption
from dovetail.base import training
from dovetail.base.training import Hooks, Outcome, Position, Round, run_rounds
from dovetail.errors import DataError


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

    begin: Any = None
    if done:
        begin = Position(done, Step(0.0), done, Step(0.0))
    return run_rounds(steps(), report, Hooks(**hooks), limit=limit, begin=begin, unit="epochs")


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


def test_checkpoints_know_the_best_step_and_the_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)
    saved: list[tuple[int, int, float, bool]] = []

    def save(at: Position[Step, Any]) -> None:
        assert len(at.history) == at.number
        saved.append((at.number, at.kept, at.kept_step.value, at.ended))

    run([1.0, 3.0, 2.0, 0.0], held_out=value, checkpoint=save)
    assert saved == [(1, 1, 1.0, False), (2, 2, 3.0, False), (3, 2, 3.0, False), (4, 2, 3.0, True)]


def test_a_training_that_goes_on_remembers_the_best_step() -> None:
    begin: Any = Position(5, Step(0.0), 4, Step(7.0), 7.0, [(n, None) for n in range(1, 6)], 60.0)
    outcome = run_rounds(
        iter([Step(6.0), Step(5.0)]), report, Hooks(held_out=value, patience=3), begin=begin
    )
    assert (outcome.kept, outcome.step.value) == (4, 7.0)
    assert outcome.stopped == "no better held-out score for 3 rounds"
    assert [number for number, _ in outcome.history] == [1, 2, 3, 4, 5, 6, 7]


def test_a_checkpoint_is_written_in_the_end_only_where_rounds_are_quick() -> None:
    saved: list[float] = []
    run([1.0, 2.0], checkpoint=lambda at: saved.append(at.kept_step.value))
    assert saved == [2.0]


@pytest.mark.parametrize("error", [DataError("cannot write x"), OSError("I/O"), MemoryError()])
def test_a_checkpoint_that_fails_ends_nothing(
    error: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0.0)

    def save(_: Position[Step, Any]) -> None:
        raise error

    assert run([1.0, 2.0, 3.0], checkpoint=save).kept == 3
    assert caplog.text.count("but training goes on") == 3


def test_after_ctrl_c_the_checkpoint_can_be_resumed_unless_a_round_was_under_way() -> None:
    saved: list[tuple[int, bool]] = []

    def save(at: Position[Step, Any]) -> None:
        saved.append((at.number, at.ended))

    def interrupt(_: Any) -> None:
        raise KeyboardInterrupt

    run([1.0, 2.0], checkpoint=save, callback=interrupt)
    assert saved == [(1, False)]

    def steps() -> Iterator[Step]:
        yield Step(1.0)
        raise KeyboardInterrupt

    assert run_rounds(steps(), report, Hooks(checkpoint=save)).interrupted
    assert saved == [(1, False)]


def test_ctrl_c_pressed_twice_keeps_the_best_so_far() -> None:
    """The second comes while the first is being dealt with, or a moment later."""

    def interrupt(progress: tuple[int, float | None]) -> None:
        if progress[0] == 2:
            try:
                signal.raise_signal(signal.SIGINT)
            finally:
                signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        outcome = run([5.0, 1.0, 2.0], callback=interrupt)
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert outcome.interrupted
    assert outcome.kept == 2


def test_a_later_ctrl_c_counts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([10.0, 10.5, 11.5])
    monkeypatch.setattr(interruption.time, "monotonic", lambda: next(now))
    handler = interruption.Interruptions()
    with pytest.raises(KeyboardInterrupt):
        handler(signal.SIGINT, None)
    handler(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        handler(signal.SIGTERM, None)
    assert handler.number == signal.SIGTERM


def test_a_handler_of_the_program_stays() -> None:
    before = signal.getsignal(signal.SIGINT)
    own: Any = lambda *_: None  # noqa: E731
    signal.signal(signal.SIGINT, own)
    try:
        run([1.0], callback=lambda _: signal.getsignal(signal.SIGINT) is not own)
        assert signal.getsignal(signal.SIGINT) is own
        signal.signal(signal.SIGINT, signal.default_int_handler)
        run([1.0])
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_training_without_steps_is_a_mistake() -> None:
    with pytest.raises(RuntimeError, match="made no step"):
        run_rounds(iter([]), report, Hooks())
