"""A slice of ``make crash`` and ``make load``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="counts descriptors and preloads a library as Linux does"
)


def run(module: str, *arguments: str) -> str:
    command = [sys.executable, "-m", f"tools.reliability.{module}", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=900
    )
    assert not done.returncode, done.stdout + done.stderr
    return done.stdout


def test_kills_and_failing_disks_break_no_promise() -> None:
    told = run("crash", "--kills", "15", "--calls", "3")
    assert "15 kills" in told
    assert told.splitlines()[-1] == "crash: 0 promises broken (target 0)"


def test_threads_and_processes_get_the_answers_of_one_thread() -> None:
    told = run("load", "--minutes", "0.05", "--processes", "2", "--threads", "4", "--brief")
    assert ", 0 with another answer, 0 errors" in told
