"""The kernels that the package chooses for this CPU, beside the same ones compiled for it alone.

The other side is built with -march=native and with the compiler's own fusing of multiplications and
additions. Both sides stay in memory and take turns, each on one thread; what counts is the median
ratio of their CPU times.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import crfsuite
import hmm
import ours
from common import HERE, Targets, in_fresh_process, table

TARGET = 0.97
ROOT = HERE.parent
BUILD = ROOT / "build" / "dispatch"
NATIVE = "-march=native;-ffp-contract=fast"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    level = in_fresh_process(loaded_level).result
    tools = sysconfig.get_path("platlib")
    sides = {
        "chosen": Side({}),
        "native": Side({"PYTHONPATH": os.pathsep.join([str(native_build(level)), tools])}, "-S"),
    }
    targets, rows, ratios = Targets(), [], []
    for work in WORKS:
        for side in sides.values():
            side.seconds(work)  # the first time is for reading data
        times = [{name: side.seconds(work) for name, side in sides.items()}
                 for _ in range(options.rounds)]  # fmt: skip
        ratios.append(median(pair["native"] / pair["chosen"] for pair in times))
        targets.at_least(f"{work}, speed beside the native build", ratios[-1], TARGET)
        costs = [f"{median(pair[name] for pair in times):.3f}" for name in sides]
        rows.append([work, *costs, f"{ratios[-1]:.3f}"])
    table(
        f"The chosen kernels ({level}) beside those for this CPU alone (s CPU)",
        ["work", *sides, "speed"],
        rows,
    )
    targets.finish("dispatch", min(ratios), TARGET)


def loaded_level() -> str:
    from dovetail import _native

    return str(_native.LEVEL)


def native_build(level: str) -> Path:
    """A folder with the package whose kernels are compiled for this very CPU."""
    print("building for this CPU alone", flush=True)
    site = BUILD / "site"
    _cmake("-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
           f"-DDOVETAIL_LEVELS={level}", f"-DDOVETAIL_FLAGS={NATIVE}",
           f"-DPython_EXECUTABLE={sys.executable}")  # fmt: skip
    _cmake("--build", BUILD)
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "dovetail", site / "dovetail")
    _cmake("--install", BUILD, "--prefix", site)
    return site


def _cmake(*arguments: object) -> None:
    beside = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": os.pathsep.join([beside, os.environ["PATH"]])}
    command = ["cmake", *(str(argument) for argument in arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


class Side:
    """An interpreter that does a piece of work whenever it is asked to."""

    def __init__(self, environment: dict[str, str], *flags: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *flags, "-c", "import dispatch; dispatch.serve()"],
            cwd=HERE,
            env={**os.environ, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def seconds(self, work: str) -> float:
        """CPU seconds of doing it once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(work, file=self.process.stdin, flush=True)
        return float(json.loads(self.process.stdout.readline()))


def serve() -> None:
    """The other end of `Side`."""
    for line in sys.stdin:
        do = WORKS[line.strip()]()
        start = time.process_time()
        do()
        print(json.dumps(time.process_time() - start), flush=True)


@cache
def training() -> Callable[[], Any]:
    """A tagger from indexed data, in a fixed number of rounds: rounding may make one side need an
    evaluation more than the other to be certain of its optimum."""
    from dovetail import Tagger
    from dovetail.features import Dataset

    data = Dataset.from_crfsuite_text(str(crfsuite.cached_text("chunk")))
    settings: Any = {"c2": 1.0, "method": "dual", "tolerance": 1e-9, "max_iterations": 15}
    return lambda: Tagger(boundaries=False, threads=1, **settings).fit(data)


@cache
def gradient() -> Callable[[], Any]:
    """The objective and its gradient in double precision."""
    import numpy as np

    from dovetail.features import Dataset

    data = Dataset.from_crfsuite_text(str(crfsuite.cached_text("chunk")))
    objective = ours.objective(data, 1.0, "double", threads=1)
    weights = np.random.default_rng(0).normal(size=objective.size)
    return lambda: [objective(weights) for _ in range(3)]


@cache
def tagging() -> Callable[[], Any]:
    """From lists of feature strings to labels."""
    from dovetail import Tagger
    from dovetail.features import Dataset

    data = Dataset.from_crfsuite_text(str(crfsuite.cached_text("chunk")))
    tagger = Tagger(boundaries=False, c2=1.0, tolerance=0.1, threads=1).fit(data)
    text = str(crfsuite.cached_text("chunk", "test"))
    sequences = [features for features, _ in crfsuite.read_text(text)]
    return lambda: tagger.predict(sequences)


@cache
def expectations() -> Callable[[], Any]:
    """The E-step of a hidden Markov model over words."""
    from dovetail.representation.hmm.inference import Engine
    from dovetail.representation.hmm.starts import random_start
    from dovetail.representation.text import Text

    text, engine = Text.of(*hmm.words()), Engine(threads=1)
    start = random_start(hmm.STATES, text.n_words, seed=0)
    return lambda: engine.expected(text, start)


@cache
def joint() -> Callable[[], Any]:
    """Exact joint decoding of 44 x 9 x 9 labels."""
    import numpy as np

    from dovetail.grid import Grid

    tokens, sizes, rng = 300, (44, 9, 9), np.random.default_rng(0)
    grid = Grid(
        [rng.normal(size=(tokens, n)) for n in sizes],
        [rng.normal(size=(n, n)) for n in sizes],
        {(a, b): rng.normal(size=(tokens, sizes[a], sizes[b])) for a, b in ((0, 1), (1, 2))},
    )
    return lambda: [grid.best("exact", threads=1) for _ in range(10)]


WORKS: dict[str, Callable[[], Callable[[], Any]]] = {
    "training": training,
    "gradient, double": gradient,
    "tagging": tagging,
    "HMM, E-step": expectations,
    "joint decoding": joint,
}

if __name__ == "__main__":
    main()
