"""What ready-made Brown clusters and document context add: CoNLL-2003 whole and in little parts,
and the official training parts of CrossNER.

    python benchmarks/words.py sizes|crossner|full [testa|testb|dev|test]

F1 by spans; IOBES, c2 = 0.1, features `entities` of the columns that there are. ``sizes`` takes so
many random sentences, five draws (three of 1,600). ``full`` trains seven taggers on 200,000 tokens
for each row: minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import mean

import numpy as np

import tasks
from dovetail import Consistency, Corpus, Pipeline, Tagger
from dovetail.corpus import Scheme, convert, detect_scheme, read_conll
from dovetail.evaluate import evaluate
from dovetail.features.sets import entities
from dovetail.representation import Representation, ready_made

DOMAINS = ("politics", "science", "music", "literature", "ai")
SIZES = {100: 5, 400: 5, 1600: 3}


def news(part: str) -> Corpus:
    columns = ["word", "pos", "chunk", "ner"]
    return read_conll(tasks.data_folder() / "conll2003" / f"eng.{part}.gz", columns=columns)


def iobes(corpus: Corpus) -> Corpus:
    lists = corpus.lists("ner")
    scheme = detect_scheme(lists)
    return corpus.with_column("ner", [convert(labels, scheme, "IOBES") for labels in lists])


def f1(
    train: Corpus, test: Corpus, representations: Sequence[Representation] = (), c1: float = 0.0
) -> float:
    """The score of a tagger that reads the columns of representations, those of document context
    not having seen their labels."""
    inputs = [name for name in train.names if name != "ner"]
    template = entities(*inputs)
    parts = {}
    text = iobes(train)
    for one in representations:
        if isinstance(one, Consistency):
            one = Consistency(Tagger(features=template, c2=0.1, c1=c1), label="ner").fit(text)
            text = one.annotate_cross_fitted(text)
        else:
            text = one.annotate(text)
        parts[one.name_] = one
        template = template.with_features(*one.expressions_)
    tagger = Tagger(features=template, c2=0.1, c1=c1)
    pipeline = Pipeline({**parts, "ner": tagger}, decode="cascade").fit(text)
    found = pipeline.predict(test.without_column("ner"))["ner"]
    gold = test.lists("ner")
    scheme: Scheme = detect_scheme(gold)
    return 100 * evaluate(gold, [convert(labels, "IOBES", scheme) for labels in found]).micro.f1


def sizes(part: str) -> None:
    train, test, brown = news("train"), news(part), ready_made("brown-en", value=1.0)
    rows = {"plain": ([], 0.0), "clusters": ([brown], 0.0), "clusters, c1 = 0.1": ([brown], 0.1)}
    for name, (representations, c1) in rows.items():
        for size, draws in SIZES.items():
            scores = []
            for draw in range(draws):
                chosen = np.random.default_rng(draw).permutation(len(train))[:size]
                few = train.select(np.sort(chosen))
                scores.append(f1(few, test, representations, c1))
            print(f"{part} {size:>5} {name:<20} {mean(scores):.1f}", flush=True)


def crossner(part: str) -> None:
    brown = ready_made("brown-en", value=1.0)
    rows = {"plain": ([], 0.0), "clusters": ([brown], 0.0), "clusters, c1 = 0.1": ([brown], 0.1)}
    for name, (representations, c1) in rows.items():
        scores = []
        for domain in DOMAINS:
            train, test = (
                read_conll(
                    tasks.data_folder() / "crossner" / domain / f"{p}.txt", columns=["word", "ner"]
                )
                for p in ("train", part)
            )
            scores.append(f1(train, test, representations, c1))
        shown = " ".join(f"{score:.1f}" for score in scores)
        print(f"{part} {name:<20} {shown}  mean {mean(scores):.1f}", flush=True)


def full(part: str) -> None:
    train, test, brown = news("train"), news(part), ready_made("brown-en", value=1.0)
    context = Consistency(label="ner")
    rows = {
        "plain": [],
        "context": [context],
        "clusters": [brown],
        "clusters, context": [brown, context],
    }
    for name, representations in rows.items():
        print(f"{part} {name:<20} {f1(train, test, representations):.2f}", flush=True)


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["sizes"]
    study = {"sizes": sizes, "crossner": crossner, "full": full}[what]
    study(rest[0] if rest else {"crossner": "dev"}.get(what, "testa"))
