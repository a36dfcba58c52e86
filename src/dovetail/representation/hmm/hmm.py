"""A hidden Markov model over words, whose states represent them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from dovetail.base.cluster import open_executor, refuse_cluster
from dovetail.base.representation import Representation
from dovetail.cores import count_cores
from dovetail.corpus import Column, Corpus, Shards, SoftColumn
from dovetail.errors import DataError
from dovetail.io.model_file import ModelFile, Source
from dovetail.representation.annotation import (
    Corpora,
    Value,
    check_corpora,
    check_states,
    check_value,
    join_text,
    resolve_value,
    set_value,
)
from dovetail.representation.hmm.em import Rule, Stepwise, batch_em
from dovetail.representation.hmm.file import read_hmm, write_hmm
from dovetail.representation.hmm.inference import Costs, Engine
from dovetail.representation.hmm.parameters import Parameters, Update
from dovetail.representation.hmm.shards import shard_em
from dovetail.representation.hmm.starts import Start
from dovetail.representation.hmm.steps import Callback, Memory, Progress, Step
from dovetail.representation.hmm.training import FitOptions, train_hmm, train_on_text
from dovetail.representation.shards import ShardText, open_text
from dovetail.representation.text import Floats, Ints, Text
from dovetail.representation.vocabulary import Rare, Vocabulary

LEAST = 0.01  # states less probable than this make no feature


class HMM(Representation):
    """A hidden Markov model over words; each token's states are features for taggers.

    Parameters
    ----------
    states
        How many.
    column, name
        The column that it reads, and the one that it writes.
    start
        ``classes``: from exchange classes; or ``random``.
    update, prior
        How emissions are estimated: ``bayes`` (variational Bayes with a Dirichlet prior) or ``em``.
    rounds, tolerance
        EM ends after so many rounds, or when the likelihood changes by less, relative to it.
    batch, decay
        Stepwise EM with so many sequences a step; by default the whole text. See `Stepwise`.
    min_count, rare
        Which words are told apart, see `Vocabulary`.
    soft, value
        Whether the column has probabilities of states or the best ones, and what its features'
        values are multiplied by. ``auto``: by 1, and what they count is chosen where a tagger that
        reads them is trained in a pipeline.
    precision
        ``double`` is slower and exact to some ten digits.
    threads
        Threads to use, by default all cores. Results do not depend on it.

    Examples
    --------
    >>> text = [["the", "cat", "sat"], ["the", "dog", "ran"], ["a", "cat", "ran"]]
    >>> hmm = HMM(3, min_count=1).fit(Corpus.from_lists({"word": text}))
    >>> states = hmm.best_states(Corpus.from_lists({"word": [["a", "dog", "sat"]]}))
    >>> len(set(states.tolist()))
    3
    """

    kind = "hidden Markov model"
    fitted_by = "parameters_"

    vocabulary_: Vocabulary
    parameters_: Parameters
    history_: list[Progress]
    stopped_: str

    def __init__(
        self,
        states: int = 80,
        *,
        column: str = "word",
        name: str = "state",
        start: Start = "classes",
        update: Update = "bayes",
        prior: float = 0.01,
        rounds: int = 20,
        tolerance: float = 1e-4,
        batch: int | None = None,
        decay: float = 0.7,
        min_count: int = 2,
        rare: Rare = "form",
        soft: bool = True,
        value: Value = "auto",
        precision: Literal["single", "double"] = "single",
        threads: int | None = None,
        seed: int = 0,
    ) -> None:
        self.states = states
        self.column = column
        self.name = name
        self.start = start
        self.update = update
        self.prior = prior
        self.rounds = rounds
        self.tolerance = tolerance
        self.batch = batch
        self.decay = decay
        self.min_count = min_count
        self.rare = rare
        self.soft = soft
        self.value = value
        self.precision = precision
        self.threads = threads
        self.seed = seed
        self._check_parameters()

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_states(self.states, "states")
        check_value(self.value)
        for name, choices in (
            ("start", get_args(Start)),
            ("update", ("bayes", "em")),
            ("precision", ("single", "double")),
        ):
            if getattr(self, name) not in choices:
                raise DataError(
                    f"{name} is '{getattr(self, name)}'; choose from {', '.join(choices)}"
                )
        if not (np.isfinite(self.prior) and self.prior > 0):
            raise DataError(f"prior is {self.prior}; give a number above 0")
        if self.rounds < 1 or (self.batch is not None and self.batch < 1):
            raise DataError("rounds and batch must be at least 1")

    # Training

    def fit(
        self,
        data: Corpora | Shards,
        *,
        held_out: Corpora | None = None,
        patience: int = 3,
        warm_start: HMM | Source | None = None,
        resume: Source | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        callback: Callback | None = None,
        cluster: Any = None,
    ) -> HMM:
        """Learn from the words of one corpus or several, or of one on disk.

        With ``held_out`` text the round that makes it most likely is kept, and ``patience`` rounds
        without a better one end the training. ``warm_start`` begins with an earlier model, also
        where words have changed. ``checkpoint`` names a file that is rewritten as training goes on;
        ``resume`` goes on with one as if it had never ended, on the same text; only the scores of
        ``held_out`` text begin anew. ``callback`` is called with a `Progress` after every round and
        may return True to stop. Ctrl-C ends the training with what there is. The parts of a corpus
        on disk are worked on one after another or, where one is given, by the workers of
        ``cluster``, a Dask client; the model has the same bits.
        """
        options = FitOptions(held_out, patience, warm_start, resume, checkpoint, callback)
        if isinstance(data, Shards):
            self._fit_shards(data, options, cluster)
            return self
        refuse_cluster(cluster)
        train_hmm(self, check_corpora(data, self.column), options, self._steps)
        return self

    def _fit_shards(self, shards: Shards, options: FitOptions, cluster: Any) -> None:
        if type(self)._steps is not HMM._steps or self.batch is not None:
            raise DataError(
                "biases and stepwise EM need text that memory holds: a corpus on disk is for a "
                "plain HMM without batch"
            )
        with open_executor(cluster, self.threads) as executor:
            vocabulary, text = open_text(
                shards, self.column, executor, min_count=self.min_count, rare=self.rare
            )

            def steps(text: ShardText, at: Parameters, _: Memory, __: int) -> Iterator[Step]:
                return shard_em(text, self.engine, self.rule, at)

            try:
                train_on_text(self, vocabulary, text, options, steps)
            finally:
                text.close()

    def _steps(self, text: Text, at: Parameters, memory: Memory, done: int) -> Iterator[Step]:
        if self.batch is None:
            return batch_em(text, self.engine, self.rule, at)
        stepwise = Stepwise(self.batch, self.decay, self.seed)
        return stepwise.rounds(text, self.engine, self.rule, at, done, memory)

    @property
    def engine(self) -> Engine:
        """How its recursions are run."""
        threads = self.threads or count_cores()
        return Engine(self.precision == "double", threads)

    @property
    def rule(self) -> Rule:
        """How counts become its parameters."""
        return Rule(self.update, self.prior)

    # Using it

    @property
    def labels_(self) -> list[str]:
        return [f"s{k}" for k in range(self.states)]

    @property
    def for_decoding(self) -> Parameters:
        """Its parameters as decoding uses them."""
        return self.parameters_.for_decoding()

    def _text(self, corpus: Corpus) -> Text:
        return join_text([corpus], self.column, self.vocabulary_)

    def best_states(self, corpus: Corpus) -> Ints:
        """The best states of all tokens (Viterbi), by number."""
        at = self.for_decoding
        return self.engine.best_states(self._text(corpus), at)

    def marginals(self, corpus: Corpus) -> npt.NDArray[np.floating[Any]]:
        """Probabilities of states, [tokens x states]."""
        at = self.for_decoding
        return self.engine.marginals(self._text(corpus), at)

    def log_likelihood(self, corpus: Corpus) -> float:
        """Of the words of a corpus, in nats a token."""
        at, text = self.for_decoding, self._text(corpus)
        if not text.n_tokens:
            raise DataError("there are no tokens to measure the likelihood of")
        return self.engine.log_likelihood(text, at) / text.n_tokens

    def word_marginals(self, corpus: Corpus) -> Floats:
        """Probabilities of states for each word of the vocabulary, averaged over its tokens in a
        corpus, [words x states]; 0 for words that it does not have."""
        at = self.for_decoding
        counts = self.engine.expected(self._text(corpus), at).counts.emissions
        totals = counts.sum(axis=1, keepdims=True)
        return np.asarray(counts / np.where(totals > 0, totals, 1.0))

    def typical_words(self, state: int, top: int = 10) -> list[tuple[str, float]]:
        """The most probable words of a state, with their probabilities."""
        column = self.for_decoding.emissions[:, state]
        best = np.argsort(-column, kind="stable")[:top]
        return [(self.vocabulary_.names[word], float(column[word])) for word in best.tolist()]

    def columns(self, corpus: Corpus) -> dict[str, Column]:
        at = self.for_decoding
        return {self.name: self.column_of(self._text(corpus), at)}

    def column_of(self, text: Text, at: Parameters, costs: Costs | None = None) -> Column:
        """The column that it writes for a text, under parameters and costs."""
        if not self.soft:
            states = self.engine.best_states(text, at, costs)
            return set_value(Column(states, tuple(self.labels_)), self.value)
        weights = self.engine.marginals(text, at, costs)
        weights[weights < LEAST] = 0.0
        return SoftColumn.of(self.labels_, resolve_value(self.value) * weights)

    # Keeping it

    memory_: Memory
    rounds_: int

    def to_bytes(self) -> bytes:
        self.check_fitted()
        return write_hmm(self)

    def _saved_parameters(self) -> dict[str, Any]:
        return {**self.get_params(deep=False), "threads": None}

    @classmethod
    def _restored_parameters(cls, saved: dict[str, Any]) -> dict[str, Any]:
        return saved

    @classmethod
    def load(cls, source: Source | ModelFile, *, threads: int | None = None) -> Self:
        """A model from a file or from bytes."""
        made: Self = read_hmm(cls, source, threads)
        return made
