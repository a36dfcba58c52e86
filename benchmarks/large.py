"""Text larger than memory: training over parts on disk, its memory, and its cost a token.

The text is made by streaming: the tokens of CoNLL-2003 (in DOVETAIL_DATA) again and again, rarer
words altered in ways of which there are ever more, so that features grow as in real text. It is
written to disk, indexed and trained on by a process of its own whose peak memory is measured; the
same training over the first part of it in memory gives the rate to compare with. Times are CPU
times, so that they hold on a busy machine.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from common import Targets, in_fresh_process, peak_mb, table
from dovetail import Tagger
from dovetail.corpus import Column, Corpus, Shards, read_conll
from dovetail.corpus.shards import INDEX
from dovetail.features import Template, column

TOKENS = 100_000_000
SAMPLE = 1_000_000  # tokens trained on in memory
MEMORY = 2_000  # MB
RATE = 1.3  # times the cost of a token in memory
ITERATIONS = 20
BEFORE = 3  # evaluations before the end of the first round of L-BFGS
SAME = 300  # the most frequent words stay as they are
NOVELTY = 0.4  # the n-th repetition of a word is a new form with probability n ** -NOVELTY
MIN_COUNT = 3
DATA = Path(os.environ.get("DOVETAIL_DATA", Path(__file__).parents[2] / "shared" / "data"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--iterations", type=int, default=ITERATIONS)
    parser.add_argument("--min-count", type=int, default=MIN_COUNT)
    parser.add_argument("--folder", help="for the text, which is used again; else a temporary one")
    options = parser.parse_args()
    targets = Targets()
    folder = Path(options.folder or tempfile.mkdtemp(prefix="large-"))
    try:
        written = in_fresh_process(write, str(folder / "text"), options.tokens).result
        here = in_fresh_process(train_in_memory, options.iterations, options.min_count).result
        disk = in_fresh_process(
            train_on_disk, str(folder / "text"), options.iterations, options.min_count
        ).result
    finally:
        if options.folder is None:
            shutil.rmtree(folder)
    table(
        f"Training on {disk['tokens']:,} tokens, {disk['features']:,} features, "
        f"{disk['weights']:,} weights, one thread",
        ["step", "CPU s", "tokens/s", "peak MB"],
        [
            ["writing the text", *shown(written, disk["tokens"])],
            ["indexing and the first epoch", *shown(disk["index"], disk["tokens"])],
            [
                f"{disk['epochs']} epochs of stochastic gradients",
                *shown(disk["start"], disk["epochs"] * disk["tokens"]),
            ],
            [f"{disk['passes']} passes", *shown(disk, disk["passes"] * disk["tokens"])],
        ],
    )
    cost = disk["cpu"] / disk["passes"] / disk["tokens"]
    usual = here["cpu"] / here["passes"] / here["tokens"]
    print(
        f"  {disk['gb']:.1f} GB on disk; objective a token {disk['objective']:.4f}, gap "
        f"{disk['gap']:.2g}: {disk['stopped']}"
    )
    print(f"  a pass over {here['tokens']:,} tokens in memory: {1 / usual:,.0f} tokens/s")
    peak = max(written["peak"], disk["peak"])
    targets.at_most("peak MB", peak, MEMORY)
    targets.at_most("cost of a token beside memory", cost / usual, RATE)
    targets.finish("large", usual / cost, 1 / RATE)


def shown(run: dict[str, Any], tokens: int) -> list[str]:
    return [f"{run['cpu']:.0f}", f"{tokens / max(run['cpu'], 1e-9):,.0f}", f"{run['peak']:.0f}"]


def template() -> Template:
    word, pos = column("word"), column("pos")
    return Template(
        word.lower.window(1), word.prefix(3), word.suffix(3), word.shape.window(1),
        word.lower[-1] & word.lower, pos.window(1), pos[-1] & pos,
    )  # fmt: skip


def repeat_altered(tokens: int) -> Iterator[Corpus]:
    """CoNLL-2003 until there are so many tokens, each time with other forms of rarer words."""
    names = ["word", "pos", None, "ner"]
    text = read_conll(DATA / "conll2003" / "eng.train.gz", columns=names)
    words = text.column("word")
    counts = np.bincount(words.codes, minlength=len(words.levels))
    rarer = np.flatnonzero(counts < np.sort(counts)[-SAME])
    rarer = np.array([k for k in rarer.tolist() if words.levels[k].isalpha()])
    forms = np.ones(len(rarer), np.int64)  # how many there are of each
    draw = np.random.default_rng(0)
    made = 0
    for repetition in range(1, tokens // text.n_tokens + 2):
        if made >= tokens:
            return
        fresh = draw.random(len(rarer)) < repetition**-NOVELTY
        form = np.where(fresh, forms, (draw.random(len(rarer)) * forms).astype(np.int64))
        forms += fresh
        levels = list(words.levels)
        for place, number in zip(rarer.tolist(), form.tolist(), strict=True):
            levels[place] = alter(levels[place], number)
        yield text.with_column("word", make_column(words.codes, levels))
        made += text.n_tokens


def alter(word: str, form: int) -> str:
    """The form of that number; 0 is the word itself."""
    letters = ""
    while form:
        form, letter = divmod(form, 26)
        letters += chr(ord("a") + letter)
    middle = (len(word) + 1) // 2
    return word[:middle] + letters + word[middle:]


def make_column(codes: Any, levels: list[str]) -> Column:
    """A column whose levels may be alike."""
    numbers: dict[str, int] = {}
    table = np.array([numbers.setdefault(level, len(numbers)) for level in levels], np.int32)
    return Column(table[codes], tuple(numbers))


def write(folder: str, tokens: int) -> dict[str, Any]:
    start = time.process_time()
    if not (Path(folder) / INDEX).exists():
        Shards.write(folder, repeat_altered(tokens))
    return {"cpu": time.process_time() - start, "peak": peak_mb()}


def train(data: Any, iterations: int, min_count: int) -> dict[str, Any]:
    """CPU time from the first round of L-BFGS on, and how often it went through the text; before
    come indexing, and a start by stochastic gradients."""
    seen: dict[str, list[float]] = {"sgd": [], "l-bfgs": []}
    tagger = Tagger(
        features=template(), c2=1.0, max_iterations=iterations, threads=1, min_count=min_count,
        memory_limit=0,
    )  # fmt: skip
    begun = time.process_time()
    tagger.fit(
        data,
        label="ner",
        callback=lambda progress: seen[progress.phase].append(time.process_time()),
    )
    facts, quick, rounds = tagger.training_, seen["sgd"], seen["l-bfgs"]
    return {
        "tokens": facts["tokens"], "features": tagger.n_features_, "weights": facts["parameters"],
        "cpu": rounds[-1] - rounds[0], "passes": facts["evaluations"] - BEFORE, "peak": peak_mb(),
        "index": {"cpu": quick[0] - begun, "peak": peak_mb()},
        "start": {"cpu": rounds[0] - quick[0], "peak": peak_mb()}, "epochs": len(quick) - 1,
        "objective": facts["objective"] / facts["tokens"], "gap": facts["gap"],
        "stopped": tagger.stopped_,
    }  # fmt: skip


def train_in_memory(iterations: int, min_count: int) -> dict[str, Any]:
    return train(Corpus.concatenate(repeat_altered(SAMPLE)), iterations, min_count)


def train_on_disk(folder: str, iterations: int, min_count: int) -> dict[str, Any]:
    found = train(Shards(folder), iterations, min_count)
    size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
    return {**found, "gb": size / 1e9}


if __name__ == "__main__":
    main()
