"""A prior adapted to the features, for taggers that were given no penalty.

Under one prior for all, a token's many rare features explain it away: little weight is left for the
features that it shares with others, and recall is low after training on little text. So the prior
is graded:

- A feature of c occurrences has the share (c - d) / c of its family's variance, where d is the
  family's absolute discount (Ney, Essen and Kneser 1994) by its numbers of features seen once and
  twice. What will hardly be seen again is narrowed.
- A family of which a token has several features, such as the letter trigrams of a word, shares one
  variance among them.
- A family that describes the token itself by less than thirty values, such as whether it is in
  capitals, is widened by as much as it has fewer. It can be learnt from little text.
- A family of less than thirty values, here or at a neighbour, has weights also for labels that
  were never seen with it: that a name begins in lower case speaks against it.
- Transitions are few, and have the widest prior.

A family is what one row of a template makes, or what stands before the ``=`` of a feature's name.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.features import Dataset

STRENGTH = 0.03  # c2 of a feature that is common, in an open family with one feature a token
ON_TRANSITIONS = 0.1  # the penalty on transitions, relative to that
FEW_VALUES = 30  # below which a family is closed
LEAST_SHARE = 0.05  # of an occurrence, where nothing of a family is seen twice
MOST_TOKENS = 100_000  # above this, text is no longer little
FLAT_STRENGTH = 1.0  # c2 for it, and with an L1 penalty or another method

Widths = npt.NDArray[np.float32]
Bools = npt.NDArray[np.bool_]


class Prior(NamedTuple):
    """The penalty that a training uses, the width of each feature's prior (empty: all 1), and
    which features have weights for all labels (empty: none)."""

    c2: float
    widths: Widths
    on_all_labels: Bools
    facts: dict[str, Any]


def find_prior(
    c1: float, c2: float | Literal["auto"], data: Dataset, *, weak_penalties: bool
) -> Prior:
    """The prior for a penalty that is given, or one that suits the data; the graded one needs a
    method that copes with weak penalties."""
    if c2 != "auto":
        return _flat(float(c2))
    if c1 > 0 or data.n_tokens > MOST_TOKENS or not weak_penalties:
        return _flat(FLAT_STRENGTH)
    # What has no width of its own is a transition: it is penalised by c2 itself.
    widths, on_all_labels = grade_features(data)
    widths *= np.float32(np.sqrt(ON_TRANSITIONS))
    on_transitions = STRENGTH * ON_TRANSITIONS
    facts = {"prior": "graded", "prior_c2": STRENGTH, "prior_c2_transitions": on_transitions}
    return Prior(on_transitions, widths, on_all_labels, facts)


def _flat(c2: float) -> Prior:
    nothing = np.zeros(0, np.float32), np.zeros(0, np.bool_)
    return Prior(c2, *nothing, {"prior": "flat", "prior_c2": c2})


def grade_features(data: Dataset) -> tuple[Widths, Bools]:
    """How wide the prior of each feature is, and whether it weighs on all labels."""
    count = data.native.counts().astype(float)
    family = data.native.families().astype(np.int64)
    n = int(family.max(initial=-1)) + 1
    family[family < 0] = n
    once, twice, values = (
        np.bincount(family[seen], minlength=n + 1).astype(float)
        for seen in (count == 1, count == 2, count > 0)
    )
    discount = once / np.maximum(once + 2 * twice, 1)
    variance = np.maximum(count - discount[family], LEAST_SHARE) / np.maximum(count, 1)
    a_token = np.maximum(1, np.bincount(family, count, n + 1) / data.n_tokens)
    a_token[n] = 1  # of what has no family nothing is known
    variance /= a_token[family]
    closed = np.ones(n + 1)
    own = _describing_the_token(data, family, n)
    closed[own] = np.minimum(1, values[own] / FEW_VALUES)
    widths: Widths = np.sqrt(variance / closed[family]).astype(np.float32)
    return widths, (values < FEW_VALUES)[family] & (family < n)


def _describing_the_token(
    data: Dataset, family: npt.NDArray[np.int64], n: int
) -> npt.NDArray[np.int64]:
    """Families of the template's rows that read one attribute of the token itself."""
    rows = data.template.rows if data.template is not None else ()
    own = {row.name for row in rows if len(row.parts) == 1 and not row.parts[0].offset}
    if not own:
        return np.zeros(0, np.int64)
    numbers, first = np.unique(family, return_index=True)
    names = data.native.name_features(first)
    found = [k for k, name in zip(numbers, names, strict=True) if k < n and _row(name) in own]
    return np.array(found, np.int64)


def _row(name: str) -> str:
    return name.partition("=")[0]
