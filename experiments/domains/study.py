"""One representation a system and seed, one tagger that reads it, tested on every domain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import mean
from typing import Any

from dovetail import Corpus, Tagger, Template, __version__
from dovetail.compare import Cell, Plan, fingerprint, measures
from dovetail.corpus import Scheme
from dovetail.evaluate import Report, evaluate
from experiments.domains.data import DomainData
from experiments.domains.systems import (
    AROUND,
    Recipe,
    Represented,
    System,
    reading,
    represented,
)
from experiments.readers.genres import WORD

TOLERANCE = 1e-2
STATES = 80


@dataclass(frozen=True)
class Arm:
    """A system as a recipe has it."""

    system: System
    recipe: Recipe


class DomainStudy:
    """Systems on the same data, which ``make`` gives for a seed.

    All that is chosen is chosen by the likelihood of development data of the source, which is less
    a matter of chance than its accuracy: the penalty, one of ``penalties``, for the tagger alone;
    the value of states for each system. ``data_fingerprint`` stands for the
    data.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[int], DomainData],
        arms: Mapping[str, Arm],
        *,
        n_seeds: int,
        penalties: Sequence[float],
        data_fingerprint: str,
        scheme: Scheme = "none",
        states: int = STATES,
    ) -> None:
        self.name = name
        self.arms = dict(arms)
        self.n_seeds = n_seeds
        self.penalties = tuple(penalties)
        self.data_fingerprint = data_fingerprint
        self.scheme: Scheme = scheme
        self.states = states
        self.data = lru_cache(maxsize=1)(make)
        self._penalty = lru_cache(maxsize=1)(self._chosen_penalty)
        self._represented = lru_cache(maxsize=1)(self._learned)

    @property
    def plan(self) -> Plan:
        """Systems x seeds; the size is that of the labelled text, in tokens."""
        return Plan(list(self.arms), self.n_seeds, [self.data(0).train.n_tokens])

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on."""
        settings = (self.arms, self.penalties, self.scheme, self.states, TOLERANCE)
        return fingerprint(__version__, self.name, repr(settings), self.data_fingerprint)

    def shares(self, cell: Cell) -> Hashable:
        """A representation is one system's."""
        return cell.split, cell.system.removesuffix(AROUND)

    def work(self, cell: Cell) -> dict[str, Any]:
        """Learn one system's representation, train its tagger, test it on all domains."""
        seed, recipe = cell.split, self.arms[cell.system].recipe
        data, c2 = self.data(seed), self._penalty(seed)
        made = self._represented(seed, cell.system.removesuffix(AROUND))
        around = cell.system.endswith(AROUND)

        def tagger(value: float) -> Tagger:
            features = reading(data.features, made.columns, value, around=around)
            return self._fitted(made.train, data.label, features, c2)

        taggers = {v: tagger(v) for v in (recipe.values if made.columns else (1.0,))}
        value = max(
            taggers,
            key=lambda value: measures.label_likelihood(
                taggers[value], made.development, data.label
            ),
        )
        at_home = self._report(taggers[value], made.development, data.label)
        return {
            **self._tested(data, made, taggers[value]),
            "development": at_home.micro.f1,
            "value": value if made.columns else None,
            "c2": c2,
            "n_train": len(data.train),
            "n_test": sum(map(len, data.tests.values())),
        }

    def _chosen_penalty(self, seed: int) -> float:
        data = self.data(seed)

        def fitness(c2: float) -> float:
            tagger = self._fitted(data.train, data.label, data.features, c2)
            return measures.label_likelihood(tagger, data.development, data.label)

        return max(self.penalties, key=fitness)

    def _learned(self, seed: int, name: str) -> Represented:
        arm = self.arms[name]
        return represented(self.data(seed), arm.system, arm.recipe, seed=seed, states=self.states)

    def _fitted(self, train: Corpus, label: str, features: Template, c2: float) -> Tagger:
        constraints: Any = None if self.scheme == "none" else self.scheme
        tagger = Tagger(
            features=features, c2=c2, tolerance=TOLERANCE, constraints=constraints, threads=1
        )
        return tagger.fit(train, label=label)

    def _report(self, tagger: Tagger, corpus: Corpus, label: str) -> Report:
        return evaluate(corpus.lists(label), tagger.predict(corpus), self.scheme)

    def _tested(self, data: DomainData, made: Represented, tagger: Tagger) -> dict[str, Any]:
        """Scores by domain and their mean; the properties of the representation."""
        known = {word for sentence in data.train.lists(WORD) for word in sentence}
        types: dict[str, dict[str, float]] = {}
        used = []
        for name, test in data.tests.items():
            corpus = made.annotate(test)
            predicted = tagger.predict(corpus)
            report = evaluate(corpus.lists(data.label), predicted, self.scheme)
            types[name] = _scores(report)
            if self.scheme == "none":
                types[name]["unseen"] = _unseen(corpus, data.label, predicted, known)
            if made.columns:
                used.append(measures.state_usage(corpus, made.columns))
        out: dict[str, Any] = {"overall": _means(types), "types": types}
        if made.columns:
            at_home = measures.state_usage(made.development, made.columns)
            out["properties"] = {
                "entropy": measures.label_entropy(made.development, made.columns, data.label),
                "distance": measures.usage_distance([at_home], used),
                "predict": measures.explained_entropy(made.development, made.columns),
                **made.properties,
            }
        return out


def _scores(report: Report) -> dict[str, float]:
    own = report.micro
    counts = {"right": own.tp, "tokens": report.n_tokens} if report.kind == "tokens" else {}
    return {"precision": own.precision, "recall": own.recall, "f1": own.f1, **counts}


def _means(types: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    first = next(iter(types.values()))
    names = [name for name in first if name not in ("right", "tokens")]
    return {name: mean(own[name] for own in types.values()) for name in names}


def _unseen(
    corpus: Corpus, label: str, predicted: Sequence[Sequence[str]], known: set[str | None]
) -> float:
    """The accuracy on words that the labelled text does not have."""
    right = [
        gold == found
        for words, golds, founds in zip(
            corpus.lists(WORD), corpus.lists(label), predicted, strict=True
        )
        for word, gold, found in zip(words, golds, founds, strict=True)
        if word not in known
    ]
    return mean(right) if right else 0.0
