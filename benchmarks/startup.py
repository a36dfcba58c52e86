"""A fresh process that imports a tagger, loads a model and tags one sentence."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import crfsuite
import ours
import tasks
from common import Targets, in_fresh_process, table

SECONDS, TARGET = 0.3, 0.5
THEIRS = """
import sys, pycrfsuite
tagger = pycrfsuite.Tagger()
tagger.open(sys.argv[1])
print(" ".join(tagger.tag(SENTENCE)))
"""
OURS = """
import sys, dovetail
tagger = dovetail.load(sys.argv[1])
print(" ".join(tagger.predict([SENTENCE])[0]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=tasks.TASKS, default="chunk")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "ours")
        text = str(crfsuite.cached_text(options.task))
        in_fresh_process(ours.fit_text, text, model, {"c2": 1.0})
        sentence, _ = next(crfsuite.read_text(str(crfsuite.cached_text(options.task, "test"))))
        sides = {
            "python only": ("pass", model),
            "python-crfsuite": (THEIRS, str(crfsuite.cached_model(options.task))),
            "dovetail": (OURS, model),
        }
        times: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(options.rounds):
            for name, (script, path) in sides.items():
                times[name].append(seconds(script.replace("SENTENCE", repr(sentence)), path))
    rows = [[name, f"{median(t):.3f}", f"{min(t):.3f}"] for name, t in times.items()]
    table("Import, load a model, tag one sentence (s)", ["process", "median", "best"], rows)
    mine, theirs = median(times["dovetail"]), median(times["python-crfsuite"])
    targets = Targets()
    targets.at_most("seconds", mine, SECONDS)
    targets.at_least("CRFsuite's time over ours", theirs / mine, TARGET)
    targets.finish("startup", theirs / mine, TARGET)


def seconds(script: str, model: str) -> float:
    """Wall time of one run of a script."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", script, model], check=True, capture_output=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
