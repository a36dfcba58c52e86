"""Hidden Markov models whose states are biased: towards a task, a domain, or something new."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from dovetail.base.cluster import refuse_cluster
from dovetail.corpus import Corpus, Shards
from dovetail.errors import DataError
from dovetail.io.model_file import Source
from dovetail.representation.annotation import Corpora, in_memory, join_text
from dovetail.representation.bias.property import Domains, Property, Scaling
from dovetail.representation.bias.registry import (
    check_properties,
    find_label_columns,
    restore_properties,
)
from dovetail.representation.bias.token_cost import TokenCost
from dovetail.representation.cross_fitting import cross_fit
from dovetail.representation.hmm.biased.em import BiasedEM, BiasState
from dovetail.representation.hmm.biased.leave_out import decode_left_out
from dovetail.representation.hmm.hmm import HMM
from dovetail.representation.hmm.inference import Costs
from dovetail.representation.hmm.parameters import Parameters
from dovetail.representation.hmm.steps import Callback, Memory, Step
from dovetail.representation.hmm.training import FitOptions, train_hmm
from dovetail.representation.text import Floats, Text


class BiasedHMM(HMM):
    """A hidden Markov model trained with a posterior that has little of some properties.

    The E-step's distribution q is the nearest to the model's posterior among those with small
    expected properties (posterior regularisation; Huang and Yates 2012). Each round reports what
    the properties are under q; a weight of 0 only measures one.

    With `Entropy`, states of the labelled text have seen its labels, and a tagger that is trained
    on them trusts them too much: give it the columns of `annotate_left_out` or
    `annotate_cross_fitted` instead.

    Parameters
    ----------
    states
        How many.
    properties
        `Entropy`, `Distance`, `Predict` and `TokenCost`, alone or together.
    sigma
        Radius of the ball in which the multipliers of all properties lie together, their weights
        being those of the norm; by default each is bounded by its own weight.
    scaling
        ``token``: properties are sums over tokens, and a multiplier means the same for any amount
        of text; ``mean``: means over tokens; ``paper``: as Huang and Yates print them, weights
        being the diagonal of their A (1 for `Entropy`, alpha for `Distance`, beta for `Predict`).
        The last two need a sigma.
    ramp
        Rounds until biases have their full strength.
    evaluations
        With ``sigma``, E-steps a round that climb the dual.
    The others are those of `HMM`.

    Examples
    --------
    >>> from dovetail.representation import Distance, Entropy
    >>> news = Corpus.from_lists({"word": [["a", "cat", "sat"]] * 4, "pos": [["D", "N", "V"]] * 4})
    >>> novel = Corpus.from_lists({"word": [["the", "cat", "ran"]] * 4})
    >>> hmm = BiasedHMM(3, [Entropy("pos"), Distance()], min_count=1, rounds=5).fit(news, novel)
    >>> sorted(hmm.history_[-1].properties)
    ['distance', 'entropy']
    """

    kind = "biased hidden Markov model"

    def __init__(
        self,
        states: int = 80,
        properties: Sequence[Property | TokenCost] = (),
        *,
        sigma: float | None = None,
        scaling: Scaling = "token",
        ramp: int = 5,
        evaluations: int = 3,
        **parameters: Any,
    ) -> None:
        self.properties = tuple(properties)
        self.sigma = sigma
        self.scaling = scaling
        self.ramp = ramp
        self.evaluations = evaluations
        super().__init__(states, **parameters)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_properties(self.properties)
        if self.sigma is not None and not (np.isfinite(self.sigma) and self.sigma > 0):
            raise DataError(f"sigma is {self.sigma}; give a number above 0")
        if self.scaling not in get_args(Scaling):
            names = ", ".join(get_args(Scaling))
            raise DataError(f"scaling is '{self.scaling}'; choose from {names}")
        if self.scaling != "token" and self.sigma is None:
            raise DataError(f"the scaling '{self.scaling}' needs a sigma, such as 100")
        for name, least in (("ramp", 0), ("evaluations", 1)):
            if getattr(self, name) < least:
                raise DataError(f"{name} is {getattr(self, name)}; give at least {least}")
        if self.batch is not None:
            raise DataError("stepwise EM takes no properties: leave out batch")

    def fit(
        self,
        source: Corpora | Shards,
        target: Corpora | None = None,
        *,
        held_out: Corpora | None = None,
        patience: int = 3,
        warm_start: HMM | Source | None = None,
        resume: Source | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        callback: Callback | None = None,
        cluster: Any = None,
    ) -> BiasedHMM:
        """Learn from text of the source, labelled where a property needs that, and of the target.

        The other arguments are those of `HMM.fit`.
        """
        refuse_cluster(cluster)
        domains = self.domains(in_memory(source), target)
        options = FitOptions(held_out, patience, warm_start, resume, checkpoint, callback)
        biases, each = self.biases(domains)

        def steps(text: Text, at: Parameters, memory: Memory, done: int) -> Iterator[Step]:
            em = BiasedEM(self.sigma, self.ramp, self.evaluations)
            state = BiasState.restore(biases, each, memory)
            return em.rounds(text, self.engine, self.rule, at, state, done)

        at_start = [bias for bias in biases if bias.biases_start and self.sigma is None]
        class_biases = [each for bias in at_start for each in bias.class_biases]
        train_hmm(self, domains.corpora, options, steps, class_biases)
        return self

    @property
    def biased_by_(self) -> tuple[str, ...]:
        return find_label_columns(self.properties)

    def domains(self, source: Corpora, target: Corpora | None) -> Domains:
        """The text of both domains, checked."""
        return Domains.of(source, target, self.column, self.states, self.scaling)

    def biases(self, domains: Domains) -> tuple[list[Any], Any]:
        """The declared properties over a text: coded ones, and costs of single tokens."""
        declared = self.properties
        coded = [p.bias(domains) for p in declared if isinstance(p, Property)]
        names = [bias.name for bias in coded]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise DataError(f"the property '{twice}' is given twice")
        own = [p.matrix(domains) for p in declared if isinstance(p, TokenCost)]
        return coded, sum(own[1:], own[0]) if own else None

    def annotate_left_out(self, source: Corpora, target: Corpora | None = None) -> Corpus:
        """The labelled training text with columns that have not seen its labels.

        Each sequence is decoded by the emissions that the rest of the text would have given: its
        own expected counts are taken out. Both corpora are those of the training.
        """
        domains = self.domains(source, target)
        column = decode_left_out(self, domains)
        return domains.source.with_column(self.name, column)

    def annotate_cross_fitted(
        self,
        source: Corpora,
        target: Corpora | None = None,
        *,
        folds: int = 5,
        seed: int = 0,
    ) -> Corpus:
        """The same by training anew for each part of the source, with that part's labels hidden.

        It takes ``folds`` trainings. Their states are renamed to be as like these as they can be.
        """
        domains = self.domains(source, target)
        column = cross_fit(self, domains, folds, seed)
        return domains.source.with_column(self.name, column)

    def by_word(self, corpora: Sequence[Corpus]) -> Floats:
        """How often words of a text are expected in each state, [words x states]."""
        text = join_text(corpora, self.column, self.vocabulary_)
        at = self.for_decoding
        return self.engine.expected(text, at, Costs()).counts.emissions

    def reorder(self, order: npt.NDArray[np.int64]) -> None:
        """Give the states other numbers."""
        self.parameters_ = self.for_decoding.reorder(order)

    def _saved_parameters(self) -> dict[str, Any]:
        specs = [p.spec() for p in self.properties]
        return {**super()._saved_parameters(), "properties": specs}

    @classmethod
    def _restored_parameters(cls, saved: dict[str, Any]) -> dict[str, Any]:
        return {**saved, "properties": restore_properties(saved["properties"])}
