"""Parameters of a tagger, tried by cross-validation or on development text: every point of a grid.

What is tuned are the penalties, the feature set and the span scheme that labels are written in.
Points are judged by the likelihood of labels, as representations are. The defaults are tried too,
since a choice has to beat them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import product
from typing import Any, NamedTuple

from dovetail import __version__
from dovetail.chain.cross_validation import MOST_TOKENS
from dovetail.chain.tagger import Tagger
from dovetail.compare.copies import (
    describe_copies,
    describe_groups,
    group_units,
    unit_bounds,
    unit_texts,
)
from dovetail.compare.plan import Cell, Plan
from dovetail.compare.splits import draw_folds
from dovetail.compare.tuning import check_completed, content_of
from dovetail.compare.tuning_results import Point, name_point
from dovetail.cores import count_cores
from dovetail.corpus import Corpus, detect_scheme
from dovetail.corpus.schemes import Scheme, write_in_scheme
from dovetail.errors import DataError
from dovetail.evaluate import evaluate
from dovetail.features import Dataset, Template
from dovetail.io.fingerprint import fingerprint

TUNED = ("c1", "c2", "features", "scheme")
SCHEMES: tuple[Scheme, ...] = ("IOB1", "IOB2", "IOBES")
DEFAULTS = "defaults"
FOLDS = 5


@dataclass(frozen=True)
class LabelledText:
    """Text to train on, with labels in a column, and, unless there is to be cross-validation, other
    text to choose on. Words are in ``column``."""

    train: Corpus
    development: Corpus | None
    label: str
    column: str

    def __post_init__(self) -> None:
        for what, corpus in (("training", self.train), ("development", self.development)):
            if corpus is None:
                continue
            for name in (self.label, self.column):
                if name not in corpus.names:
                    has = ", ".join(corpus.names)
                    raise DataError(f"the {what} text has no column '{name}'; it has {has}")
            if corpus.column(self.label).missing.any():
                raise DataError(
                    f"the {what} text has tokens without a label in the column '{self.label}': "
                    "leave out their sequences"
                )


class Part(NamedTuple):
    """Which sequences are trained on, what is scored, and which sequences of that have labels that
    are known whatever the scheme, so that likelihoods can be compared."""

    train: list[int]
    test: Corpus
    comparable: list[int]


class TaggerTuning:
    """Every point of a grid of parameters, and the defaults, on the same folds or the same text.

    ``grid`` has values of some of `TUNED`; ``features`` has the template of each name that the grid
    has, None for the default set. Without development text the training text is divided into
    ``folds``; with ``group_copies``, near copies of a text are in one fold.

    Give ``plan`` and ``work`` to `run`, and its results to
    `dovetail.compare.tuning_results.rank_results`.
    """

    kind = "tagger"

    def __init__(
        self,
        grid: Mapping[str, Sequence[Any]],
        data: LabelledText,
        *,
        features: Mapping[str, Template | None] | None = None,
        folds: int = FOLDS,
        group_copies: bool = False,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.grid = {name: tuple(dict.fromkeys(grid[name])) for name in TUNED if name in grid}
        self.data = data
        self.features = dict(features or {})
        self.folds = folds
        self.group_copies = group_copies
        self.seed = seed
        self.threads = threads
        self._bounds, self.unit = unit_bounds(data.train)
        self._given_scheme = detect_scheme(data.train.lists(data.label))
        self._check()
        values = [self.grid[name] for name in self.grid]
        points = [dict(zip(self.grid, point, strict=True)) for point in product(*values)]
        self.points: dict[str, Point] = {name_point(point): point for point in points if point}
        self._fold_of = None if data.development is not None else self._draw_folds()
        self._part_once = lru_cache(maxsize=2)(self._part)
        self._index_once = cache(self._index)

    def __getstate__(self) -> dict[str, Any]:
        """Without what it has computed, for workers elsewhere."""
        computed = ("_part_once", "_index_once")
        return {k: v for k, v in self.__dict__.items() if k not in computed}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._part_once = lru_cache(maxsize=2)(self._part)
        self._index_once = cache(self._index)

    @property
    def plan(self) -> Plan:
        """The defaults, and the points, on each fold."""
        n_splits = 1 if self._fold_of is None else self.folds
        return Plan([DEFAULTS, *self.points], n_splits, [self.data.train.n_tokens])

    @property
    def fingerprint(self) -> str:
        """Of all that results depend on, but not of which points are wanted."""
        m = self.data
        texts = [m.train, *([] if m.development is None else [m.development])]
        templates = {name: one and one.spec() for name, one in sorted(self.features.items())}
        how = (self.kind, repr(templates), repr(self._fold_of))
        parts = [part for text in texts for part in content_of(text)]
        return fingerprint(__version__, *how, m.label, m.column, str(self.seed), *parts)

    @property
    def notes(self) -> list[str]:
        """What makes scores too good."""
        m = self.data
        if m.development is not None:
            found = describe_copies(m.train, m.development, m.column, "development text")
        elif self.group_copies:
            found = None
        else:
            texts, groups = self._copies()
            found = describe_groups(groups, texts, self.unit)
            found = found and f"{found}; --group-copies prevents it"
        return [found] if found else []

    @property
    def at_once(self) -> int:
        """How many trainings there should be at a time."""
        small = self.data.train.n_tokens <= MOST_TOKENS
        return (self.threads or count_cores()) if small else 1

    def work(self, cell: Cell) -> dict[str, Any]:
        """Train a tagger with the parameters of a point, and score it."""
        point = self.points.get(cell.system, {})
        part = self._part_once(cell.split)
        scheme = point.get("scheme", self._given_scheme)
        penalties: dict[str, Any] = {name: point[name] for name in ("c1", "c2") if name in point}
        features = str(point.get("features"))
        tagger = Tagger(
            features=self.features.get(features),
            threads=self.threads if self.at_once == 1 else 1,
            seed=self.seed,
            **penalties,
        )
        indexed = self._index_once(scheme, features)
        check_completed(tagger.fit(indexed.select(part.train)))
        label = self.data.label
        test = self._in_scheme(part.test, scheme)
        report = evaluate(test.lists(label), tagger.predict(test))
        scores, scored = report.micro, test.select(part.comparable)
        labels: list[Any] = scored.lists(label)
        return {
            "overall": {"precision": scores.precision, "recall": scores.recall, "f1": scores.f1},
            "types": {},
            "n_train": len(part.train),
            "n_test": len(test),
            "n_tokens": scored.n_tokens,
            "likelihood": sum(tagger.log_likelihood(scored, labels)) / scored.n_tokens,
            "accuracy": report.accuracy,
            "spans": report.kind == "spans",
            "point": point or None,
        }

    def _index(self, scheme: Any, features: str) -> Dataset:
        """The training text by some features, with labels in a scheme."""
        train = self._in_scheme(self.data.train, scheme)
        return Tagger(features=self.features.get(features)).index(train, label=self.data.label)

    def _part(self, split: int) -> Part:
        m = self.data
        if self._fold_of is None:
            assert m.development is not None
            train, test = list(range(len(m.train))), m.development
        else:
            train, held_out = (
                [
                    s
                    for unit, fold in enumerate(self._fold_of)
                    if (fold == split) is tested
                    for s in range(int(self._bounds[unit]), int(self._bounds[unit + 1]))
                ]
                for tested in (False, True)
            )
            test = m.train.select(held_out)
        comparable = set(range(len(test)))
        for scheme in SCHEMES if self._given_scheme != "none" else (self._given_scheme,):
            known = set(self._in_scheme(m.train.select(train), scheme).column(m.label).levels)
            labels = self._in_scheme(test, scheme).lists(m.label)
            comparable &= {s for s, own in enumerate(labels) if known.issuperset(own)}
        if not any(len(test[s]) for s in comparable):
            raise DataError("every sequence to choose on has labels that were not trained")
        return Part(train, test, sorted(comparable))

    def _in_scheme(self, corpus: Corpus, scheme: Any) -> Corpus:
        labels: list[Any] = corpus.lists(self.data.label)
        return corpus.with_column(self.data.label, write_in_scheme(labels, scheme))

    def _copies(self) -> tuple[list[str], list[int]]:
        texts = unit_texts(self.data.train, self.data.column, self._bounds)
        return texts, group_units(texts)

    def _draw_folds(self) -> list[int]:
        n = len(self._bounds) - 1
        if n < self.folds:
            raise DataError(
                f"{n} {self.unit} cannot be divided into {self.folds} folds: give fewer folds, or "
                "development text"
            )
        groups = self._copies()[1] if self.group_copies else None
        return draw_folds(n, self.folds, groups=groups, seed=self.seed)

    def _check(self) -> None:
        """Refuse what does not go together, in one sentence."""
        empty = next((name for name, values in self.grid.items() if not values), None)
        if empty is not None:
            raise DataError(f"the grid has no value of {empty}: give one, or leave it out")
        for name in self.grid.get("scheme", ()):
            if name not in SCHEMES:
                raise DataError(f"there is no scheme '{name}'; choose from {', '.join(SCHEMES)}")
        if "scheme" in self.grid and self._given_scheme == "none":
            raise DataError(
                f"the labels of the column '{self.data.label}' are no spans: leave out scheme"
            )
        missing = [name for name in self.grid.get("features", ()) if name not in self.features]
        if missing:
            raise DataError(f"the features '{missing[0]}' have no template: give one")
        if self.folds < 2:
            raise DataError(f"there cannot be {self.folds} folds; give at least 2")
