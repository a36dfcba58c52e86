"""What ready-made Brown clusters, lists of places and document context add: CoNLL-2003 whole and in
little parts, and the official training parts of CrossNER.

    python benchmarks/words.py sizes|crossner|full [testa|testb|dev|test]

F1 by spans, features `entities` of the columns that there are. ``sizes`` takes so many random
sentences, five draws (three of 1,600), and ``crossner`` one official part a domain: taggers with
nothing set, alone and by ``auto``, which for CrossNER reads a tagger of CoNLL-2003. ``full`` has
IOBES labels and c2 = 0.1, and trains seven taggers on 200,000 tokens for each row: minutes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from statistics import mean
from typing import Any, Literal

import numpy as np

import tasks
from dovetail import Consistency, Corpus, Pipeline, Tagger
from dovetail.corpus import convert, detect_scheme, read_conll
from dovetail.evaluate import evaluate
from dovetail.features import Template, column
from dovetail.features.sets import entities
from dovetail.representation import Representation, WordTable, ready_made, ready_made_list

DOMAINS = ("politics", "science", "music", "literature", "ai")
SIZES = {100: 5, 400: 5, 1600: 3}
LISTS = ("cities", "countries", "subdivisions", "us-states", "languages")
OLD, NEW = "ner", "entities"
Scheme = Literal["IOB2", "IOBES"]


def clusters() -> WordTable:
    made = ready_made("brown-en", value=1.0)
    assert isinstance(made, WordTable)
    return made


def news(part: str) -> Corpus:
    columns = ["word", "pos", "chunk", OLD]
    return read_conll(tasks.data_folder() / "conll2003" / f"eng.{part}.gz", columns=columns)


def converted(corpus: Corpus, label: str, scheme: Scheme) -> Corpus:
    lists = corpus.lists(label)
    given = detect_scheme(lists)
    return corpus.with_column(label, [convert(labels, given, scheme) for labels in lists])


def features(corpus: Corpus, label: str, representations: Sequence[Representation]) -> Template:
    template = entities(*(name for name in corpus.names if name != label))
    return template.with_features(*(e for one in representations for e in one.expressions_))


def with_lists(template: Template) -> Template:
    lists = {name.replace("-", "_"): ready_made_list(name)[0] for name in LISTS}
    listed = (column("word").lexicon(name).window(1) for name in lists)
    return Template(*template.expressions, *listed, lexicons=lists)


def score(pipeline: Pipeline, test: Corpus, label: str, scheme: Scheme, decode: Any) -> float:
    found = pipeline.predict(test.without_column(label), decode=decode)[label]
    gold = converted(test, label, scheme).lists(label)
    return 100 * evaluate(gold, found).micro.f1


def sizes(part: str) -> None:
    """Few sentences of CoNLL-2003."""
    train, test = converted(news("train"), OLD, "IOB2"), news(part)
    ways: dict[str, tuple[list[Representation], bool, Any]] = {
        "plain": ([], False, "cascade"),
        "auto": ([], False, "auto"),
        "clusters": ([clusters()], False, "cascade"),
        "clusters, auto": ([clusters()], False, "auto"),
        "clusters, lists, auto": ([clusters()], True, "auto"),
    }
    for name, (representations, listed, decode) in ways.items():
        parts = {one.name_: one for one in representations}
        for size, draws in SIZES.items():
            scores = []
            for draw in range(draws):
                chosen = np.random.default_rng(draw).permutation(len(train))[:size]
                few = train.select(np.sort(chosen))
                template = features(few, OLD, representations)
                tagger = Tagger(features=with_lists(template) if listed else template)
                pipeline = Pipeline({**parts, OLD: tagger}, decode=decode).fit({OLD: few})
                scores.append(score(pipeline, test, OLD, "IOB2", decode))
            print(f"{part} {size:>5} {name:<22} {mean(scores):.1f}", flush=True)


def crossner(part: str) -> None:
    """The official parts of five domains, alone and above a tagger of names in news."""
    text = news("train")
    words = converted(Corpus({n: text.column(n) for n in ("word", OLD)}, text.bounds), OLD, "IOB2")
    for name, representations in {"plain": [], "clusters": [clusters()]}.items():
        parts = {one.name_: one for one in representations}
        below = Tagger(features=features(words, OLD, representations), c2=0.1)
        old = Pipeline({**parts, OLD: below}, decode="cascade").fit({OLD: words})[OLD]
        scores: dict[str, list[float]] = {name: [], f"{name}, auto above news": []}
        for domain in DOMAINS:
            folder = tasks.data_folder() / "crossner" / domain
            columns = ["word", NEW]
            train, test = (
                read_conll(folder / f"{p}.txt", columns=columns) for p in ("train", part)
            )
            tagger = Tagger(features=features(train, NEW, representations))
            alone = Pipeline({**parts, NEW: tagger}, decode="cascade").fit({NEW: train})
            layers = {**parts, OLD: old, NEW: tagger}
            auto = Pipeline(layers, decode="auto").fit({NEW: train})
            for own, pipeline, decode in zip(
                scores, (alone, auto), ("cascade", "auto"), strict=True
            ):
                scores[own].append(score(pipeline, test, NEW, "IOB2", decode))
        for own, found in scores.items():
            shown = " ".join(f"{one:.1f}" for one in found)
            print(f"{part} {own:<26} {shown}  mean {mean(found):.2f}", flush=True)


def full(part: str) -> None:
    """All of CoNLL-2003."""
    train, test = converted(news("train"), OLD, "IOBES"), news(part)
    ways: dict[str, tuple[list[Representation], bool]] = {
        "plain": ([], False),
        "context": ([], True),
        "clusters": ([clusters()], False),
        "clusters, context": ([clusters()], True),
    }
    for name, (given, with_context) in ways.items():
        representations, text = list(given), train
        for one in given:
            text = one.annotate(text)
        if with_context:
            first = Tagger(features=features(train, OLD, given), c2=0.1)
            context = Consistency(first, label=OLD).fit(text)
            text = context.annotate_cross_fitted(text)
            representations.append(context)
        parts = {one.name_: one for one in representations}
        tagger = Tagger(features=features(train, OLD, representations), c2=0.1)
        pipeline = Pipeline({**parts, OLD: tagger}, decode="cascade").fit(text)
        print(f"{part} {name:<20} {score(pipeline, test, OLD, 'IOBES', 'cascade'):.2f}", flush=True)


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["sizes"]
    study = {"sizes": sizes, "crossner": crossner, "full": full}[what]
    study(rest[0] if rest else {"crossner": "dev"}.get(what, "testa"))
