"""Templates against Python feature functions: tokens to labels, and files to a trained model.

The task is CoNLL-2003 entities. python-crfsuite is used as its users use it: a function makes a
list of strings for each token, the lists of all sentences are kept, and given to the trainer.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crfsuite
import tag
import tasks
from common import Run, Targets, best, in_fresh_process, table, typical

TAGGING, TRAINING, MEMORY, F1 = 20, 10, 1 / 3, 0.1
TOKENS = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tagging-only", action="store_true")
    options = parser.parse_args()
    targets = Targets()
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder) / "ours")
        ours = [in_fresh_process(train_ours, model)]
        ratio = tagging(model, options.rounds, targets)
        if not options.tagging_only:
            theirs = in_fresh_process(train_theirs, str(Path(folder) / "theirs"))
            ours += [in_fresh_process(train_ours, model) for _ in range(2)]
            training(theirs, typical(ours), targets)
    targets.finish("features", ratio, TAGGING)


def tagging(model: str, rounds: int, targets: Targets) -> float:
    """From tokens to labels on one thread; our ratio of tokens a second."""
    their_model = str(crfsuite.cached_model("ner"))
    sides: dict[str, tuple[Callable[..., Any], str]] = {
        "python-crfsuite": (tag_theirs, their_model),
        "chaine": (tag_chaine, their_model),
        "dovetail": (tag_ours, model),
    }
    runs: dict[str, list[Run]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, (run, path) in sides.items():
            runs[name].append(in_fresh_process(run, path))
    found = {
        name: best([run._replace(wall=run.result["wall"]) for run in many])
        for name, many in runs.items()
    }
    peer = found["python-crfsuite"].result
    rows = []
    for name, run in found.items():
        speed = run.result["tokens"] / run.result["wall"]
        same = tag.same(peer["labels"], run.result["labels"])
        rows.append(
            [name, f"{speed:,.0f}", f"{run.result['wall']:.3f}", f"{run.peak_mb:.0f}",
             f"{100 * same:.2f} %", f"{peer['wall'] / run.result['wall']:.1f}"]
        )  # fmt: skip
    table(
        "From lists of tokens to labels, one thread, best pass (s, MB)",
        ["tagger", "tokens/s", "wall", "peak", "same labels", "ratio"],
        rows,
    )
    ratio = float(peer["wall"] / found["dovetail"].result["wall"])
    targets.at_least("ratio of tagging from tokens", ratio, TAGGING)
    return ratio


def training(theirs: Run, mine: Run, targets: Targets) -> None:
    """From files to a saved model, whole processes."""
    ratio, memory = theirs.wall / mine.wall, mine.peak_mb / theirs.peak_mb
    targets.at_least("ratio of training from files", ratio, TRAINING)
    targets.at_most("our peak memory over theirs", memory, MEMORY)
    targets.at_most("F1 below theirs", theirs.result - mine.result, F1)
    rows = [
        [name, f"{run.wall:.1f}", f"{run.cpu:.1f}", f"{run.peak_mb:.0f}", f"{run.result:.2f}"]
        for name, run in (("python-crfsuite", theirs), ("dovetail", mine))
    ]
    rows.append(["ratio", f"{ratio:.1f}", f"{theirs.cpu / mine.cpu:.1f}", f"{memory:.2f}", ""])
    table(
        "From CoNLL-2003 files to a saved model, whole process with test (s, MB)",
        ["trainer", "wall", "CPU", "peak", "F1"],
        rows,
    )


def template() -> Any:
    """The features of `tasks.ner_features` as a template."""
    from dovetail import Template, column
    from dovetail.features import bias

    word, pos = column("word"), column("pos")
    return Template(
        bias,
        word,
        word.shape,
        word.affixes(4),
        (word.lower | pos | word.short_shape).window(2),
        word.lower.ngrams(2, -1, 1),
        pos.ngrams(2, -1, 1),
    )


def files() -> tuple[Path, Path]:
    folder, train, test, _, _ = tasks.TASKS["ner"]
    return tasks.data_folder() / folder / train, tasks.data_folder() / folder / test


def train_theirs(model: str) -> float:
    """The usual script; the F1 of what it trained."""
    import pycrfsuite

    from dovetail.evaluate import evaluate

    features, labels = tasks.load("ner")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params={"c2": 1.0}, verbose=False)
    for x, y in zip(features, labels, strict=True):
        trainer.append(x, y)
    trainer.train(model)
    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    features, labels = tasks.load("ner", "test")
    return 100 * evaluate(labels, [tagger.tag(x) for x in features]).micro.f1


def train_ours(model: str) -> float:
    """Files, a template, a model; the F1 of it."""
    import dovetail
    from dovetail.corpus import convert
    from dovetail.evaluate import evaluate

    def read(path: Path) -> dovetail.Corpus:
        corpus = dovetail.read(path, format="conll", columns=["word", "pos", None, "ner"])
        labels = [convert(row, "IOB1", "IOB2") for row in corpus.lists("ner")]
        return corpus.with_column("ner", labels)

    train, test = map(read, files())
    tagger = dovetail.Tagger(features=template(), c2=1.0).fit(train)
    tagger.save(model)
    return 100 * evaluate(test.lists("ner"), tagger.predict(test)).micro.f1


def tokens() -> list[list[tuple[str, str]]]:
    """About `TOKENS` tokens of the test part: words and tags."""
    out: list[list[tuple[str, str]]] = []
    while sum(map(len, out)) < TOKENS:
        out += [[(r[0], r[1]) for r in rows] for rows in tasks.sentences(files()[1])]
    return out


def tag_theirs(model: str) -> dict[str, Any]:
    import pycrfsuite

    tagger = pycrfsuite.Tagger()
    tagger.open(model)
    extract: Any = tasks.ner_features
    return tag.fastest(lambda sequences: [tagger.tag(extract(x)) for x in sequences], tokens())


def tag_chaine(model: str) -> dict[str, Any]:
    from chaine.crf import Model

    tagger = Model(model)
    extract: Any = tasks.ner_features

    def predict(sequences: list[Any]) -> list[list[str]]:
        dicts = [[dict.fromkeys(token, 1.0) for token in extract(x)] for x in sequences]
        return list(tagger.predict(dicts))

    return tag.fastest(predict, tokens())


def tag_ours(model: str) -> dict[str, Any]:
    import dovetail

    return tag.fastest(dovetail.load(model, threads=1).predict, tokens())


if __name__ == "__main__":
    main()
