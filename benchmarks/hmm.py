"""Hidden Markov models over words: an EM iteration beside hmmlearn, the cost of biases, large text.

80 states, the words of CoNLL-2000 (those seen once are one word). Times are the least of several
repeats. hmmlearn runs as it does: on one thread, in double precision.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tasks
from common import Targets, in_fresh_process, peak_mb, table

STATES = 80
FASTER = 40  # times hmmlearn, wall time
TOLERANCE = 1e-6
BIASED = 1.5  # times the plain E-step
LARGE, MEMORY = 10_000_000, 2_000  # tokens, MB
ITERATIONS = 3
THREADS = os.cpu_count() or 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=LARGE)
    options = parser.parse_args()
    targets = Targets()
    speedup = iteration(options.rounds, targets)
    biases(options.rounds, targets)
    large(options.tokens, targets)
    targets.finish("hmm", speedup, FASTER)


def iteration(rounds: int, targets: Targets) -> float:
    """One iteration of EM; how many times faster than hmmlearn."""
    peer = in_fresh_process(run_hmmlearn).result
    found = {
        (precision, threads): in_fresh_process(run_ours, precision, threads, rounds).result
        for precision in ("single", "double")
        for threads in sorted({1, THREADS})
    }
    peak = in_fresh_process(matrix_products).result
    rows = [["hmmlearn, scaling", f"{peer['wall']:.2f}", f"{peer['cpu']:.2f}", "1", "", ""]]
    for (precision, threads), run in found.items():
        gflops = 6 * STATES**2 * run["tokens"] / run["e_step"] / 1e9
        rows.append(
            [f"dovetail, {precision}, {threads} threads", f"{run['wall']:.3f}", f"{run['cpu']:.3f}",
             f"{peer['wall'] / run['wall']:.0f}", f"{gflops:.0f}",
             f"{gflops / peak[precision]:.0%}" if threads == THREADS else ""]
        )  # fmt: skip
    table(
        f"An EM iteration, {STATES} states, {peer['tokens']:,} tokens, {peer['words']:,} words (s)",
        ["engine", "wall", "CPU", "times", "E-step GFLOP/s", "of NumPy's product"],
        rows,
    )
    exact = found["double", THREADS]["log_likelihoods"]
    pairs = zip(exact, peer["log_likelihoods"], strict=True)
    difference = max(abs(a - b) / abs(b) for a, b in pairs)
    print(f"  log-likelihoods of {ITERATIONS} iterations differ by {difference:.1e} at most")
    targets.at_most("relative difference of log-likelihoods", difference, TOLERANCE)
    speedup = float(peer["wall"] / found["single", THREADS]["wall"])
    targets.at_least("times hmmlearn", speedup, FASTER)
    return speedup


def biases(rounds: int, targets: Targets) -> None:
    """The E-step with costs of states beside the plain one, on one thread."""
    found = in_fresh_process(tilted, rounds).result
    plain = found["none"]
    table(
        "The E-step with biases, one thread (s CPU)",
        ["costs", "E-step", "ratio"],
        [[name, f"{cpu:.3f}", f"{cpu / plain:.2f}"] for name, cpu in found.items()],
    )
    targets.at_most("biased over plain E-step", found["labels, domains"] / plain, BIASED)
    targets.at_most("biased over plain E-step, layers", found["and six layers"] / plain, BIASED)


def large(tokens: int, targets: Targets) -> None:
    """Text of many sentences drawn from real ones, with rare words made rarer."""
    run = in_fresh_process(train_large, tokens)
    found = run.result
    table(
        f"{found['tokens']:,} tokens, {found['words']:,} words, {STATES} states",
        ["threads", "s a round", "tokens/s", "peak MB"],
        [[str(THREADS), f"{found['wall']:.1f}", f"{found['tokens'] / found['wall']:,.0f}",
          f"{found['peak']:.0f}"]],
    )  # fmt: skip
    targets.at_most("MB for the large text", found["peak"], MEMORY)


def words() -> tuple[Any, Any, int]:
    """Numbers of words, bounds of sentences, size of the vocabulary."""
    from dovetail.corpus import Corpus
    from dovetail.representation import Vocabulary

    path = tasks.data_folder() / "conll2000" / "train.txt.gz"
    corpus = Corpus.from_lists({"word": [[r[0] for r in rows] for rows in tasks.sentences(path)]})
    vocabulary = Vocabulary.of_columns([corpus.column("word")], min_count=2, rare="one")
    return vocabulary.encode(corpus.column("word")), corpus.bounds, len(vocabulary)


def run_hmmlearn() -> dict[str, Any]:
    from hmmlearn.hmm import CategoricalHMM

    from dovetail.representation.hmm.starts import random_start

    numbers, bounds, n_words = words()
    start = random_start(STATES, n_words, seed=0)
    model = CategoricalHMM(
        STATES, n_features=n_words, n_iter=ITERATIONS, tol=-1, init_params="",
        implementation="scaling",
    )  # fmt: skip
    model.startprob_, model.transmat_ = start.start, start.transitions
    model.emissionprob_ = np.ascontiguousarray(start.emissions.T)
    (wall, cpu), _ = _clocked(lambda: model.fit(numbers[:, None], np.diff(bounds)))
    return {
        "wall": wall / ITERATIONS,
        "cpu": cpu / ITERATIONS,
        "tokens": len(numbers),
        "words": n_words,
        "log_likelihoods": list(model.monitor_.history),
    }


def run_ours(precision: str, threads: int, rounds: int) -> dict[str, Any]:
    from dovetail.representation.hmm.em import Rule, batch_em
    from dovetail.representation.hmm.inference import Engine
    from dovetail.representation.hmm.starts import random_start
    from dovetail.representation.text import Text

    text = Text.of(*words())
    engine = Engine(precision == "double", threads)
    start = random_start(STATES, text.n_words, seed=0)
    steps = batch_em(text, engine, Rule("em", 0.01), start)
    runs = [_clocked(lambda: next(steps)) for _ in range(max(rounds, ITERATIONS))]
    expecting = [_clocked(lambda: engine.expected(text, start))[0][0] for _ in range(rounds)]
    return {
        "wall": min(times[0] for times, _ in runs),
        "cpu": min(times[1] for times, _ in runs),
        "e_step": min(expecting),
        "tokens": text.n_tokens,
        "log_likelihoods": [step.log_likelihood * text.n_tokens for _, step in runs][:ITERATIONS],
    }


def matrix_products() -> dict[str, float]:
    """GFLOP/s of NumPy's product of two large matrices, on all cores."""
    n, out = 2000, {}
    for precision, kind in (("single", np.float32), ("double", np.float64)):
        a = np.random.default_rng(0).random((n, n)).astype(kind)
        out[precision] = 2e-9 * n**3 / min(_clocked(lambda: a @ a)[0][0] for _ in range(5))  # noqa: B023
    return out


