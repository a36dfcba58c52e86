"""Properties that a representation should have little of, declared by the user.

A property is made of costs: for each token a code (its label, its domain, its state in an earlier
layer), and for each code and state a number. The E-step multiplies emissions by
exp(-multiplier * cost); costs follow from what the last round expected (Huang and Yates 2012).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.representation.annotation import Corpora, check_corpora, concatenate_corpora
from dovetail.representation.bias.bias import Bias
from dovetail.representation.text import Ints

Scaling = Literal["token", "mean", "paper"]
"""What properties are: sums over tokens, means over tokens, or as Huang and Yates print them."""


@dataclass(frozen=True)
class Domains:
    """The text of a training: that of the source, and that of the target if there is some."""

    source: Corpus
    target: Corpus | None
    n_states: int
    scaling: Scaling

    @classmethod
    def of(
        cls,
        source: Corpora,
        target: Corpora | None,
        column: str,
        n_states: int,
        scaling: Scaling = "token",
    ) -> Domains:
        """From text that must have words in a column."""
        first = concatenate_corpora(check_corpora(source, column))
        second = None if target is None else concatenate_corpora(check_corpora(target, column))
        return cls(first, second, n_states, scaling)

    @property
    def corpora(self) -> list[Corpus]:
        return [self.source] if self.target is None else [self.source, self.target]

    @property
    def n_tokens(self) -> int:
        return sum(corpus.n_tokens for corpus in self.corpora)

    def codes(self, column: str, *, target: bool) -> tuple[Ints, int]:
        """A column as codes of all tokens, levels in alphabetical order; how many there are."""
        corpora = self.corpora if target else [self.source]
        used = [np.unique(c.column(column).codes) for c in corpora]
        levels = sorted(
            {
                corpus.column(column).levels[code]
                for corpus, codes in zip(corpora, used, strict=True)
                for code in codes[codes >= 0].tolist()
            }
        )
        if not levels:
            raise DataError(f"the column '{column}' has no values")
        numbers = {level: number for number, level in enumerate(levels)}
        parts = []
        for corpus in corpora:
            found = corpus.column(column)
            table = np.array([numbers.get(level, -1) for level in found.levels] + [-1], np.int32)
            parts.append(table[found.codes])
        if not target and self.target is not None:
            parts.append(np.full(self.target.n_tokens, -1, np.int32))
        return np.concatenate(parts), len(levels)


@dataclass(frozen=True)
class Offer:
    """How recipes and the command line offer a property: the key of its weight, and what that is in
    one sentence. One ``by_labels`` is asked for by naming a column of labels, others by a weight;
    one that ``needs_target`` is about two domains."""

    key: str
    summary: str
    by_labels: bool = False
    needs_target: bool = False


class Property(ABC):
    """Something of which a representation should have little.

    ``weight`` bounds its multiplier, in nats a token; where a training has a ``sigma``, it is the
    property's weight in the norm.
    """

    weight: float

    offer: ClassVar[Offer | None] = None
    """None where only Python can ask for it."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise DataError(
                f"the weight of {type(self).__name__} is {self.weight}; give at least 0"
            )

    @property
    def label_columns(self) -> tuple[str, ...]:
        """Columns of labels that it reads: representations of that text have seen them."""
        return ()

    @abstractmethod
    def bias(self, domains: Domains) -> Bias:
        """The property for some text."""

    def spec(self) -> dict[str, Any]:
        """The property as JSON holds it."""
        values: dict[str, Any] = asdict(self)  # type: ignore[call-overload]
        return {"kind": type(self).__name__, **values}
