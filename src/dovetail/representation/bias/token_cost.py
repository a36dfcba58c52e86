"""A property of the user's own, by a function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.representation.bias.property import Domains
from dovetail.representation.text import Singles

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

    @property
    def label_columns(self) -> tuple[str, ...]:
        """None: a function does not say what it looks at."""
        return ()

    def spec(self) -> dict[str, Any]:
        """That there was one: a file cannot hold a function."""
        return {"kind": "TokenCost"}

    @classmethod
    def missing(cls) -> TokenCost:
        """In place of one that a file could not hold; it says so when it is needed."""
        return cls(_refuse)


def _refuse(_corpus: Corpus, _n_states: int) -> npt.ArrayLike:
    raise DataError(
        "a file does not hold the TokenCost of this model: use the model as it was trained, or put "
        "the cost back by set_params(properties=...)"
    )
