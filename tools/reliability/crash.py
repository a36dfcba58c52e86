"""``make crash``: kill jobs at random instants, and have the disk fail under them.

Whatever happens, each file is the old or the new one, whole; what is resumed ends with the same
bytes; and what a killed process has left behind is gone after the next run.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dovetail.errors import DovetailError
from tools.reliability.jobs import BrokenPromiseError, all_jobs

CALLS = (1, 2, 3, 4, 6, 9, 14, 21, 32, 48, 72, 108)  # which of a job's calls fails
KINDS = {"write": 1, "fsync": 2, "rename": 3}
ERRORS = (errno.ENOSPC, errno.EIO)


def in_child(work: Callable[[], None], after: float | None = None) -> int:
    """The exit code of work in a forked process, which may be killed after some seconds."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        os._exit(code)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_jobs(kills: int, seed: int, folder: Path) -> int:
    """Kill each kind of job so many times in all; the result is the number of broken promises."""
    draw = random.Random(seed)
    jobs = all_jobs(folder)
    lengths = []
    for job in jobs:
        began = time.monotonic()
        if in_child(job.work):
            raise BrokenPromiseError(f"{job.name} does not even work")
        lengths.append(time.monotonic() - began)
        in_child(job.finish)
    killed = dict.fromkeys((job.name for job in jobs), 0)
    left = broken = number = 0
    while sum(killed.values()) < kills:
        job, length = jobs[number % len(jobs)], lengths[number % len(jobs)]
        number += 1
        code = in_child(job.work, after=draw.uniform(0, length))
        killed[job.name] += code == -signal.SIGKILL
        left += len([*job.folder.glob(".*.part")])
        for step in (job.check, job.finish):
            if in_child(step):
                broken += 1
                print(f"{job.name}: a promise is broken after kill {number}", file=sys.stderr)
        stale = [*job.folder.glob(".*.part")]
        if stale:
            broken += 1
            print(f"{job.name}: {stale[0]} is left", file=sys.stderr)
    told = ", ".join(f"{name} {n}" for name, n in killed.items())
    print(f"{sum(killed.values())} kills ({told}), {left} of them left a temporary file")
    return broken


def build_preload(folder: Path) -> Path:
    """The library that makes calls fail, compiled."""
    library = folder / "faults.so"
    source = Path(__file__).with_name("faults.c")
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
    subprocess.run(command, check=True)
    return library


def fail_jobs(folder: Path, library: str, calls: int) -> int:
    """In a process with the preload: fail each call of each job in turn."""
    logging.getLogger("dovetail").setLevel(logging.ERROR)
    faults = ctypes.CDLL(library)
    broken = done = refused = 0
    for job in all_jobs(folder):
        for kind, code in KINDS.items():
            for error in ERRORS:
                for n in CALLS[:calls]:
                    below = str(job.folder).encode()
                    faults.arrange_fault(below, code, ctypes.c_long(n), error)
                    why = _try(job.work)
                    fired = bool(faults.fault_fired())
                    faults.arrange_fault(b"", 0, ctypes.c_long(0), 0)
                    refused += why is not None and not why.startswith("!")
                    for step in (job.check, job.finish):
                        found = _try(step)
                        if found is not None:
                            why = f"!{found}"
                    if why is not None and why.startswith("!"):
                        broken += 1
                        print(f"{job.name}, {kind} {n}: {why[1:]}", file=sys.stderr)
                    if [*job.folder.glob(".*.part")]:
                        broken += 1
                        print(f"{job.name}, {kind} {n}: a temporary file is left", file=sys.stderr)
                    if not fired:
                        break
                    done += 1
    print(f"{done} failing calls, {refused} told in a sentence, the others got over")
    return broken


def _try(work: Callable[[], Any]) -> str | None:
    """What an error said; with a mark where it is none of ours."""
    try:
        work()
    except BrokenPromiseError as error:
        return f"!{error}"
    except DovetailError as error:
        return str(error)
    except Exception as error:
        return f"!{type(error).__name__}: {error}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=len(CALLS), help="of a kind that fail")
    parser.add_argument("--faults", metavar="LIBRARY", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if options.faults:
            return min(1, fail_jobs(folder, options.faults, options.calls))
        with tempfile.TemporaryDirectory() as other:
            library = build_preload(Path(other))
            environment = {**os.environ, "LD_PRELOAD": str(library)}
            command = [sys.executable, "-m", "tools.reliability.crash"]
            command += ["--faults", str(library), "--calls", str(options.calls)]
            failed = subprocess.run(command, env=environment, check=False).returncode
        broken = kill_jobs(options.kills, options.seed, folder)
    print(f"crash: {broken + failed} promises broken (target 0)")
    return min(1, broken + failed)


if __name__ == "__main__":
    sys.exit(main())
