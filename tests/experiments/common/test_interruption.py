"""Ctrl-C ends an experiment at once, and what is not finished is not kept."""

from __future__ import annotations

import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from dovetail import Tagger
from dovetail.compare import Cell, Plan
from experiments.common.command import run_command
from experiments.common.experiment import Experiment
from experiments.common.interruption import ExperimentInterrupted, interruptible
from experiments.common.runner import STORE, run_experiment
from tests.experiments.made_up import MadeUp, make_case

LONG = 120  # seconds, of a job that nobody waits for


@dataclass(frozen=True)
class TrainsTaggers(MadeUp):
    """Its preparation is interrupted in a training, which ends with the best model so far."""

    def studies(self, *_: object) -> Any:
        corpus = make_case().corpus
        for name in ("one", "two"):
            tagger = Tagger(tolerance=1e-300)
            tagger.fit(corpus, callback=lambda _: signal.raise_signal(signal.SIGINT))
            (self.out / name).touch()
        return super().studies()


def test_no_training_follows_one_that_is_interrupted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = "experiments.common.command.find_data_folder"
    monkeypatch.setattr(command, lambda folder, *_: Path(folder))
    options: dict[str, Any] = {"quick": True, "splits": 1, "threads": 1}
    with pytest.raises(SystemExit) as stopped:
        run_command(
            TrainsTaggers,
            lambda *_: pytest.fail("there is nothing to report"),
            needed=(),
            draws=(1, 1),
            data=str(tmp_path),
            out=str(tmp_path / "out"),
            **options,
        )
    assert stopped.value.code == 130
    assert "interrupted; the same command goes on where it stopped" in capsys.readouterr().err
    assert not (tmp_path / "out" / "one").exists()


class Waiting:
    plan = Plan(("none",), 4, (1,))
    fingerprint = "waiting"

    def shares(self, cell: Cell) -> Cell:
        return cell

    def work(self, cell: Cell) -> dict[str, Any]:  # noqa: ARG002
        time.sleep(LONG)
        return {}


@dataclass(frozen=True)
class Waits(Experiment):
    def studies(self, *_: object) -> dict[str, Waiting]:
        return {"waiting": Waiting()}


def test_jobs_that_have_begun_are_not_waited_for(tmp_path: Path) -> None:
    main = threading.main_thread().ident
    assert main is not None
    timer = threading.Timer(3, signal.pthread_kill, (main, signal.SIGINT))
    start = time.monotonic()
    timer.start()
    with interruptible(), pytest.raises(ExperimentInterrupted):
        run_experiment(Waits(tmp_path, tmp_path, 1), processes=2)
    assert time.monotonic() - start < LONG / 2
    assert not (tmp_path / STORE).exists()
