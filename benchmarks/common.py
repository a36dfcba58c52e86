"""Fresh processes with their costs, tables, and targets that are met or missed."""

from __future__ import annotations

import importlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, NoReturn

HERE = Path(__file__).resolve().parent


class Run(NamedTuple):
    """What a function returned in a process of its own, and what that process cost."""

    result: Any
    wall: float
    cpu: float
    peak_mb: float


def in_fresh_process(function: Callable[..., Any], *arguments: Any) -> Run:
    """Call ``function``, defined at the top of a module of this folder, in a new interpreter.

    Arguments and result travel as JSON. Wall and CPU time are the whole process's, start included;
    peak memory is what the process itself held, not what it inherited when it was forked.
    """
    module = Path(sys.modules[function.__module__].__file__ or "").stem
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        task = json.dumps([module, function.__name__, arguments, str(answer)])
        command = [sys.executable, "-c", "import common; common._answer()", task]
        with (Path(folder) / "stderr").open("w+b") as errors:
            start = time.perf_counter()
            process = subprocess.Popen(command, cwd=HERE, stdout=subprocess.DEVNULL, stderr=errors)
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                errors.seek(0)
                text = errors.read().decode(errors="replace")
                raise RuntimeError(f"{module}.{function.__name__} failed:\n{text}")
        result, peak = json.loads(answer.read_text(encoding="utf-8"))
    return Run(result, wall, usage.ru_utime + usage.ru_stime, peak)


def _answer() -> None:
    """The other end of `in_fresh_process`."""
    module, name, arguments, answer = json.loads(sys.argv[1])
    result = getattr(importlib.import_module(module), name)(*arguments)
    Path(answer).write_text(json.dumps([result, peak_mb()]), encoding="utf-8")


def peak_mb() -> float:
    """Largest resident memory of this process so far."""
    status = Path("/proc/self/status")
    if status.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="utf-8"))
        if found:
            return int(found[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def best(runs: Sequence[Run]) -> Run:
    """The least times over repeats, the largest memory, and the result of the fastest."""
    fastest = min(runs, key=lambda run: run.wall)
    least_cpu = min(run.cpu for run in runs)
    return Run(fastest.result, fastest.wall, least_cpu, max(run.peak_mb for run in runs))


def typical(runs: Sequence[Run]) -> Run:
    """The median times over repeats, the largest memory, and the last result."""
    wall, cpu = median(run.wall for run in runs), median(run.cpu for run in runs)
    return Run(runs[-1].result, wall, cpu, max(run.peak_mb for run in runs))


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows under a title, the first column to the left and the others to the right."""
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    print(f"\n{title}")
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)]
        print("  " + "  ".join([f"{row[0]:<{widths[0]}}", *cells[1:]]), flush=True)


@dataclass
class Targets:
    """Collects what was asked for and not reached."""

    missed: list[str] = field(default_factory=list)

    def at_least(self, what: str, value: float, bound: float) -> None:
        if not value >= bound:
            self.missed.append(f"{what}: {value:.3g}, at least {bound:g} wanted")

    def at_most(self, what: str, value: float, bound: float) -> None:
        if not value <= bound:
            self.missed.append(f"{what}: {value:.3g}, at most {bound:g} wanted")

    def finish(self, name: str, ratio: float, target: float) -> NoReturn:
        """Print what was missed and the summary line; exit with 1 if anything was missed."""
        print()
        for line in self.missed:
            print(f"missed: {line}")
        print(f"{name}: {ratio:.2f} (target {target:g})")
        sys.exit(1 if self.missed else 0)
