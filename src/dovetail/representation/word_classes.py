"""Word classes by exchange: a word belongs to one, and neighbours' classes predict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.cluster import open_executor, refuse_cluster
from dovetail.base.representation import Representation
from dovetail.base.training import Hooks, Round, run_rounds
from dovetail.corpus import Column, Corpus, Shards
from dovetail.errors import DataError
from dovetail.io.model_file import ModelFile, Source
from dovetail.representation.annotation import (
    Corpora,
    Value,
    check_corpora,
    check_states,
    check_value,
    join_text,
    set_value,
)
from dovetail.representation.bias.bias import CodeBias
from dovetail.representation.bias.property import Domains, Property
from dovetail.representation.bias.registry import (
    check_properties,
    find_label_columns,
    restore_properties,
)
from dovetail.representation.cross_fitting import cross_fit
from dovetail.representation.file import (
    open_representation_file,
    read_vocabulary,
    to_bytes,
    vocabulary_arrays,
)
from dovetail.representation.shards import ShardText, open_text
from dovetail.representation.text import Floats, Ints, Text
from dovetail.representation.vocabulary import Rare, Vocabulary


def exchange_words(
    text: Text | ShardText, n_classes: int, seed: int, passes: int, biases: Sequence[CodeBias] = ()
) -> tuple[Ints, float]:
    """A class for each word, and the log-likelihood of the text under a bigram model of classes."""
    native = _start_exchange(text, n_classes, seed, biases)
    for _, step in zip(range(passes), _passes(native), strict=False):
        if step.finished:
            break
    return np.asarray(native.classes()), float(native.log_likelihood)


def _start_exchange(
    text: Text | ShardText, n_classes: int, seed: int, biases: Sequence[CodeBias]
) -> _native.WordExchange:
    native = _native.WordExchange(text.words, text.bounds, text.n_words, n_classes, seed)
    for codes, n_codes, weight in biases:
        if weight:
            native.add_codes(text.words, np.ascontiguousarray(codes, np.int32), n_codes, weight)
    return native


@dataclass
class _Pass:
    """A pass over all words: how many it moved, and the log-likelihood after it."""

    moved: int
    log_likelihood: float
    finished: str | None


class _Progress(NamedTuple):
    """A pass as callbacks receive it."""

    number: int
    moved: int
    log_likelihood: float


def _passes(native: _native.WordExchange) -> Iterator[_Pass]:
    while True:
        moved = native.sweep()
        finished = None if moved else "no word moves any more"
        yield _Pass(moved, native.log_likelihood, finished)


def _report(done: Round[_Pass]) -> _Progress:
    return _Progress(done.number, done.step.moved, done.step.log_likelihood)


class WordClasses(Representation):
    """Classes of words with alike neighbours (the exchange algorithm; Brown clusters are its kin).

    Much faster than a hidden Markov model, and a word has the same class wherever it stands.

    Parameters
    ----------
    classes
        How many.
    properties
        What classes should tell or not tell: `Entropy`, `Distance` and `Predict`, which see only
        words here. A tagger that is trained on the labels of an `Entropy` trusts the classes of
        its training text too much unless these are `annotate_cross_fitted`.
    passes
        How often each word may move at most; fewer where no word moves any more.
    min_count, rare
        Which words are told apart, see `Vocabulary`.
    value
        Value of the column's features in a tagger; ``auto`` as for an `HMM`.

    >>> corpus = Corpus.from_lists({"word": [["a", "cat"], ["the", "cat"], ["a", "dog"],
    ...                                      ["the", "dog"]]})
    >>> classes = WordClasses(2, min_count=1).fit(corpus)
    >>> classes.class_of("a") == classes.class_of("the") != classes.class_of("dog")
    True
    """

    kind = "set of word classes"
    fitted_by = "classes_"

    vocabulary_: Vocabulary
    classes_: Ints
    counts_: Ints
    log_likelihood_: float
    stopped_: str

    def __init__(
        self,
        classes: int = 80,
        properties: Sequence[Property] = (),
        *,
        column: str = "word",
        name: str = "class",
        passes: int = 10,
        min_count: int = 2,
        rare: Rare = "form",
        value: Value = "auto",
        seed: int = 0,
    ) -> None:
        self.classes = classes
        self.properties = tuple(properties)
        self.column = column
        self.name = name
        self.passes = passes
        self.min_count = min_count
        self.rare = rare
        self.value = value
        self.seed = seed
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_properties(self.properties)
        check_states(self.classes, "classes")
        check_value(self.value)
        if self.passes < 1:
            raise DataError(f"passes is {self.passes}; give a whole number of at least 1")

    @property
    def biased_by_(self) -> tuple[str, ...]:
        return find_label_columns(self.properties)

    @property
    def labels_(self) -> list[str]:
        return [f"c{k}" for k in range(self.classes)]

    def fit(
        self,
        source: Corpora | Shards,
        target: Corpora | None = None,
        *,
        callback: Callable[..., Any] | None = None,
        cluster: Any = None,
    ) -> WordClasses:
        """Learn classes from text of the source and, if there is some, of the target; or from a
        corpus on disk, of which memory then holds four bytes a token. Its words are counted and
        numbered by the workers of ``cluster``, a Dask client, where one is given; classes are found
        here, since words are exchanged one after another.

        ``callback`` is called after each pass with its number, the words moved and the
        log-likelihood, and may return True to stop. Ctrl-C ends the training with what there is.
        """
        if isinstance(source, Shards):
            if target is not None or self.properties:
                raise DataError(
                    "a corpus on disk has neither a target nor properties of its classes"
                )
            with open_executor(cluster) as executor:
                vocabulary, text = open_text(
                    source, self.column, executor, min_count=self.min_count, rare=self.rare
                )
            try:
                return self._learn(vocabulary, text, [], callback)
            finally:
                text.close()
        refuse_cluster(cluster)
        texts = [source] if target is None else [source, target]
        corpora = [corpus for text in texts for corpus in check_corpora(text, self.column)]
        columns = [corpus.column(self.column) for corpus in corpora]
        vocabulary = Vocabulary.of_columns(columns, min_count=self.min_count, rare=self.rare)
        biases = [
            bias
            for one in self.properties
            for bias in one.bias(self._domains(source, target)).class_biases
        ]
        joined = join_text(corpora, self.column, vocabulary)
        return self._learn(vocabulary, joined, biases, callback)

    def _learn(
        self,
        vocabulary: Vocabulary,
        text: Text | ShardText,
        biases: Sequence[CodeBias],
        callback: Callable[..., Any] | None,
    ) -> WordClasses:
        check_states(self.classes, "classes", len(vocabulary))
        native = _start_exchange(text, self.classes, self.seed, biases)
        hooks: Hooks[_Pass, _Progress] = Hooks(
            None if callback is None else lambda progress: callback(*progress)
        )
        outcome = run_rounds(_passes(native), _report, hooks, limit=self.passes, unit="passes")
        self.vocabulary_, self.stopped_ = vocabulary, outcome.stopped
        self.classes_, self.log_likelihood_ = np.asarray(native.classes()), native.log_likelihood
        self.counts_ = np.bincount(text.words, minlength=text.n_words).astype(np.int32)
        return self

    def _domains(self, source: Corpora, target: Corpora | None) -> Domains:
        return Domains.of(source, target, self.column, self.classes)

    def annotate_cross_fitted(
        self, source: Corpora, target: Corpora | None = None, *, folds: int = 5, seed: int = 0
    ) -> Corpus:
        """The labelled training text with classes that have not seen its labels.

        For each part of the source classes are learned anew with that part's labels hidden, and
        renamed to be as like these as they can be.
        """
        domains = self._domains(source, target)
        column = cross_fit(self, domains, folds, seed)
        return domains.source.with_column(self.name, column)

    def by_word(self, corpora: Sequence[Corpus]) -> Floats:
        """How often words of a text have each class, [words x classes]."""
        text = join_text(corpora, self.column, self.vocabulary_)
        seen = np.bincount(text.words, minlength=text.n_words).astype(np.float64)
        return seen[:, None] * np.eye(self.classes)[self.classes_]

    def reorder(self, order: npt.NDArray[np.int64]) -> None:
        """Give the classes other numbers."""
        numbers = np.empty(len(order), np.int32)
        numbers[order] = np.arange(len(order), dtype=np.int32)
        self.classes_ = numbers[self.classes_]

    def class_of(self, word: str) -> int:
        """The number of a word's class."""
        self.check_fitted()
        return int(self.classes_[self.vocabulary_.number(word)])

    def typical_words(self, number: int, top: int = 10) -> list[tuple[str, float]]:
        """The most frequent words of a class, with their shares of its tokens."""
        self.check_fitted()
        words = np.flatnonzero(self.classes_ == number)
        counts = self.counts_[words]
        best = np.argsort(-counts, kind="stable")[:top]
        total = max(int(counts.sum()), 1)
        return [(self.vocabulary_.names[words[k]], float(counts[k] / total)) for k in best]

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        self.check_fitted()
        codes = self.classes_[self.vocabulary_.encode(corpus.column(self.column))]
        column = Column(codes, tuple(self.labels_))
        return {self.name: set_value(column, self.value)}

    def to_bytes(self) -> bytes:
        self.check_fitted()
        arrays = {
            "classes": self.classes_.astype(np.uint32),
            "counts": self.counts_.astype(np.uint32),
        }
        specs = [p.spec() for p in self.properties]
        facts = {
            "settings": {**self.get_params(deep=False), "properties": specs},
            "log_likelihood": self.log_likelihood_,
        }
        return to_bytes(self.kind, {**arrays, **vocabulary_arrays(self.vocabulary_)}, facts)

    @classmethod
    def load(cls, source: Source | ModelFile) -> WordClasses:
        """Classes from a file or from bytes."""
        with open_representation_file(source, cls.kind) as file:
            settings = dict(file.facts["settings"])
            made = cls(properties=restore_properties(settings.pop("properties", [])), **settings)
            made.vocabulary_ = read_vocabulary(file)
            n, k = len(made.vocabulary_), made.classes
            made.classes_ = file.numbers("classes", np.uint32, (n,), below=k).astype(np.int32)
            made.counts_ = file.numbers("counts", np.uint32, (n,), below=2**31).astype(np.int32)
            made.log_likelihood_ = float(file.facts["log_likelihood"])
            made.stopped_ = ""
        return made