def tilted(rounds: int) -> dict[str, float]:
    from dovetail.representation.hmm.inference import Costs, Engine
    from dovetail.representation.hmm.starts import random_start
    from dovetail.representation.text import Text

    text, engine = Text.of(*words()), Engine(threads=1)
    start = random_start(STATES, text.n_words, seed=0)
    rng = np.random.default_rng(1)

    def coded(codes: int) -> tuple[Any, Any]:
        numbers = rng.integers(-1, codes, text.n_tokens).astype(np.int32)
        return numbers, rng.random((codes, STATES))

    labels, domains, layers = coded(45), coded(2), [coded(STATES) for _ in range(6)]
    cases = {
        "none": None,
        "labels": Costs([labels]),
        "labels, domains": Costs([labels, domains]),
        "and six layers": Costs([labels, domains, *layers]),
        "a number for each token and state": Costs(
            each=rng.random((text.n_tokens, STATES), dtype=np.float32)
        ),
    }
    out = dict.fromkeys(cases, np.inf)
    for _ in range(rounds):
        for name, costs in cases.items():
            times, _found = _clocked(lambda: engine.expected(text, start, costs))  # noqa: B023
            out[name] = min(out[name], times[1])
    return out


def train_large(tokens: int) -> dict[str, Any]:
    from dovetail.representation.hmm.em import Rule, batch_em
    from dovetail.representation.hmm.inference import Engine
    from dovetail.representation.hmm.starts import random_start
    from dovetail.representation.text import Text

    numbers, bounds, n_words = words()
    rng = np.random.default_rng(2)
    real = Text.of(numbers, bounds, n_words)
    drawn = rng.integers(0, len(bounds) - 1, int(tokens / np.diff(bounds).mean()))
    text, _ = real.select(drawn)
    rare = np.bincount(numbers, minlength=n_words) < 20
    variants = 10
    changed = rare[text.words] * rng.integers(0, variants, text.n_tokens, dtype=np.int32)
    text = Text.of(text.words + n_words * changed, text.bounds, n_words * variants)
    start = random_start(STATES, text.n_words, seed=0)
    steps = batch_em(text, Engine(threads=THREADS), Rule("em", 0.01), start)
    wall = min(_clocked(lambda: next(steps))[0][0] for _ in range(2))
    used = len(np.unique(text.words))
    return {"wall": wall, "tokens": text.n_tokens, "words": used, "peak": peak_mb()}


def _clocked(call: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    """Wall and CPU seconds of a call, and what it returned."""
    start = time.perf_counter(), time.process_time()
    result = call()
    return (time.perf_counter() - start[0], time.process_time() - start[1]), result


if __name__ == "__main__":
    main()
