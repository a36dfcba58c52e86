"""Corpora of several genres, by documents: what is labelled, what is only read or tested on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

from dovetail import Corpus
from experiments.common.files import open_text

WORD = "word"
Sentence = tuple[list[str], list[str]]
Documents = Mapping[str, Sequence[Sentence]]


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
