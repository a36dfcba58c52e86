"""Which of the mistakes that were built in do the tests not see? To be run on that build."""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis  # noqa: F401 - so that no process has to
import numpy  # noqa: F401
import pytest
import scipy.sparse  # noqa: F401

from tools.reliability.native.build import FOLDER, MOST
from tools.reliability.trials import KILLED, PYTEST, ROOT, SURVIVED, Chosen, in_child, tell

FOLDERS = ("chain", "features", "grid", "pipeline", "representation", "multitask", "interop")
TESTS = (*(f"tests/{folder}" for folder in FOLDERS), "tests/test_numeric.py")
PATIENCE = 15.0  # seconds that a test may take beyond five times what it took before
CHOSEN, SEEN = "DOVETAIL_MUTANT", "DOVETAIL_MUTANTS_SEEN"


class Reached(NamedTuple):
    """What tests come past."""

    mutants: dict[str, list[int]]  # by test
    seconds: dict[str, float]
    at_import: list[int]  # come past before any test


class Tracer:
    """A plugin of pytest that notes which mistakes each test comes past."""

    def __init__(self, seen: mmap.mmap) -> None:
        self.seen = seen
        self.reached = Reached({}, {}, [])

    def _numbers(self) -> list[int]:
        return [n for n, seen in enumerate(self.seen[:]) if seen]

    def pytest_collection_finish(self) -> None:
        self.reached.at_import.extend(self._numbers())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.seen[:] = bytes(MOST)
        start = time.monotonic()
        try:
            return (yield)
        finally:
            self.reached.seconds[item.nodeid] = time.monotonic() - start
            self.reached.mutants[item.nodeid] = self._numbers()


class Hurry:
    """A plugin of pytest that ends the process in a test that takes much longer than before."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        signal.alarm(int(5 * self.seconds[item.nodeid] + PATIENCE))


def trace_tests(tests: list[str]) -> Reached:
    """Run the tests once, and note what they come past."""
    with tempfile.TemporaryDirectory() as folder:
        told, seen = Path(folder, "reached.json"), Path(folder, "seen")
        seen.write_bytes(bytes(MOST))

        def work() -> int:
            os.environ[SEEN] = str(seen)
            with seen.open("r+b") as file, mmap.mmap(file.fileno(), MOST) as shared:
                tracer = Tracer(shared)
                code = pytest.main([*PYTEST, *(f"{ROOT}/{test}" for test in tests)], [tracer])
                told.write_text(json.dumps(tracer.reached), encoding="utf-8")
            return int(code)

        code = in_child(work, 7200)
        if code:
            raise SystemExit(f"the tests {' '.join(tests)} fail as it is (exit code {code})")
        return Reached(*json.loads(told.read_text(encoding="utf-8")))


def tests_of(number: int, reached: Reached, most_seconds: float) -> dict[str, float]:
    """The tests that come past a mistake, and how long each takes: the quickest first, as many as
    the time allows."""
    everything = number in reached.at_import
    tests = [test for test, there in reached.mutants.items() if everything or number in there]
    chosen: dict[str, float] = {}
    for test in sorted(tests, key=reached.seconds.__getitem__):
        if chosen and sum(chosen.values()) + reached.seconds[test] > most_seconds:
            break
        chosen[test] = reached.seconds[test]
    return chosen


def try_mutant(number: int, seconds: dict[str, float]) -> int:
    """Whether any of these tests fails, each of which took so many seconds."""
    tests = list(seconds)
    files = list(dict.fromkeys(f"{ROOT}/{test.partition('::')[0]}" for test in tests))

    def work() -> int:
        os.environ[CHOSEN] = str(number)
        return int(pytest.main([*PYTEST, "-x", *files], [Chosen(tests), Hurry(seconds)]))

    return KILLED if in_child(work, 5 * sum(seconds.values()) + PATIENCE) else SURVIVED


def main() -> int:
    task = json.loads((FOLDER / "task.json").read_text(encoding="utf-8"))
    reached = trace_tests(task["tests"] or list(TESTS))
    killed = 0
    for number, what in task["mutants"]:
        tests = tests_of(number, reached, task["seconds"])
        if tests and try_mutant(number, tests) == KILLED:
            killed += 1
        else:
            passed = f"{len(tests)} tests passed" if tests else "no test comes here"
            print(f"survived: {what} ({passed})", flush=True)
    share = tell(task["part"], killed, len(task["mutants"]), task["drawn"])
    return int(share < task["least"])


if __name__ == "__main__":
    sys.exit(main())
