"""Text of several domains: what is labelled, what is only read, and what is tested on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

import numpy as np

from dovetail.corpus import Corpus
from dovetail.features import Template
from dovetail.io.files import open_text

WORD = "word"
Sentence = tuple[list[str], list[str]]
Documents = Mapping[str, Sequence[Sentence]]


@dataclass(frozen=True)
class DomainData:
    """A task in a source domain, to be done in others.

    ``train`` and ``development`` are labelled text of the source, in the column ``label``; settings
    are chosen on the second. ``text`` is of the target domains, to be read without labels. Nothing
    is learnt from ``tests``.
    """

    train: Corpus
    development: Corpus
    text: Corpus
    tests: Mapping[str, Corpus]
    label: str
    features: Template


@dataclass(frozen=True)
class Genres:
    """A corpus of genres: labelled news, and of every other genre text to read and text to test on,
    by documents."""

    train: Corpus
    development: Corpus
    texts: Mapping[str, Corpus]
    tests: Mapping[str, Corpus]

    @classmethod
    def of(
        cls,
        label: str,
        news: Documents,
        others: Mapping[str, Documents],
        is_held_out: Callable[[str], bool],
    ) -> Genres:
        """From the documents of each genre; some of all genres are held out."""

        def parts(documents: Documents) -> tuple[Corpus, Corpus]:
            found: tuple[list[Sentence], list[Sentence]] = ([], [])
            for name, sentences in documents.items():
                found[is_held_out(name)].extend(sentences)
            kept, held = (as_corpus(sentences, label) for sentences in found)
            return kept, held

        train, development = parts(news)
        both = {genre: parts(documents) for genre, documents in others.items()}
        return cls(
            train,
            development,
            {genre: kept for genre, (kept, _) in both.items()},
            {genre: held for genre, (_, held) in both.items()},
        )

    def data(
        self,
        label: str,
        features: Template,
        *,
        seed: int = 0,
        n_labelled: int | None = None,
        n_read: Mapping[str, int] | None = None,
    ) -> DomainData:
        """The task, or one with so many labelled tokens, and tokens of each genre to read, in
        sentences that are drawn at random."""
        train = self.train if n_labelled is None else drawn(self.train, n_labelled, seed)
        texts = (
            self.texts
            if n_read is None
            else {genre: drawn(text, n_read[genre], seed) for genre, text in self.texts.items()}
        )
        text = Corpus.concatenate(texts.values()).without_column(label)
        return DomainData(train, self.development, text, self.tests, label, features)


def read_documents(path: Path, column: int = 1) -> Documents:
    """The sentences of each document in a file whose comments number them: ``# sent_id = A01-1``.

    A sentence is its words and their labels, which are in the given column.
    """
    documents: dict[str, list[Sentence]] = {}
    sentence: Sentence = ([], [])
    with open_text(path) as file:
        for line in file:
            fields = line.rstrip("\n").split("\t")
            if len(fields) > column:
                sentence[0].append(fields[0])
                sentence[1].append(fields[column])
            elif line.startswith("# sent_id = "):
                name = line.removeprefix("# sent_id = ").rpartition("-")[0]
                sentence = ([], [])
                documents.setdefault(name, []).append(sentence)
    return documents


def first_by_hash(names: Iterable[str], share: float, salt: str) -> set[str]:
    """A share of names that chance chooses, always the same ones."""
    order = sorted(names, key=lambda name: md5(f"{salt}{name}".encode()).hexdigest())
    return set(order[: math.ceil(share * len(order))])


def as_corpus(sentences: Sequence[Sentence], label: str) -> Corpus:
    """Sentences as a corpus of words and labels."""
    return Corpus.from_lists(
        {WORD: [words for words, _ in sentences], label: [labels for _, labels in sentences]}
    )


def drawn(corpus: Corpus, n_tokens: int, seed: int) -> Corpus:
    """Random sentences of a corpus, in their order, with about so many tokens."""
    order = np.random.default_rng(seed).permutation(len(corpus))
    ends = np.cumsum(np.diff(corpus.bounds)[order])
    n = int(np.searchsorted(ends, n_tokens)) + 1
    return corpus.select(np.sort(order[:n]))
