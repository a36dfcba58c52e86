"""Joint decoding: beside the cascade, by exact and approximate methods, beside a general tool.

One thread throughout. Times are the least of several repeats; ratios are of CPU time, which other
programs on the machine disturb less.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import grid_models
import grid_peer
from common import Run, Targets, best, in_fresh_process, table

CASCADE = 4  # times the cascade
EXACT = 1000  # microseconds a token
SPARSE, DIFFERENT = 20, 0.001  # times faster than exact, share of labels
TOLERANCE = 1e-6
LINEAR = 1.25  # memory a token of a document ten times as long
METHODS: dict[str, dict[str, Any]] = {
    "exact": {},
    "sparse": {"epsilon": 1e-4},
    "beam": {"beam": 64},
    "loopy": {},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", type=int, default=20_000, help="of mail for three layers")
    options = parser.parse_args()
    two, three = grid_models.cached("two"), grid_models.cached("three")
    targets = Targets()
    from_tokens({"two": two, "three": three}, options.rounds, targets)
    speedup = methods(three, options.tokens, options.rounds, targets)
    general_tool(two, targets)
    memory(two, targets)
    targets.finish("grid", speedup, SPARSE)


def from_tokens(pipelines: dict[str, str], rounds: int, targets: Targets) -> None:
    """From lists of words to the labels of all layers."""
    rows = []
    for name, path in pipelines.items():
        runs: dict[str, list[Run]] = {"cascade": [], "joint": []}
        for _ in range(rounds):
            for decode, many in runs.items():
                run = in_fresh_process(decode_mail, path, decode)
                many.append(run._replace(wall=run.result["wall"], cpu=run.result["cpu"]))
        found = {decode: best(many) for decode, many in runs.items()}
        cascade, joint = found["cascade"], found["joint"]
        for decode, run in found.items():
            tokens = run.result["tokens"]
            rows.append(
                [run.result["sizes"], decode, f"{1e6 * run.wall / tokens:.1f}",
                 f"{1e6 * run.cpu / tokens:.1f}", f"{run.peak_mb:.0f}",
                 f"{run.wall / cascade.wall:.2f}", f"{run.cpu / cascade.cpu:.2f}"]
            )  # fmt: skip
        if name == "two":
            targets.at_most("joint over cascade, two layers", joint.cpu / cascade.cpu, CASCADE)
        else:
            each = 1e6 * joint.cpu / joint.result["tokens"]
            targets.at_most("microseconds a token, three layers from words", each, EXACT)
    table(
        f"From {tokens:,} words of mail to labels, exact (us a token, MB)",
        ["labels", "decode", "wall", "CPU", "peak", "wall ratio", "CPU ratio"],
        rows,
    )


def decode_mail(path: str, decode: Any) -> dict[str, Any]:
    pipeline, words = grid_models.opened(path), grid_models.mail()
    pipeline.inference = "exact"
    times = [_clocked(lambda: pipeline.predict(words, decode=decode))[0] for _ in range(3)]
    sizes = [len(pipeline[name].labels_) for name in pipeline.names]
    return {
        "wall": min(wall for wall, _ in times),
        "cpu": min(cpu for _, cpu in times),
        "tokens": sum(map(len, words)),
        "sizes": " x ".join(map(str, sizes)),
    }


def methods(path: str, tokens: int, rounds: int, targets: Targets) -> float:
    """`Grid.best` on given scores; how much faster sparse is than exact."""
    found = in_fresh_process(decode_scores, path, tokens, rounds).result
    exact = found["methods"]["exact"]
    rows = []
    for name, run in found["methods"].items():
        rows.append(
            [name, f"{run['wall']:.1f}", f"{run['cpu']:.1f}", f"{exact['cpu'] / run['cpu']:.3f}",
             f"{run['different']:.3%}", " ".join(f"{d:.3%}" for d in run["by_layer"]), run["kept"],
             run["mass"], run["sweeps"]]
        )  # fmt: skip
    table(
        f"Grid.best on scores of {found['tokens']:,} tokens, {found['sizes']} labels (us a token)",
        ["method", "wall", "CPU", "times faster", "labels differ", "by layer", "states kept",
         "kept mass, least", "sweeps"],
        rows,
    )  # fmt: skip
    sparse = found["methods"]["sparse"]
    speedup = float(exact["cpu"] / sparse["cpu"])
    targets.at_most("microseconds a token, exact", exact["cpu"], EXACT)
    targets.at_least("times that sparse is faster than exact", speedup, SPARSE)
    targets.at_most("share of labels that sparse changes", sparse["different"], DIFFERENT)
    return speedup


def decode_scores(path: str, tokens: int, rounds: int) -> dict[str, Any]:
    """All methods in turn on one grid, which is made anew each time from the same arrays."""
    pipeline = grid_models.opened(path)
    corpus = pipeline.corpus_of(grid_models.mail(tokens))
    [(_, grid)] = pipeline.joint_scores(corpus).grids()
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in METHODS}
    found: dict[str, Any] = {}
    for _ in range(rounds):
        for name, settings in METHODS.items():
            fresh = replace(grid)
            call = _clocked(lambda: fresh.best(name, threads=1, **settings))  # noqa: B023
            times[name].append(call[0])
            found[name] = call[1]
    out: dict[str, Any] = {}
    for name, best_labels in found.items():
        pairs = zip(best_labels.labels, found["exact"].labels, strict=True)
        by_layer = [float((a != b).mean()) for a, b in pairs]
        report = best_labels.report
        out[name] = {
            "wall": 1e6 * min(wall for wall, _ in times[name]) / corpus.n_tokens,
            "cpu": 1e6 * min(cpu for _, cpu in times[name]) / corpus.n_tokens,
            "by_layer": by_layer,
            "different": sum(by_layer) / len(by_layer),
            "kept": f"{report.states_kept or report.n_states:,.1f}",
            "mass": "" if report.kept_mass is None else f"{report.least_kept_mass:.6f}",
            "sweeps": "" if report.iterations is None else
                      f"{report.iterations}{'' if report.converged else ' (unsettled)'}",
        }  # fmt: skip
    sizes = " x ".join(str(len(layer.labels)) for layer in pipeline.layers)
    return {"methods": out, "tokens": corpus.n_tokens, "sizes": sizes}


def general_tool(path: str, targets: Targets) -> None:
    """Best labels and marginals of one short sequence; both sides give both."""
    cases: list[tuple[str, str | None, int, int, bool]] = [
        ("random scores, its own junction tree", None, 6, 3, True),
        ("random scores, the best junction tree", None, 6, 3, False),
        ("ner x fields on mail, the best junction tree", path, 20, 9, False),
    ]
    rows = []
    for what, model, tokens, labels, own_tree in cases:
        run = in_fresh_process(grid_peer.compare, model, tokens, labels, own_tree).result
        rows.append(
            [what, f"{labels} x {labels}", f"{run['tokens']}", f"{1e3 * run['theirs'][1]:.1f}",
             f"{1e3 * run['ours'][1]:.3f}", f"{run['theirs'][1] / run['ours'][1]:,.0f}",
             "same" if run["same_labels"] else "differ", f"{run['difference']:.1e}"]
        )  # fmt: skip
        targets.at_least(f"{what}: same best labels", float(run["same_labels"]), 1)
        targets.at_most(f"{what}: difference of marginals", run["difference"], TOLERANCE)
    table(
        "pgmpy and Dovetail: best labels and all marginals of one sequence (CPU ms)",
        ["grid", "labels", "tokens", "pgmpy", "Dovetail", "ratio", "best labels",
         "marginals off by"],
        rows,
    )  # fmt: skip
    print("  cut to 20 tokens, since pgmpy's time grows with their square; to 6 tokens of 3 x 3")
    print("  where it makes the tree itself, since it runs out of memory on 20 tokens of 9 x 9")


def memory(path: str, targets: Targets) -> None:
    """Peak memory of one long sequence, beyond that of one of a thousand tokens."""
    rows = []
    sides: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "scores given": (decode_arrays, ()),
        "from words": (decode_document, (path,)),
    }
    for what, (function, given) in sides.items():
        base = in_fresh_process(function, *given, 1_000)
        each = []
        for tokens in (10_000, 100_000):
            run = in_fresh_process(function, *given, tokens)
            assert run.result == tokens
            each.append(1e3 * (run.peak_mb - base.peak_mb) / (tokens - 1_000))
            rows.append(
                [what, f"{tokens:,}", f"{run.cpu:.1f}", f"{run.peak_mb:.0f}", f"{each[-1]:.2f}"]
            )
        targets.at_most(
            f"memory a token, {what}, of 10 times the tokens", each[1] / each[0], LINEAR
        )
    table(
        "One document of so many tokens, 9 x 9 labels, exact, whole process",
        ["decoding", "tokens", "CPU s", "peak MB", "kB a token"],
        rows,
    )


def decode_arrays(tokens: int) -> int:
    import numpy as np

    from dovetail.grid import Grid

    draw = np.random.default_rng(0).standard_normal
    nodes, transitions = [draw((tokens, 9)) for _ in range(2)], [draw((9, 9)) for _ in range(2)]
    grid = Grid(nodes, transitions, {(0, 1): draw((tokens, 9, 9))})
    return len(grid.best("exact", threads=1).labels[0])


def decode_document(path: str, tokens: int) -> int:
    pipeline = grid_models.opened(path)
    pipeline.inference = "exact"
    labels = pipeline.predict([grid_models.long_document(tokens)], decode="joint")
    return len(labels["fields"][0])


def _clocked(call: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Wall and CPU seconds of a call, and what it returned."""
    start = time.perf_counter(), time.process_time()
    result = call()
    return (time.perf_counter() - start[0], time.process_time() - start[1]), result


if __name__ == "__main__":
    main()
