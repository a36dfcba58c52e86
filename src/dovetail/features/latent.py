"""Templates over latent columns, whose values are not known yet.

A column that another tagger writes need not be known when the features of its reader are scored:
the reader's scores are then worked out for every label that the column may have.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.features.attributes import Attribute, Row
from dovetail.features.derived import Derived

if TYPE_CHECKING:
    from dovetail.corpus import Corpus
    from dovetail.features.template import Template

Scores = npt.NDArray[np.float64]


class LatentScores(NamedTuple):
    """Scores of the labels of a tagger that reads latent columns.

    ``node`` [tokens x labels] does not depend on latent columns. ``cotemporal`` holds, by the names
    of the columns, what depends on their labels at the token itself:
    [tokens x their labels ... x labels]. ``lagged`` holds what depends on a column's label at the
    token before. ``transitions`` into each token [tokens x labels x labels] are present if features
    weigh on transitions that read no latent column. ``conditioned`` holds what others add to the
    transitions, given the columns' labels at the token: [tokens x their labels ... x labels x
    labels], or without tokens where all are alike.
    """

    node: Scores
    transitions: Scores | None
    cotemporal: dict[tuple[str, ...], Scores]
    lagged: dict[str, Scores]
    conditioned: dict[tuple[str, ...], Scores]


class LatentTemplate:
    """A template, its rows sorted by how they read the latent columns.

    Rows that read them at their own token become cotemporal factors, or, where they weigh on
    transitions, conditioned transitions; rows on labels that read a single latent column at the
    token before become lagged factors. All others read the values that the data has, such as an
    earlier prediction. With ``tokens_alone`` all rows are on labels, and there are no lagged
    factors.
    """

    def __init__(
        self,
        template: Template,
        latent: Mapping[str, tuple[str, ...]],
        *,
        tokens_alone: bool = False,
    ) -> None:
        self.template = template
        self.latent = {name: latent[name] for name in template.columns if name in latent}
        known: list[Row] = []
        cotemporal: dict[tuple[str, ...], list[Row]] = {}
        lagged: dict[str, list[Row]] = {}
        conditioned: dict[tuple[str, ...], list[Row]] = {}
        self.reads_guesses = False
        roles: dict[str, set[str]] = {}  # rows of one name make the same features
        for row in template.rows:
            roles.setdefault(row.name, set()).add("labels" if tokens_alone else row.on)
        for row in template.rows:
            on = roles[row.name]
            here = self._columns_at(row, 0)
            before = self._columns_at(row, -1)
            others = {p.attribute.column for p in row.parts if p.offset not in (0, -1)}
            elsewhere = others & self.latent.keys()
            if here:
                if on != {"transitions"}:
                    cotemporal.setdefault(here, []).append(row)
                if on != {"labels"}:
                    conditioned.setdefault(here, []).append(row)
                self.reads_guesses |= bool(before or elsewhere)
            elif on != {"labels"}:
                known.append(row)
                self.reads_guesses |= bool(before or elsewhere)
            elif len(before) == 1 and not elsewhere and not tokens_alone:
                lagged.setdefault(before[0], []).append(row)
            else:
                known.append(row)
                self.reads_guesses |= bool(before or elsewhere)
        self.known = template.compile_rows(known)
        self.known_on_transitions = any(roles[row.name] != {"labels"} for row in known)
        self.cotemporal = {names: template.compile_rows(rows) for names, rows in cotemporal.items()}
        self.lagged = {name: template.compile_rows(rows) for name, rows in lagged.items()}
        self.conditioned = {
            names: template.compile_rows(rows) for names, rows in conditioned.items()
        }
        self._tables = {name: self._table(name) for name in self.latent}

    @property
    def transitions_a_token(self) -> int:
        """How many matrices of transitions each token has: the combinations of labels that they
        are given."""
        sizes = [prod(len(self.latent[name]) for name in names) for names in self.conditioned]
        return sum(sizes)

    def _columns_at(self, row: Row, offset: int) -> tuple[str, ...]:
        found = {part.attribute.column for part in row.parts if part.offset == offset}
        return tuple(name for name in self.latent if name in found)

    def _table(self, name: str) -> _native.Columns:
        """A latent column's labels as tokens, with all attributes that the template takes of
        them."""
        labels = self.latent[name]
        columns = _native.Columns()
        columns.set_bounds(np.array([0, len(labels)], np.int64))
        columns.add_codes(name, np.arange(len(labels), dtype=np.int32), list(labels))
        template = self.template
        own = [attribute for attribute in template.attributes if attribute.column == name]
        Derived(own, template.lexicons, template.tables, template.functions).add_to(columns)
        return columns

    def scores(self, model: _native.Model, corpus: Corpus) -> LatentScores:
        """Scores under a model; the corpus has all columns, those that are latent as guesses."""
        columns = self.template.read_corpus(corpus)
        node: Scores
        transitions: Any
        node, transitions = _native.template_scores(self.known, model, columns)
        kernel = _native.latent_scores
        cotemporal: dict[tuple[str, ...], Scores] = {}
        for names, rows in self.cotemporal.items():
            found = self.for_each_label(kernel, rows, model, columns, names, 0)
            sizes = [len(self.latent[name]) for name in names]
            cotemporal[names] = found.reshape(len(found), *sizes, model.n_labels)
        lagged: dict[str, Scores] = {}
        firsts = corpus.bounds[:-1][np.diff(corpus.bounds) > 0]
        for name, rows in self.lagged.items():
            found = self.for_each_label(kernel, rows, model, columns, (name,), -1)
            node[firsts] += found[firsts, 0]
            found[firsts] = 0
            lagged[name] = found
        conditioned: dict[tuple[str, ...], Scores] = {}
        for names, rows in self.conditioned.items():
            into = self.for_each_label(_native.latent_transitions, rows, model, columns, names, 0)
            sizes = [len(self.latent[name]) for name in names]
            conditioned[names] = into.reshape(
                *into.shape[:-3], *sizes, model.n_labels, model.n_labels
            )
        if not self.known_on_transitions:
            transitions = None  # those of the model alone
        return LatentScores(node, transitions, cotemporal, lagged, conditioned)

    def for_each_label(
        self,
        kernel: Callable[..., Any],
        rows: _native.Template,
        model: _native.Model,
        columns: _native.Columns,
        names: tuple[str, ...],
        offset: int,
    ) -> Any:
        """What a kernel finds of rows that all read these columns at this offset.

        `_native.latent_scores` finds [tokens x values x labels], `_native.latent_transitions` what
        is added to transitions, `_native.latent_features` the features themselves: bounds
        [tokens x values + 1], numbers and values.
        """
        return kernel(rows, model, columns, *self._reading(names), offset)

    def _reading(self, names: tuple[str, ...]) -> tuple[list[_native.Columns], list[int]]:
        numbers = {name: k for k, name in enumerate(names)}
        attributes = self.template.attributes
        return [self._tables[name] for name in names], [
            numbers.get(attribute.column, -1) for attribute in attributes
        ]


def known_values(
    template: Template, model: _native.Model, name: str, values: tuple[str, ...]
) -> set[str] | None:
    """Which values of a column a model has weights for; None where its template never reads
    the column by itself, so that they are not known."""
    rows = [
        replace(row, parts=tuple(replace(part, offset=0) for part in row.parts))
        for row in template.rows
        if row.parts and {part.attribute for part in row.parts} == {Attribute(name)}
    ]
    if not rows:
        return None
    split = LatentTemplate(template, {name: values})
    token = _native.Columns()
    token.set_bounds(np.array([0, 1], np.int64))
    compiled = template.compile_rows(rows)
    found = split.for_each_label(_native.latent_scores, compiled, model, token, (name,), 0)[0]
    known = found.any(axis=1)
    if any(row.on != "labels" for row in rows):
        into = split.for_each_label(_native.latent_transitions, compiled, model, token, (name,), 0)
        known |= into.any(axis=(1, 2))
    return {value for value, is_known in zip(values, known, strict=True) if is_known}
