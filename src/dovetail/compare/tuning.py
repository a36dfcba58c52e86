"""Strengths of a representation, tried on development text: every point of a grid.

At each point the representation is learned, a tagger that reads it is trained, and the labels of
the development text are scored. Their likelihood is what points are judged by: it is less a matter
of chance than accuracy. The tagger alone is tried too, since a representation has to beat it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np

from dovetail import __version__
from dovetail.base.training import was_interrupted
from dovetail.chain.tagger import Tagger
from dovetail.compare.copies import describe_copies
from dovetail.compare.measures import (
    explained_entropy,
    label_entropy,
    label_likelihood,
    usage_distance,
)
from dovetail.compare.plan import Cell, Plan
from dovetail.compare.tuning_results import Point, name_point
from dovetail.corpus import Column, Corpus, SoftColumn, detect_scheme
from dovetail.errors import DataError
from dovetail.evaluate import evaluate
from dovetail.features import Template
from dovetail.features.sets import choose_feature_set
from dovetail.io.fingerprint import fingerprint
from dovetail.pipeline.train.representation_values import choose_value, groups_of
from dovetail.recipe.schema.representations import REPRESENTATION_KINDS
from dovetail.recipe.schema.values import POSITIVE
from dovetail.representation import Representation
from dovetail.representation.annotation import Value, resolve_value, set_value
from dovetail.representation.bias.registry import OFFERED, find_offer, reads_labels
from dovetail.representation.build import (
    Kind,
    make_representation,
    select_text,
    train_representation,
)
from dovetail.representation.plots import use_of_states

STRENGTHS = ("states", *OFFERED, "repel", "sigma", "layers", "value")
REUSED = ("layers", "value")  # fewer layers are the first of more, and values change no states
ALONE = "no representation"

Grid = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class TuningData:
    """Text to tune on.

    ``train`` and ``development`` are labelled text of the source, in the column ``label``;
    ``target`` is further text without labels. Words are in ``column``.
    """

    train: Corpus
    development: Corpus
    label: str
    column: str
    target: Corpus | None = None

    def __post_init__(self) -> None:
        wanted = (*self.train.names, self.label, self.column)
        for what, corpus in (("training", self.train), ("development", self.development)):
            odd = next((name for name in wanted if name not in corpus.names), None)
            if odd is not None:
                has = ", ".join(corpus.names)
                raise DataError(f"the {what} text has no column '{odd}'; it has {has}")
        if self.label == self.column:
            raise DataError(f"the column '{self.label}' cannot be both the words and their labels")
        if self.development.column(self.label).missing.any():
            raise DataError(
                f"the development text has tokens without a label in the column '{self.label}': "
                "leave out their sequences"
            )


@dataclass(frozen=True)
class Represented:
    """Labelled text with the columns of a representation at the value 1, and how often each of
    their states is used in the development text and in the target."""

    train: Corpus
    development: Corpus
    columns: tuple[str, ...]
    value: Value
    use: Mapping[str, Sequence[Any]]


class Tuning:
    """Every point of a grid of strengths, and the tagger alone, on the same text.

    ``grid`` has numbers for some of `STRENGTHS`; the others stay at their defaults. ``entropy`` is
    the weight of a bias by the labels of the training text, and columns of that text have then not
    seen them. ``settings`` are further ones of the representation.

    Give ``plan`` and ``work`` to `run`, and its results to
    `dovetail.compare.tuning_results.rank_results`.
    """

    at_once = 1  # the learning of one representation keeps all cores busy

    def __init__(
        self,
        kind: Kind,
        grid: Grid,
        data: TuningData,
        *,
        features: Template | None = None,
        c2: float = 1.0,
        threads: int | None = None,
        **settings: Any,
    ) -> None:
        self.kind: Kind = kind
        self.grid = {name: tuple(dict.fromkeys(grid[name])) for name in STRENGTHS if name in grid}
        self.data = data
        self.features = features or choose_feature_set(data.train, data.label)
        self.c2 = c2
        self.threads = threads
        self.settings = settings
        self._check()
        values = [self.grid[name] for name in self.grid]
        points = [dict(zip(self.grid, point, strict=True)) for point in product(*values)]
        self.points = {name_point(point) or kind: point for point in points}
        for point in points:
            self._build(point)  # better refused now than after an hour
        labels = [corpus.lists(data.label) for corpus in (data.train, data.development)]
        self._scheme = detect_scheme([*labels[0], *labels[1]])
        self._learn_once = lru_cache(maxsize=1)(self._learn)

    def __getstate__(self) -> dict[str, Any]:
        """Without what it has learnt, for workers elsewhere."""
        return {k: v for k, v in self.__dict__.items() if k != "_learn_once"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._learn_once = lru_cache(maxsize=1)(self._learn)

    @property
    def plan(self) -> Plan:
        """The tagger alone, and the points; the size is that of the training text, in tokens."""
        return Plan([ALONE, *self.points], 1, [self.data.train.n_tokens])

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on, but not of which points are wanted."""
        given = (self.kind, sorted(self.settings.items()), self.c2, self.features.spec())
        m = self.data
        texts = [m.train, m.development, *([] if m.target is None else [m.target])]
        parts = [part for text in texts for part in content_of(text)]
        return fingerprint(__version__, repr(given), m.label, m.column, *parts)

    @property
    def notes(self) -> list[str]:
        """What makes scores too good."""
        m = self.data
        found = describe_copies(m.train, m.development, m.column, "development text")
        return [found] if found else []

    def columns_of(self, point: Point) -> tuple[str, ...]:
        """The columns that the representation of a point writes."""
        return self._build(point).names_

    def work(self, cell: Cell) -> dict[str, Any]:
        """Learn the representation of a point, train a tagger that reads it, score it."""
        m = self.data
        if cell.system == ALONE:
            return {**self._train_and_score(m.train, m.development, self.features), "point": None}
        point = self.points[cell.system]
        made = self._learn_once(tuple((k, v) for k, v in point.items() if k not in REUSED))
        names = made.columns[: _layers(point)]
        value = point.get("value", made.value)
        train, development = (
            _add_columns(to, of, names, value)
            for to, of in ((m.train, made.train), (m.development, made.development))
        )
        own = [name for name in names if name not in self.features.columns]
        features = self.features.with_columns(*own)
        undecided = names if value == "auto" else ()
        return {
            **self._train_and_score(train, development, features, undecided),
            "point": point,
            "properties": self._properties(made, names),
        }

    def _check(self) -> None:
        """Refuse what does not go together, in one sentence."""
        known = REPRESENTATION_KINDS[self.kind]
        wanted = [(name, value) for name, values in self.grid.items() for value in values]
        for name, value in (*wanted, *self.settings.items()):
            key = "classes" if (self.kind, name) == ("classes", "states") else name
            if key not in known:
                raise DataError(f"{name} does not go with the kind {self.kind}")
            type = POSITIVE if key == "value" else known[key].type  # points are numbers
            if not type.accepts(value):
                raise DataError(f"{name} is {value}; give {type.words}")
        empty = next((name for name, values in self.grid.items() if not values), None)
        if empty is not None:
            raise DataError(f"the grid has no value of {empty}: give one, or leave it out")
        given = [key for key in OFFERED if key in self.grid]
        needy = next((key for key in given if find_offer(key).needs_target), None)
        if needy is not None and self.data.target is None:
            raise DataError(f"the {needy} of two domains needs text of the target: give some")
        if self.kind == "biased" and not given:
            raise DataError(f"a biased HMM needs a bias: give values of {' or '.join(OFFERED)}")

    def _build(self, point: Point) -> Representation:
        settings = {"column": self.data.column, **self.settings, **point}
        if self.kind != "classes":
            settings["threads"] = self.threads
        labels = self.data.label if reads_labels(point) else None
        made = make_representation(self.kind, labels=labels, **settings)
        twice = next((name for name in made.names_ if name in self.data.train.names), None)
        if twice is not None:
            raise DataError(
                f"the training text has a column '{twice}', as the representation would call its "
                "own: give it another name"
            )
        return made

    def _learn(self, setting: tuple[tuple[str, float], ...]) -> Represented:
        m, point = self.data, dict(setting)
        if "layers" in self.grid:
            point["layers"] = max(self.grid["layers"])
        made = self._build(point)
        model: Any = getattr(made, "pattern", made)
        value = model.value
        model.set_params(value=1.0)
        source = select_text([m.train], m.column, m.label if reads_labels(point) else None)
        target = None if m.target is None else select_text([m.target], m.column)
        check_completed(train_representation(made, source, target))
        if made.biased_by_:
            biased: Any = made
            train = biased.annotate_left_out(source, target)
        else:
            train = made.annotate(source)
        domains = [m.development, *([] if target is None else [target])]
        use = use_of_states(made, domains)
        return Represented(train, made.annotate(m.development), made.names_, value, use)

    def _train_and_score(
        self,
        train: Corpus,
        development: Corpus,
        features: Template,
        without_value: Sequence[str] = (),
    ) -> dict[str, Any]:
        label = self.data.label
        tagger = Tagger(features=features, c2=self.c2, threads=self.threads)
        if without_value:  # chosen as a pipeline does
            found = choose_value(tagger.get_params(), train, label, without_value).value
            tagger.set_params(groups=groups_of(features, without_value, found))
        check_completed(tagger.fit(train, label=label))
        report = evaluate(development.lists(label), tagger.predict(development), self._scheme)
        scores = report.micro
        overall = {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1}
        return {
            "overall": overall,
            "types": {},
            "n_train": len(train),
            "n_test": len(development),
            "likelihood": label_likelihood(tagger, development, label),
            "accuracy": report.accuracy,
            "spans": report.kind == "spans",
        }

    def _properties(self, made: Represented, names: Sequence[str]) -> dict[str, float | None]:
        use = [made.use[name] for name in names]
        apart = None
        if self.data.target is not None:
            apart = usage_distance([[own[0] for own in use]], [[own[1] for own in use]])
        return {
            "entropy": label_entropy(made.development, names, self.data.label),
            "distance": apart,
            "predict": explained_entropy(made.development, names),
        }


def _layers(point: Point) -> int | None:
    return int(point["layers"]) if "layers" in point else None


def _add_columns(to: Corpus, of: Corpus, names: Sequence[str], value: Value) -> Corpus:
    """A corpus with columns of another one, whose features have a value."""
    for name in names:
        to = to.with_column(name, _weigh_column(of.column(name), value))
    return to


def _weigh_column(column: Column, value: Value) -> Column:
    if isinstance(column, SoftColumn):
        return SoftColumn.of(column.levels, np.float32(resolve_value(value)) * column.weights)
    return set_value(column, value)


def check_completed(trained: Any) -> None:
    """Trainings keep what there is after Ctrl-C; a point that is tried needs all of one."""
    if was_interrupted(trained.stopped_):
        raise KeyboardInterrupt


def content_of(corpus: Corpus) -> Iterator[bytes | str]:
    """All that a corpus holds."""
    for name, column in corpus.columns.items():
        yield from (name, repr(column.levels), column.codes.tobytes())
        if isinstance(column, SoftColumn):
            yield column.weights.tobytes()
    for array in (corpus.bounds, corpus.document_bounds, corpus.offsets):
        yield b"" if array is None else array.tobytes()
    yield repr(corpus.texts)
