"""Commands that are asked to end, once or twice, early or late."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import dovetail
from dovetail import demo

COMMAND = [sys.executable, "-m", "dovetail"]
SLOW = ["--c2", "0.0001", "--method", "lbfgs", "--tolerance", "1e-12"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "train.conll"
    path.write_text(10 * demo.path("train.conll").read_text())  # so that nobody is too late
    return path


def training(data: Path, model: Path) -> subprocess.Popen[str]:
    """A training that has made a round."""
    command = [*COMMAND, "train", str(data), "-m", str(model), *SLOW]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stderr is not None
    lines: Iterator[str] = iter(process.stderr.readline, "")
    assert any(line.startswith("l-bfgs: iteration") for line in lines)
    return process


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signals_keep_the_best_model(name: str, data: Path, tmp_path: Path) -> None:
    number = getattr(signal, name)
    with training(data, tmp_path / "m") as process:
        process.send_signal(number)
        shown, told = process.communicate(timeout=120)
    assert "Traceback" not in told
    assert "interrupted after" in shown
    assert process.returncode == 128 + number
    assert dovetail.load(tmp_path / "m").labels_


def test_a_second_ctrl_c_at_once_loses_nothing(data: Path, tmp_path: Path) -> None:
    with training(data, tmp_path / "m") as process:
        process.send_signal(signal.SIGINT)
        time.sleep(0.03)
        process.send_signal(signal.SIGINT)
        shown, told = process.communicate(timeout=120)
    assert "Traceback" not in told
    assert "interrupted after" in shown
    assert dovetail.load(tmp_path / "m").labels_


EARLY = """
import os, runpy, signal, sys


class Interrupting:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)


sys.meta_path.insert(0, Interrupting())
sys.argv[0] = "dovetail"
runpy.run_module("dovetail", run_name="__main__")
"""


@pytest.mark.parametrize(
    "module",
    ["click", "dovetail.cli.group", "dovetail.cli.train", "numpy", "dovetail._native.loading"],
)
def test_ctrl_c_in_an_import_shows_no_traceback(module: str, data: Path, tmp_path: Path) -> None:
    script = EARLY.format(module=module)
    command = [sys.executable, "-c", script, "train", str(data), "-m", str(tmp_path / "m"), *SLOW]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode in (-signal.SIGINT, 130)
    assert "Traceback" not in done.stderr


def test_a_closed_standard_output_is_told() -> None:
    command = f"exec {sys.executable} -m dovetail info nowhere >&-"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("dovetail: there is no standard output")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize("arguments", ["--help", "train --help", "--version", "info nowhere"])
def test_a_full_disk_under_standard_output_is_told(arguments: str) -> None:
    command = f"exec {sys.executable} -m dovetail {arguments} > /dev/full"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("dovetail: ")
    assert "Traceback" not in done.stderr
