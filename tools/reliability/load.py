"""``make load``: many threads and processes on one model, in mixed calls, for a long time.

Each answer is compared with that of a single thread. Memory and file descriptors must not grow.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dovetail
from dovetail import Tagger, demo

GROWTH = 1.05  # of memory, that is let pass
WARM = 0.2  # of the time, before memory is measured first


class Outcome(NamedTuple):
    calls: int
    wrong: int
    errors: list[str]
    memory: tuple[int, int]
    trend: float  # of memory: bytes a minute, by a straight line through all that was measured
    descriptors: tuple[int, int]


def memory() -> int:
    """Resident bytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE")


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """Of the straight line nearest to some points."""
    middle = sum(x) / len(x)
    spread = sum((one - middle) ** 2 for one in x)
    return sum((a - middle) * b for a, b in zip(x, y, strict=True)) / spread if spread else 0.0


def make_calls(path: str) -> list[Callable[[Any], Any]]:
    """Calls of a tagger, each a function of nothing else."""
    data = dovetail.read(demo.path("test.conll"))
    parts = [data[k : k + 7] for k in range(0, 42, 7)]
    calls: list[Callable[[Any], Any]] = []
    for part in parts:
        calls += [
            lambda tagger, part=part: tagger.predict(part),
            lambda tagger, part=part: tagger.predict(part, decode="marginal"),
            lambda tagger, part=part: tagger.predict_marginals(part),
            lambda tagger, part=part: tagger.predict_nbest(part, 3),
            lambda tagger, part=part: tagger.sample(part, 2, seed=5),
            lambda tagger, part=part: [one.labels for one in tagger.tag(part)],
        ]
    return [
        *calls,
        lambda tagger: hash(tagger.to_bytes()),
        lambda _: dovetail.load(path, mmap=True, threads=1).predict(parts[0]),
        lambda _: dovetail.load(path, mmap=False, threads=1).predict(parts[1]),
        lambda tagger: str(tagger.explain(parts[0][0])),
    ]


def use(path: str, seconds: float, threads: int, seed: int, answers: Any) -> None:
    """One process: threads that share a model."""
    tagger = dovetail.load(path, threads=2)
    calls = make_calls(path)
    expected = [call(tagger) for call in calls]
    end = time.monotonic() + seconds
    counts, wrong, errors = [0] * threads, [0] * threads, []

    def go(number: int) -> None:
        draw = random.Random(1000 * seed + number)
        while time.monotonic() < end:
            k = draw.randrange(len(calls))
            try:
                wrong[number] += calls[k](tagger) != expected[k]
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
            counts[number] += 1

    running = [threading.Thread(target=go, args=(n,)) for n in range(threads)]
    for one in running:
        one.start()
    time.sleep(WARM * seconds)
    samples, minutes = [], []
    while any(one.is_alive() for one in running):
        samples.append((memory(), descriptors()))
        minutes.append(time.monotonic() / 60)
        time.sleep(min(1.0, seconds / 50))
    half = max(1, len(samples) // 2)
    first, last = samples[:half], samples[half:] or samples
    answers.put(
        Outcome(
            sum(counts),
            sum(wrong),
            errors[:5],
            (max(m for m, _ in first), max(m for m, _ in last)),
            slope(minutes, [m for m, _ in samples]),
            (max(d for _, d in first), max(d for _, d in last)),
        )
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--threads", type=int, default=24, help="of each process")
    parser.add_argument("--brief", action="store_true", help="too short to judge memory")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "model"))
        Tagger(c2=0.1).fit(dovetail.read(demo.path("train.conll"))).save(path)
        answers = context.Queue()
        each = (path, 60 * options.minutes, options.threads)
        workers = [
            context.Process(target=use, args=(*each, n, answers)) for n in range(options.processes)
        ]
        for worker in workers:
            worker.start()
        found: list[Outcome] = [answers.get(timeout=60 * options.minutes + 600) for _ in workers]
        for worker in workers:
            worker.join()
    calls, wrong = sum(one.calls for one in found), sum(one.wrong for one in found)
    errors = [text for one in found for text in one.errors]
    growth = max(one.memory[1] / one.memory[0] for one in found)
    more = max(one.descriptors[1] - one.descriptors[0] for one in found)
    print(f"{calls} calls, {wrong} with another answer, {len(errors)} errors {errors[:3]}")
    for one in found:
        low, high = (size / 1e6 for size in one.memory)
        trend = f"{one.trend / 1e6:+.2f} MB a minute"
        print(
            f"memory {low:.1f} MB, later {high:.1f} MB, {trend}; "
            f"descriptors at most {one.descriptors[1]}"
        )
    print(f"load: {growth:.3f} times the memory (target {GROWTH}), {more} more descriptors")
    grows = not options.brief and (growth > GROWTH or more > 0)
    return int(wrong > 0 or bool(errors) or grows or any(w.exitcode for w in workers))


if __name__ == "__main__":
    sys.exit(main())
