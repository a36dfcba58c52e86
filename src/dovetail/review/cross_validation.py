"""What models say of labelled text that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline
    from dovetail.review.differences import Tagged

Listener = Callable[[int, int], None]
"""Called with the number of a fold, from 1, and how many there are, before it is trained."""


def cross_validate(
    model: Tagger | Pipeline,
    corpus: Corpus,
    label: str | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
    callback: Listener | None = None,
) -> list[Tagged]:
    """Tag each part of a labelled corpus by a model with the same parameters that is trained on the
    other parts. What is given stays as it is.

    Of a pipeline the last layer is trained anew, and its taggings are returned; the layers below
    are used as they are, so they should not have been trained on this text.

    Copies of a text are in the same part, and so are the sequences of a document where there are
    enough documents: a model cannot have learnt a wrong label by heart.
    """
    if folds < 2:
        raise DataError(f"folds is {folds}; give a whole number of at least 2")
    parts = assign_folds(corpus, folds, seed)
    out: list[Tagged | None] = [None] * len(corpus)
    for part in range(folds):
        if callback is not None:
            callback(part + 1, folds)
        chosen = np.flatnonzero(parts == part)
        others = corpus.select(np.flatnonzero(parts != part))
        for index, tagging in zip(
            chosen, _tag(model, others, label, corpus.select(chosen)), strict=True
        ):
            out[int(index)] = tagging
    return [tagging for tagging in out if tagging is not None]


def _tag(
    model: Tagger | Pipeline, train: Corpus, label: str | None, text: Corpus
) -> Sequence[Tagged]:
    """What a model says of a text once it is trained on another."""
    if isinstance(model, Tagger):
        return model.clone().fit(train, label=label).tag(text)
    last = model.names[-1]
    how = model.training_.get(last, {}).get("training")
    fitted = model.with_layers(model.layers).fit(
        {last: train},
        training=None if how == "joint" else how,
        labels=None if label is None else {last: label},
    )
    return [tagging.layers[last] for tagging in fitted.tag(text)]
