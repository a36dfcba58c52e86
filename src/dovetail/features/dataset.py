"""Labelled sequences as numbers, indexed natively and as they stream by."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from numbers import Real
from operator import index
from typing import TYPE_CHECKING, Any, Self

from dovetail import _native
from dovetail.data import iterate
from dovetail.errors import DataError
from dovetail.features.attributes import Role
from dovetail.io.files import PathLike, open_bytes

if TYPE_CHECKING:
    from dovetail.corpus import Corpus
    from dovetail.features.template import Template

TokenFeatures = Collection[str] | Mapping[str, Any]
"""Features of a token: strings, or a dict from string to number as python-crfsuite users have
them."""
Labels = Sequence[str | Collection[str] | None]
"""Labels of a sequence; None where unknown, a set where it is one of several."""


class Dataset:
    """Sequences of token features with what is known of their labels, ready for training.

    Nothing of the Python objects is kept, so any iterable will do, also one larger than memory's
    worth of feature dicts. Every first and last token gets a feature of its own, for start and end
    weights.

    >>> features = [[["w=a"], ["w=b"]], [{"w": "c", "length": 2.5}]]
    >>> data = Dataset.from_lists(features, [["X", "Y"], [None]])
    >>> data.n_sequences, data.n_tokens, data.labels
    (2, 3, ['X', 'Y'])
    """

    def __init__(self, template: Template | None = None) -> None:
        """With a template, sequences of tokens are added by `extend`, else features by `append`."""
        self.native = _native.Dataset()
        self.template = template
        self.facts: dict[str, Any] = {}  # of its text, for the files of models trained on it
        rows = template.rows if template is not None else ()
        # of the features that rows of these names make
        self.roles: dict[str, Role] = {row.name: row.on for row in rows if row.on != "labels"}

    @classmethod
    def from_lists(
        cls,
        sequences: Iterable[Iterable[TokenFeatures]],
        labels: Iterable[Labels] | None = None,
        *,
        weights: Iterable[float] | None = None,
        allowed: Iterable[Labels] | None = None,
    ) -> Self:
        """Index feature lists, with labels, sequence weights and allowed labels running
        alongside."""
        data = cls()
        iterators = _iterators(labels=labels, weights=weights, allowed=allowed)
        for number, items in enumerate(iterate(sequences), start=1):
            found: dict[str, Any] = {
                name: next(values, _MISSING) for name, values in iterators.items()
            }
            for name, value in found.items():
                if value is _MISSING:
                    raise DataError(f"there are more sequences than {name}: {number - 1}")
            data.append(
                items,
                found.get("labels"),
                allowed=found.get("allowed"),
                weight=found.get("weights", 1.0),
            )
        _check_used_up(iterators, data.n_sequences)
        return data

    @classmethod
    def from_template(
        cls,
        template: Template,
        sequences: Corpus | Iterable[Iterable[Any]],
        labels: Iterable[Labels],
        *,
        weights: Iterable[float] | None = None,
        allowed: Iterable[Labels] | None = None,
    ) -> Self:
        """Index the features that a template makes of a corpus, or of lists of tokens."""
        data = cls(template)
        data.extend(sequences, labels, weights=weights, allowed=allowed)
        return data

    @classmethod
    def from_crfsuite_text(cls, *paths: PathLike) -> Self:
        """Read files of CRFsuite's text format: a line a token, the label and then features, split
        by tabs; ``@weight:2.5`` before the first token weighs a sequence."""
        data = cls()
        for path in paths:
            reader = _native.CrfsuiteText(data.native)
            try:
                with open_bytes(path) as file:
                    while block := file.read(1 << 20):
                        reader.feed(block)
                reader.finish()
            except _native.TextError as error:
                raise DataError(f"{os.fspath(path)}, {error}") from None
        return data

    def append(
        self,
        items: Iterable[TokenFeatures],
        labels: Labels | None = None,
        *,
        allowed: Labels | None = None,
        weight: float = 1.0,
    ) -> None:
        """Add one sequence; after an error the data set is as it was before."""
        if self.template is not None:
            raise DataError("this data set has a template: add tokens to it, with extend")
        if not isinstance(weight, Real):
            raise DataError(
                f"sequence {self.n_sequences + 1}: has a weight of type {type(weight).__name__}; "
                "give a number"
            )
        try:
            self.native.append(items, labels, allowed, weight)
        except _native.ItemError as error:
            raise DataError(f"sequence {self.n_sequences + 1}: {error}") from None

    def extend(
        self,
        sequences: Corpus | Iterable[Iterable[Any]],
        labels: Iterable[Labels],
        *,
        weights: Iterable[float] | None = None,
        allowed: Iterable[Labels] | None = None,
    ) -> None:
        """Add the sequences of a corpus, or lists of tokens, by the data set's template.

        After an error, sequences before the one at fault have been added.
        """
        if self.template is None:
            raise DataError("this data set has no template: say Dataset(template), or use append")
        beside = _iterators(labels=labels, weights=weights, allowed=allowed)
        columns = self.template.read_whole(sequences)
        self.template.extract(self.native, columns, **beside)
        _check_used_up(beside, self.n_sequences)

    def select(self, sequences: Iterable[int]) -> Self:
        """Some of the sequences, by number, for a training on these alone: their features are not
        made again, but numbered as if there were no others.

        >>> data = Dataset.from_lists([[["a"]], [["b"]], [["c"]]], [["X"], ["Y"], ["Z"]])
        >>> data.select([2, 0]).labels
        ['Z', 'X']
        """
        numbers = [index(number) for number in sequences]
        wrong = next((k for k in numbers if not 0 <= k < self.n_sequences), None)
        if wrong is not None:
            raise DataError(
                f"there is no sequence {wrong}: there are {self.n_sequences}, from 0 on"
            )
        out = copy(self)
        out.native = self.native.select(numbers)
        return out

    @property
    def n_sequences(self) -> int:
        return self.native.n_sequences

    @property
    def n_tokens(self) -> int:
        return self.native.n_tokens

    @property
    def n_features(self) -> int:
        return self.native.n_features

    @property
    def labels(self) -> list[str]:
        """Labels in order of first appearance."""
        return self.native.labels

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "native": (_native.dataset_arrays(self.native), self.labels)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.native = _native.dataset_from_arrays(*state["native"])

    def __repr__(self) -> str:
        return (
            f"Dataset({self.n_sequences} sequences, {self.n_tokens} tokens, "
            f"{self.n_features} features, {len(self.labels)} labels)"
        )


def _iterators(**beside: Any) -> dict[str, Iterator[Any]]:
    """What runs alongside the sequences, of what is given."""
    return {
        name: iterate(values, f"give {name} for each sequence")
        for name, values in beside.items()
        if values is not None
    }


def _check_used_up(beside: Mapping[str, Iterator[Any]], n_sequences: int) -> None:
    for name, values in beside.items():
        if next(values, _MISSING) is not _MISSING:
            raise DataError(f"there are more {name} than sequences: {n_sequences}")


_MISSING: Any = object()
