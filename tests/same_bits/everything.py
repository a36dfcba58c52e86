"""Train one of each, small, and print a digest of every file and of what it predicts, as JSON.

The clock stands still, since files say when a training was done and how long it took.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

if __name__ == "__main__":
    time.monotonic = time.time = lambda: 0.0

import numpy as np

from dovetail import (
    ASO,
    HMM,
    BiasedHMM,
    Corpus,
    LayeredHMM,
    LinearTagger,
    Pipeline,
    Tagger,
    WordClasses,
    WordVectors,
    read,
)
from dovetail.demo import path
from dovetail.evaluate import bootstrap, evaluate
from dovetail.evaluate.significance import compare_paired
from dovetail.grid import Grid
from dovetail.multitask import masked
from dovetail.representation import Distance, Entropy

FEW, NEWS = read(path("few.conll")), read(path("news.conll"))[:150]
TEST = read(path("test.conll"))[:30]
WORDS = TEST.without_column("label")
CLOSE = 1e-6  # to the minimum: near enough for the same labels without the same bits
TAGGERS: dict[str, dict[str, Any]] = {
    "dual": {"method": "dual"},
    "lbfgs": {"method": "lbfgs", "max_iterations": 40},
    "double": {"method": "lbfgs", "precision": "double", "max_iterations": 40},
    "l1": {"c1": 0.5, "tolerance": CLOSE},
    "sgd": {"method": "sgd", "max_iterations": 5},
    "perceptron": {"method": "perceptron", "max_iterations": 5},
}


def found(threads: int) -> Iterator[tuple[str, Any]]:
    """Names of results, and the results."""
    yield from _taggers(threads)
    yield from _pipelines(threads)
    yield from _grids(threads)
    yield from _representations(threads)
    yield from _linear(threads)
    yield from _scores()


def _taggers(threads: int) -> Iterator[tuple[str, Any]]:
    for name, settings in TAGGERS.items():
        tagger = Tagger(threads=threads, **{"c2": 0.0 if "c1" in settings else 0.1, **settings})
        tagger.fit(FEW)
        yield f"{name}, file", tagger.to_bytes()
        yield f"{name}, labels", tagger.predict(WORDS)
        yield f"{name}, probabilities", tagger.predict_marginals(WORDS)
        yield f"{name}, n best", tagger.predict_nbest(WORDS, 3)


def _pipelines(threads: int) -> Iterator[tuple[str, Any]]:
    for decode in ("joint", "auto"):
        each: dict[str, Any] = {"c2": 0.1, "tolerance": CLOSE, "threads": threads}
        taggers = {name: Tagger(**each) for name in ("ner", "fields")}
        pipeline = Pipeline(taggers, decode=decode, threads=threads)
        pipeline.fit({"ner": NEWS, "fields": FEW}, folds=3)
        yield f"{decode}, file", pipeline.to_bytes()
        yield f"{decode}, labels", pipeline.predict(WORDS)
        tagged = pipeline.tag(WORDS)
        yield f"{decode}, probabilities", [[each.probability, each.layers] for each in tagged]
    columns = {"ner": FEW.column("label"), "fields": FEW.column("label")}
    both = Corpus({"word": FEW.column("word"), **columns}, FEW.bounds)[:60]
    taggers = {name: Tagger(c2=0.1, max_iterations=10, threads=threads) for name in columns}
    pipeline = Pipeline(taggers, threads=threads).fit(both, training="joint")
    yield "trained jointly, file", pipeline.to_bytes()


def _grids(threads: int) -> Iterator[tuple[str, Any]]:
    draw = np.random.default_rng(0)
    nodes, transitions = (
        [4 * draw.random((30, n)) for n in (5, 7)],
        [draw.random((n, n)) for n in (5, 7)],
    )
    grid = Grid(nodes, transitions, {(0, 1): 3 * draw.random((30, 5, 7))}, bounds=[0, 12, 30])
    for method in ("exact", "sparse", "beam", "loopy"):
        expected = grid.marginals(method, threads=threads)
        yield f"grid, {method}", [expected.log_z, *expected.labels]


def _representations(threads: int) -> Iterator[tuple[str, Any]]:
    settings: dict[str, Any] = {"rounds": 5, "threads": threads}
    source, target = FEW, WORDS
    for name, model, texts in (
        ("classes", WordClasses(12), [[FEW, NEWS]]),
        ("hmm", HMM(12, **settings), [[FEW, NEWS]]),
        ("hmm, from a random start", HMM(12, start="random", update="em", **settings), [[FEW]]),
        ("hmm, stepwise", HMM(8, batch=40, **settings), [[FEW, NEWS]]),
        ("biased hmm", BiasedHMM(8, [Entropy("label"), Distance()], **settings), [source, target]),
        ("layered hmm", LayeredHMM(2, HMM(8, **settings), repel=1.0), [source, target]),
    ):
        model.fit(*texts)
        yield f"{name}, file", model.to_bytes()
        yield f"{name}, columns", [_plain(one) for one in model.columns(WORDS).values()]
    words = list(dict.fromkeys(FEW.column("word").values()))[:300]
    vectors = np.random.default_rng(0).random((len(words), 20))
    yield "vectors, file", WordVectors(words, vectors, clusters=15).to_bytes()


def _linear(threads: int) -> Iterator[tuple[str, Any]]:
    for loss in ("modified_huber", "logistic"):
        linear = LinearTagger(loss=loss, penalty=1e-3, threads=threads).fit(FEW)
        yield f"linear, {loss}, file", linear.to_bytes()
        yield f"linear, {loss}, labels", linear.predict(WORDS)
        yield f"linear, {loss}, probabilities", linear.marginals(WORDS)
    tasks = [masked(NEWS.without_column("label"), "word", offset=k) for k in (-1, 1)]
    aso = ASO(n_parts=2, auxiliary=tasks, h=8, rounds=3, penalty=1e-3, threads=threads).fit(FEW)
    yield "aso, file", aso.to_bytes()
    yield "aso, labels", aso.predict(WORDS)
    rounds = aso.structure_.rounds_
    yield "aso, structure", [[each.objective, each.singular_values] for each in rounds]


def _scores() -> Iterator[tuple[str, Any]]:
    guesses = [["O" if k % 3 else label for k, label in enumerate(s)] for s in TEST.lists("label")]
    yield "bootstrap", bootstrap(evaluate(TEST.lists("label"), guesses))
    draw = np.random.default_rng(0)
    a, b = draw.random(10).tolist(), draw.random(10).tolist()
    yield "tests", compare_paired(a, b, n_train=9, n_test=1)


def _plain(column: Any) -> Any:
    return [column.codes, getattr(column, "weights", None)]


def digest(result: Any) -> str:
    """Of bytes, or of numbers to the last bit."""
    if not isinstance(result, bytes):
        result = json.dumps(result, default=lambda each: np.asarray(each).tolist()).encode()
    return hashlib.sha256(result).hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps({name: digest(result) for name, result in found(int(sys.argv[1]))}))
