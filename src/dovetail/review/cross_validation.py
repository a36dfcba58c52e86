"""What models say of labelled text that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dovetail.corpus import Corpus
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.chain.tagging import Tagging

Listener = Callable[[int, int], None]
"""Called with the number of a fold, from 1, and how many there are, before it is trained."""


def cross_validate(
    tagger: Tagger,
    corpus: Corpus,
    label: str | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
    callback: Listener | None = None,
) -> list[Tagging]:
    """Tag each part of a labelled corpus by a model with the tagger's parameters that is trained on
    the other parts. The tagger itself stays as it is.

    Copies of a text are in the same part, and so are the sequences of a document where there are
    enough documents: a model cannot have learnt a wrong label by heart.
    """
    if folds < 2:
        raise DataError(f"folds is {folds}; give a whole number of at least 2")
    parts = assign_folds(corpus, folds, seed)
    out: list[Tagging | None] = [None] * len(corpus)
    for part in range(folds):
        if callback is not None:
            callback(part + 1, folds)
        chosen = np.flatnonzero(parts == part)
        model = tagger.clone().fit(corpus.select(np.flatnonzero(parts != part)), label=label)
        for index, tagging in zip(chosen, model.tag(corpus.select(chosen)), strict=True):
            out[int(index)] = tagging
    return [tagging for tagging in out if tagging is not None]
