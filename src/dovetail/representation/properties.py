"""Properties that a representation should have little of, declared by the user.

A property is made of costs: for each token a code (its label, its domain, its state in an earlier
layer), and for each code and state a number. The E-step multiplies emissions by
exp(-multiplier * cost); costs follow from what the last round expected (Huang and Yates 2012).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.representation.biases import Bias, DistanceBias, EntropyBias, PredictBias
from dovetail.representation.text import Ints, Singles

Scaling = Literal["token", "paper"]


@dataclass(frozen=True)
class Domains:
    """The text of a training: that of the source, and that of the target if there is some."""

    source: Corpus
    target: Corpus | None
    n_states: int
    scaling: Scaling

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


class Property:
    """Something of which a representation should have little.

    ``weight`` bounds its multiplier, in nats a token; where a training has a ``sigma``, it is the
    property's weight in the norm.
    """

    weight: float

    def _check(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise DataError(
                f"the weight of {type(self).__name__} is {self.weight}; give at least 0"
            )

    def bias(self, domains: Domains) -> Bias:
        """The property for some text."""
        raise NotImplementedError

    def spec(self) -> dict[str, Any]:
        """The property as JSON holds it."""
        values: dict[str, Any] = asdict(self)  # type: ignore[call-overload]
        return {"kind": type(self).__name__, **values}


@dataclass(frozen=True)
class Entropy(Property):
    """States should tell the labels of the source: the entropy H(label | state)."""

    column: str
    weight: float = 0.3

    def __post_init__(self) -> None:
        self._check()

    def bias(self, domains: Domains) -> Bias:
        codes, n = domains.codes(self.column, target=False)
        labelled = int((codes >= 0).sum())
        scale = 1.0 / labelled if domains.scaling == "paper" else 1.0
        return EntropyBias([codes], [n], domains.n_states, self.weight, scale)


@dataclass(frozen=True)
class Distance(Property):
    """States should be used alike in source and target: the distance of their frequencies."""

    weight: float = 0.3

    def __post_init__(self) -> None:
        self._check()

    def bias(self, domains: Domains) -> Bias:
        if domains.target is None:
            raise DataError("the distance of two domains needs text of the target: give some")
        s, t = domains.source.n_tokens, domains.target.n_tokens
        codes = np.repeat(np.array([0, 1], np.int32), [s, t])
        scale = 1.0 if domains.scaling == "paper" else s * t / (s + t)
        return DistanceBias([codes], [2], domains.n_states, self.weight, scale)


@dataclass(frozen=True)
class Predict(Property):
    """States should not tell those of earlier layers, which are the columns named here."""

    columns: Sequence[str]
    weight: float = 0.1

    def __post_init__(self) -> None:
        self._check()
        if not self.columns or isinstance(self.columns, str):
            raise DataError("Predict needs the columns of the earlier layers, in a list")

    def bias(self, domains: Domains) -> Bias:
        found = [domains.codes(column, target=True) for column in self.columns]
        scale = 1.0 / domains.n_tokens if domains.scaling == "paper" else 1.0 / len(found)
        codes, sizes = [codes for codes, _ in found], [n for _, n in found]
        return PredictBias(codes, sizes, domains.n_states, self.weight, scale)


CostOf = Callable[[Corpus, int], npt.ArrayLike]


@dataclass(frozen=True)
class TokenCost:
    """A property of your own: what each state costs at each token, in nats.

    ``cost`` is called with a corpus and the number of states, and returns an array
    [tokens x states]. It is applied as it is, times ``weight``.
    """

    cost: CostOf
    weight: float = 1.0

    def matrix(self, domains: Domains) -> Singles:
        """The costs of all tokens."""
        parts = []
        for corpus in domains.corpora:
            found = np.asarray(self.cost(corpus, domains.n_states), np.float32)
            if found.shape != (corpus.n_tokens, domains.n_states):
                raise DataError(
                    f"a cost of tokens must have the shape ({corpus.n_tokens}, {domains.n_states})"
                    f", not {found.shape}"
                )
            if not np.isfinite(found).all():
                raise DataError("a cost of tokens must be finite everywhere")
            parts.append(self.weight * found)
        return np.concatenate(parts).astype(np.float32)

    def spec(self) -> dict[str, Any]:
        return {"kind": "TokenCost"}


KINDS = {"Entropy": Entropy, "Distance": Distance, "Predict": Predict}


def labels_of(properties: Sequence[Property | TokenCost]) -> tuple[str, ...]:
    """The columns of labels that some properties look at."""
    return tuple(p.column for p in properties if isinstance(p, Entropy) and p.weight > 0)


def restored(specs: Sequence[dict[str, Any]]) -> list[Any]:
    """Properties from JSON; those of the user's own cannot come back, and say so when needed."""
    return [
        TokenCost(_lost)
        if spec["kind"] == "TokenCost"
        else KINDS[spec["kind"]](**{key: value for key, value in spec.items() if key != "kind"})
        for spec in specs
    ]


def _lost(_corpus: Corpus, _n_states: int) -> npt.ArrayLike:
    raise DataError(
        "a file does not hold the TokenCost of this model: use the model as it was trained, or put "
        "the cost back by set_params(properties=...)"
    )
