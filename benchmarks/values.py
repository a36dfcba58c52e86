"""What the columns of representations should count: fixed values, and the one that is chosen.

    python benchmarks/values.py genres|names [auto|0.1]

``genres``: parts of speech of the Brown Corpus, 400 random news sentences (three draws), tested on
eight other genres; accuracy, the mean of genres and draws. Classes and HMMs are learned from the
words of all 15 genres. ``names``: CrossNER, the official training parts; F1 by spans on the test
parts, classes being learned from the words of all parts of a domain and of unlabelled English. The
second word is the tagger's c2. In brackets is what ``auto`` chose.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

import numpy as np

import tasks
from dovetail import HMM, Corpus, LayeredHMM, Pipeline, Tagger, WordClasses, read
from dovetail.corpus import read_conll
from dovetail.evaluate import evaluate
from dovetail.representation import Representation
from experiments.readers.genres import Sentence, as_corpus, read_documents

VALUES: tuple[Any, ...] = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, "auto")
TESTED = (
    "adventure", "belles_lettres", "editorial", "humor", "lore", "mystery", "reviews",
    "science_fiction",
)  # fmt: skip
ONLY_READ = ("fiction", "government", "hobbies", "learned", "religion", "romance")
BASE_TAG = 2
LABELLED, A_GENRE, DRAWS = 400, 300, 3
DOMAINS = ("ai", "literature", "music", "politics", "science")
Case = tuple[Corpus, Sequence[Corpus]]  # to train on, and to test on


def with_value(representation: Any, value: Any) -> Representation:
    """The same with another value."""
    for one in (getattr(representation, "of", representation), *_layers(representation)):
        one.value = value
    made: Representation = representation
    return made


def _layers(representation: Any) -> list[HMM]:
    return getattr(representation, "layers_", [])


def row(
    name: str, label: str, cases: Sequence[tuple[Case, Sequence[Representation]]], c2: Any
) -> None:
    """Print the mean score of all cases."""
    scores, chosen, seconds = [], [], perf_counter()
    for (train, tests), representations in cases:
        parts: dict[str, Any] = {one.name_: one for one in representations}
        pipeline = Pipeline({**parts, label: Tagger(c2=c2)}, decode="cascade").fit(train)
        chosen += [note.split(" is ")[1].split(",")[0] for note in pipeline.notes_]
        for test in tests:
            found = pipeline.predict(test.without_column(label))[label]
            report = evaluate(test.lists(label), found)
            scores.append(report.micro.f1 if report.kind == "spans" else report.accuracy)
    took = (perf_counter() - seconds) / len(cases)
    shown = f"  ({', '.join(chosen)})" if chosen else ""
    print(f"c2 {c2}  {name:<24}{100 * mean(scores):.1f}  {took:.0f} s{shown}", flush=True)


def genres(c2: Any) -> None:
    folder = tasks.data_folder() / "brown"

    def sentences(genre: str) -> list[Sentence]:
        documents = read_documents(folder / f"brown_{genre}.tsv.gz", BASE_TAG)
        return [sentence for document in documents.values() for sentence in document]

    text = {genre: sentences(genre) for genre in ("news", *TESTED, *ONLY_READ)}
    read_only = [as_corpus(own, "pos").without_column("pos") for own in text.values()]

    def some(genre: str, n: int, seed: int) -> Corpus:
        chosen = np.random.default_rng(seed).permutation(len(text[genre]))[:n]
        return as_corpus([text[genre][k] for k in sorted(chosen)], "pos")

    tests = [some(genre, A_GENRE, 0) for genre in TESTED]
    cases = [(some("news", LABELLED, draw), tests) for draw in range(DRAWS)]
    row("nothing", "pos", [(case, []) for case in cases], c2)
    made: Mapping[str, Any] = {
        "classes": WordClasses(200).fit(read_only),
        "three HMMs": LayeredHMM(3, HMM(60)).fit(read_only),
    }
    for name, representations in {
        **{k: [v] for k, v in made.items()},
        "both": [*made.values()],
    }.items():
        for value in VALUES:
            own = [with_value(one, value) for one in representations]
            row(f"{name}, {value}", "pos", [(case, own) for case in cases], c2)


def names(c2: Any) -> None:
    more = [read(path, format="text") for path in _unlabelled()]

    def part(domain: str, which: str) -> Corpus:
        path = tasks.data_folder() / "crossner" / domain / f"{which}.txt"
        return read_conll(path, columns=["word", "ner"])

    cases = [(part(domain, "train"), [part(domain, "test")]) for domain in DOMAINS]
    row("nothing", "ner", [(case, []) for case in cases], c2)
    made = []
    for domain in DOMAINS:
        own = [part(domain, which).without_column("ner") for which in ("train", "dev", "test")]
        made.append(WordClasses(200).fit([*own, *more]))
    for value in VALUES:
        classes = [[with_value(one, value)] for one in made]
        row(f"classes, {value}", "ner", list(zip(cases, classes, strict=True)), c2)


def _unlabelled() -> Iterator[Path]:
    return (tasks.data_folder() / "unlabelled-en").glob("*.txt.gz")


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["genres"]
    for strength in rest or ("auto", "0.1"):
        c2 = strength if strength == "auto" else float(strength)
        {"genres": genres, "names": names}[what](c2)
