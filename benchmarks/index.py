"""Ten million features: what an index of them takes, and how fast a model of that size opens."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from common import Targets, in_fresh_process, peak_mb, table

OPENING = 0.1  # seconds
LARGEST = 100  # bytes a feature, its name included


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=int, default=10_000_000)
    options = parser.parse_args()
    targets, rows = Targets(), []
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "large")
        for count in (options.features // 4, options.features // 2, options.features):
            built = in_fresh_process(index, count, model).result
            opened = [in_fresh_process(reopen, model).result for _ in range(5)]
            seconds = min(run["seconds"] for run in opened)
            rows.append(
                [f"{count:,}", f"{built['seconds']:.1f}", f"{built['bytes_a_feature']:.0f}",
                 f"{built['name']:.0f}", f"{Path(model).stat().st_size / 1e6:.0f}",
                 f"{seconds:.3f}", f"{min(run['tagged'] for run in opened):.3f}"]
            )  # fmt: skip
    table(
        "An index of features, and a model with a weight for each",
        ["features", "indexed in s", "bytes each", "of them name", "file MB", "opened in s",
         "and tagged in s"],
        rows,
    )  # fmt: skip
    targets.at_most("bytes a feature", built["bytes_a_feature"], LARGEST)
    targets.at_most("seconds to open", seconds, OPENING)
    targets.finish("index", OPENING / seconds, 1)


def index(count: int, model: str) -> dict[str, Any]:
    """Index ``count`` different words; memory grown by that; save a model of them."""
    import numpy as np

    from dovetail import Tagger, Template, column
    from dovetail.chain.model import ChainModel
    from dovetail.chain.train.fitting import Fitting
    from dovetail.features import Dataset

    template = Template(column("word"))
    data = Dataset()
    chunk = 100_000
    before, start = resident_mb(), time.perf_counter()
    for first in range(0, count, chunk):
        words = [[f"{k:x}"] for k in range(first, min(count, first + chunk))]
        labels = [["AB"[k % 2]] for k in range(len(words))]
        template.extract(data.native, template.read_whole(words), labels)
    seconds = time.perf_counter() - start
    # What each occurrence and each sequence of one token takes is not the index's.
    others = count * (4 + 8 + 8 + 4) / 1e6
    used = resident_mb() - before - others
    name = sum(len(f"word={k:x}") for k in range(0, count, count // 1000)) / 1000
    fitting = Fitting(Tagger(features=template, boundaries=False), data)
    weights = np.linspace(-1, 1, fitting.problem.n_parameters) + 1e-9
    facts = {**fitting._facts(), "features": template.spec(), "label": None, "columns": ["word"]}
    arrays = {**fitting.problem.export(weights), **fitting.limits}
    Path(model).write_bytes(ChainModel.from_arrays(arrays, facts).to_bytes())
    return {
        "seconds": seconds,
        "bytes_a_feature": 1e6 * used / count,
        "name": name,
        "peak": peak_mb(),
    }


def resident_mb() -> float:
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1e3
    raise SystemExit("this benchmark reads /proc: it needs Linux")


def reopen(model: str) -> dict[str, float]:
    """Seconds to open a model, and until it has tagged a token."""
    import dovetail

    start = time.perf_counter()
    tagger = dovetail.load(model, threads=1)
    opened = time.perf_counter() - start
    tagger.predict([["ff"]])
    return {"seconds": opened, "tagged": time.perf_counter() - start}


if __name__ == "__main__":
    main()
