"""One process that attacks one target without coverage, but many times as fast.

    python -m fuzzing.plain TARGET FINDINGS SECONDS FIRST

Input number n is a function of n alone, from FIRST on. A process that is ended, by a signal or
because an input took too long, leaves the number behind in FINDINGS/TARGET.number.
"""

from __future__ import annotations

import logging
import mmap
import random
import resource
import signal
import struct
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from fuzzing.findings import Findings
from fuzzing.limits import MEMORY, SLOWEST
from fuzzing.mutators import MUTATORS
from fuzzing.targets import TARGETS, Target


def altered(target: Target, seeds: Sequence[bytes]) -> Callable[[int], bytes]:
    """Input number n: a seed altered once to four times."""
    mutate = MUTATORS[target.mutator]

    def alter(number: int) -> bytes:
        chance = random.Random(number)
        content = chance.choice(seeds)
        for _ in range(chance.choice((1, 1, 2, 4))):
            content = mutate(content, target.longest, chance.getrandbits(32))
        return content

    return alter


def attack(target: Target, folder: Path, seconds: float, first: int) -> int:
    """Try inputs until the time is over; how many were tried."""
    alter, findings = altered(target, list(target.seeds())), Findings(target.name, folder)
    for seed in target.seeds():
        target.survives(seed)  # what is loaded once counts against no input
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    address_space = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = max(address_space, used) + MEMORY * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    number_file = folder / f"{target.name}.number"
    number_file.write_bytes(struct.pack("<Q", first))
    number, deadline = first, time.monotonic() + seconds
    with number_file.open("r+b") as file, mmap.mmap(file.fileno(), 8) as shared:
        while time.monotonic() < deadline:
            for _ in range(100):
                shared[:] = struct.pack("<Q", number)
                content = alter(number)
                signal.setitimer(signal.ITIMER_REAL, SLOWEST)  # which ends the process
                findings.try_input(target, content)
                signal.setitimer(signal.ITIMER_REAL, 0)
                number += 1
    return number - first


if __name__ == "__main__":
    logging.disable()
    given_name, given_folder, given_seconds, given_first = sys.argv[1:]
    tried = attack(TARGETS[given_name], Path(given_folder), float(given_seconds), int(given_first))
    print(f"stat::number_of_executed_units: {tried}")
