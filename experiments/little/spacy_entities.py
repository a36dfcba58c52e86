"""spaCy's entity recogniser from scratch: a blank English pipeline on the CPU, its own settings,
without vectors, 30 passes over the text in batches of eight sequences, and no early stopping."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

N_PASSES = 30
BATCH = 8
DROPOUT = 0.1  # as in spaCy's own configuration
SEED = 0
Lists = Sequence[Sequence[str]]


def has_spacy() -> bool:
    """Whether it is installed."""
    return find_spec("spacy") is not None


def spacy_fingerprint() -> str:
    """Of all that the recogniser is."""
    return f"spaCy {version('spacy')}, {(N_PASSES, BATCH, DROPOUT, SEED)}"


def trained(words: Lists, labels: Lists) -> Any:
    """A recogniser of the spans that the labels write (IOB2)."""
    from spacy.tokens import Doc
    from spacy.training import Example

    spacy: Any = import_module("spacy")
    spacy.util.fix_random_seed(SEED)
    nlp = spacy.blank("en")
    nlp.add_pipe("ner")
    examples = [
        Example(_document(nlp, own), Doc(nlp.vocab, words=_shown(own), ents=list(tags)))
        for own, tags in zip(words, labels, strict=True)
    ]
    optimizer = nlp.initialize(lambda: examples)
    order = random.Random(SEED)
    for _ in range(N_PASSES):
        order.shuffle(examples)
        for first in range(0, len(examples), BATCH):
            nlp.update(examples[first : first + BATCH], sgd=optimizer, drop=DROPOUT)
    return nlp


def predicted(nlp: Any, words: Lists) -> list[list[str]]:
    """Labels of words (IOB2)."""
    found = nlp.pipe(_document(nlp, own) for own in words)
    return [
        [f"{t.ent_iob_}-{t.ent_type_}" if t.ent_type_ else "O" for t in document]
        for document in found
    ]


def _document(nlp: Any, words: Sequence[str]) -> Any:
    from spacy.tokens import Doc

    return Doc(nlp.vocab, words=_shown(words))


def _shown(words: Sequence[str]) -> list[str]:
    """Words as spaCy takes them: none is empty or blank."""
    return [word if word.strip() else "_" for word in words]
