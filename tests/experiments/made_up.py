"""Text that is made up, in which names below tell what is sought above."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from dovetail import Corpus, Tagger, Template, column
from experiments.common.experiment import Experiment
from experiments.common.transfer_study import SYSTEMS, TransferCase, TransferStudy, draws

NAMES = [f"N{k}" for k in range(40)]
WORDS = ["by"] * 20 + ["with", "from", "the", "a", "of"] * 4


def sentences(n: int, seed: int, label: str, documents: bool = False) -> Corpus:
    """Random words; after "by" a name is sought."""
    drawn = np.random.default_rng(seed)
    words = [[str(drawn.choice(NAMES + WORDS)) for _ in range(9)] for _ in range(n)]
    pairs = [zip(["", *own], own, strict=False) for own in words]
    sought = [
        ["B-X" if w in NAMES and (label == "ner" or before == "by") else "O" for before, w in own]
        for own in pairs
    ]
    corpus = Corpus.from_lists({"word": words, label: sought})
    if not documents:
        return corpus
    return Corpus(corpus.columns, corpus.bounds, document_bounds=range(0, n + 1, 2))


def make_case(documents: bool = False) -> TransferCase:
    token = Template(column("word").window(1))
    ner = Tagger(features=token, c2=0.1).fit(sentences(60, 1, "ner"), label="ner")
    corpus = sentences(60, 2, "label", documents)
    n = 30 if documents else 60
    pool, test = range(n // 2), range(n // 2, n)
    splits = draws(pool, test, 2)
    reading = token.with_columns("ner", conjoined=True)
    return TransferCase(corpus, splits, [6, 12], {"ner": ner}, token, reading, "made up")


@dataclass(frozen=True)
class MadeUp(Experiment):
    systems: tuple[str, ...] = SYSTEMS

    def studies(self, *_: object) -> dict[str, TransferStudy]:
        made = {"sentences": partial(make_case), "documents": partial(make_case, True)}
        return {name: TransferStudy(name, make, self.systems) for name, make in made.items()}
