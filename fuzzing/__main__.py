"""Attack all targets, and say what was tried and what was found: ``make fuzz MINUTES=n``."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fuzzing.limits import MEMORY, SLOWEST
from fuzzing.targets import TARGETS

ENDED = re.compile(r"^(?:ERROR: libFuzzer: .*|==\d+== ?ERROR: .*|.*runtime error: .*)$", re.M)
COVERED = re.compile(r"cov: (\d+)")
EXECUTED = re.compile(r"^stat::number_of_executed_units:\s*(\d+)", re.M)
LAST = re.compile(r"^#(\d+)", re.M)
FOUND = re.compile(r"^FOUND ", re.M)


@dataclass
class Tally:
    """What came of a target's attacks."""

    name: str
    inputs: int = 0
    edges: int = 0
    seconds: float = 0.0
    found: int = 0
    ended: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        rate = self.inputs / max(self.seconds, 1e-9)
        what = f"{self.found} exceptions, {len(self.ended)} ends" if self.bad else "nothing found"
        return f"{self.name:16} {self.inputs:>11,} {rate:>9,.0f}/s {self.edges:>7,} edges  {what}"

    @property
    def bad(self) -> bool:
        return bool(self.found or self.ended)


def attack(name: str, seconds: float, folder: Path, *, plain: bool, first: int = 0) -> Tally:
    """Attack a target for some time, in new processes where one is ended by what it tried."""
    corpus, findings = folder / "corpus" / name, folder / "findings"
    corpus.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    tally = Tally(name)
    deadline = time.monotonic() + seconds
    number_file = findings / f"{name}.number"
    while (left := deadline - time.monotonic()) > 1:
        start = time.monotonic()
        number_file.unlink(missing_ok=True)
        command = (
            ["fuzzing.plain", name, str(findings), str(left), str(first)]
            if plain
            else ["fuzzing.attack", name, str(findings), *_options(name, left, folder)]
        )
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
        )  # fmt: skip
        tally.seconds += time.monotonic() - start
        counts = [int(n) for n in EXECUTED.findall(done.stdout) or LAST.findall(done.stdout)]
        tally.edges = max([tally.edges, *map(int, COVERED.findall(done.stdout))])
        tally.found += len(FOUND.findall(done.stdout))
        (findings / f"{name}.log").write_text(done.stdout)
        if done.returncode:
            why = ENDED.search(done.stdout)
            last = _last_number(number_file)
            at = "" if last is None else f" at input {last}"
            tally.ended += ((why[0] if why else f"exit code {done.returncode}") + at,)
            if plain:
                counts = [] if last is None else [last + 1 - first]
        tally.inputs += max(counts, default=0)
        first += max(counts, default=0)
        if done.returncode and not max(counts, default=0):
            break  # it cannot even start
    return tally


def _last_number(file: Path) -> int | None:
    """The number of the plain input that was tried last, if any was."""
    return int.from_bytes(file.read_bytes(), "little") if file.exists() else None


def _options(name: str, seconds: float, folder: Path) -> list[str]:
    return [
        f"-max_total_time={seconds:.0f}",
        f"-timeout={SLOWEST}",
        f"-malloc_limit_mb={MEMORY}",
        f"-rss_limit_mb={3 * MEMORY}",  # the sanitizer's own included
        "-print_final_stats=1",
        f"-artifact_prefix={folder}/findings/{name}-",
        f"{folder}/corpus/{name}",
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack, count, and exit with 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="fuzzing", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="of each process")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--folder", type=Path, default=Path("build/fuzzing"))
    parser.add_argument(
        "--plain", action="store_true", help="without sanitizers and coverage: many times as fast"
    )
    parser.add_argument(
        "--first", type=int, default=0, metavar="N",
        help="with --plain, the number of each target's first input: the same number is the same "
        "input in every run, so go on where the last run says that it ended",
    )  # fmt: skip
    parser.add_argument("targets", nargs="*")
    given = parser.parse_args(arguments)
    if not 0 <= given.first < 2**63:
        parser.error(f"--first {given.first}: give a number from 0 to 2^63")
    if given.first and not given.plain:
        parser.error("--first: only plain inputs have numbers; add --plain (make fuzz-plain)")
    names = given.targets or list(TARGETS)
    share = 60 * given.minutes * given.processes / len(names)
    attacks = partial(
        attack, seconds=share, folder=given.folder, plain=given.plain, first=given.first
    )
    tallies = []
    with ThreadPoolExecutor(given.processes) as pool:
        for tally in pool.map(attacks, names):
            print(tally.line, *tally.ended, sep="\n    ", flush=True)
            tallies.append(tally)
    inputs, seconds = sum(t.inputs for t in tallies), sum(t.seconds for t in tallies)
    rate, edges = inputs / max(seconds, 1e-9), sum(t.edges for t in tallies)
    bad = ", ".join(tally.name for tally in tallies if tally.bad)
    end = f"found something in {bad}: see {given.folder}/findings" if bad else "no finding"
    print(f"{inputs:,} inputs, {rate:,.0f} a second of a process, {edges:,} edges; {end}")
    if given.plain:
        print(f"other inputs: --first {given.first + max(t.inputs for t in tallies)}")
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
