"""Damaged model files, read by their own program and by Dovetail: how often the process ends.

Both get the same files: a model of the program with bytes changed, cut out or doubled.
"""

from __future__ import annotations

import argparse
import mmap
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from common import table

HERE = Path(__file__).parent
sys.path[:] = [  # not this folder, whose interop.py hides that of the tests
    *(str(HERE.parent / part) for part in (".", "tests")),
    *(path for path in sys.path if Path(path) != HERE),
]

from fuzzing.mutators import mutate_bytes  # noqa: E402
from fuzzing.targets import TARGETS  # noqa: E402

SECONDS = 5
KINDS = ("signal", "exit", "time-out")


def read_crfsuite(path: Path) -> None:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    tagger.tag([["w=a"], ["w=b", "s=é"], ["w=c"]])


def read_crfpp(path: Path) -> None:
    import pycrfpp

    tagger = pycrfpp.Tagger(f"-m {path}")
    for row in ("a X", "日本 b", "c X"):
        tagger.add(row)
    tagger.parse()
    [tagger.y2(place) for place in range(tagger.size())]


def read_wapiti(path: Path) -> None:
    import wapiti

    wapiti.Model(model=str(path)).label_sequence("a\nbé\na")


def read_ours(name: str) -> Callable[[Path], None]:
    return lambda path: TARGETS[name].survives(path.read_bytes()) and None


PROGRAMS = {"CRFsuite": "crfsuite", "CRF++": "crfpp", "Wapiti": "wapiti"}
READERS: dict[tuple[str, str], Callable[[Path], None]] = {
    ("CRFsuite", "python-crfsuite"): read_crfsuite,
    ("CRF++", "pycrfpp"): read_crfpp,
    ("Wapiti", "libwapiti"): read_wapiti,
    **{(program, "dovetail"): read_ours(name) for program, name in PROGRAMS.items()},
}


def damaged(name: str, number: int) -> bytes:
    """File number n: a seed with a few bytes changed."""
    chance = random.Random(number)
    seeds = list(TARGETS[name].seeds())
    return mutate_bytes(seeds[number % len(seeds)], chance)


def work(program: str, reader: str, first: int, end: int, folder: Path) -> None:
    """Read files until one of them ends the process, having written its number down."""
    path, read = folder / "model", READERS[program, reader]
    with (folder / "number").open("r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
        for number in range(first, end):
            shared[:] = struct.pack("<Q", number)
            path.write_bytes(damaged(PROGRAMS[program], number))
            signal.setitimer(signal.ITIMER_REAL, SECONDS)  # which ends the process
            with suppress(Exception):  # it may refuse the file
                read(path)
            signal.setitimer(signal.ITIMER_REAL, 0)
        shared[:] = struct.pack("<Q", end)


def count_ends(program: str, reader: str, files: int) -> Counter[str]:
    """How a process ends that reads so many files, in new ones where it does."""
    ends: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder, first = Path(name), 0
        while first < files:
            (folder / "number").write_bytes(struct.pack("<Q", first))
            command = [sys.executable, __file__, "--work", program, reader, str(first), str(files)]
            done = subprocess.run([*command, name], capture_output=True, cwd=name)
            first = struct.unpack("<Q", (folder / "number").read_bytes())[0]
            if first >= files:
                break
            ends[_kind(done.returncode)] += 1
            first += 1
    return ends


def _kind(code: int) -> str:
    if code == -signal.SIGALRM:
        return "time-out"
    return "signal" if code < 0 else "exit"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--work", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        program, reader, first, end, folder = options.work
        work(program, reader, int(first), int(end), Path(folder))
        return 0
    rows: list[Any] = []
    ours = 0
    for program, reader in sorted(READERS):
        ends = count_ends(program, reader, options.files)
        rows.append(
            [f"{program}: {reader}", *(f"{ends[k]}" for k in ("signal", "exit", "time-out"))]
        )
        ours += sum(ends.values()) if reader == "dovetail" else 0
    table(
        f"{options.files:,} damaged models of each program; how often the process was ended",
        ["models of: read by", "by a signal", "by exit", f"after {SECONDS} s"],
        rows,
    )
    print(f"hostile: {ours} (target 0)")
    return int(ours > 0)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    raise SystemExit(main())
