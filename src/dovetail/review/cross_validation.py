"""What models say of labelled text that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dovetail.chain.cross_validation import Job, divide, train_on_parts
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.chain.tagging import Tagging

Listener = Callable[[int, int], None]
"""Called with the number of a fold, from 1, and how many there are, when it has been trained."""


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
    data = tagger.index(corpus, label=label)
    parts = divide(assign_folds(corpus, folds, seed))

    def tag(job: Job, model: Tagger) -> list[Tagging]:
        return model.tag(data.select(parts[job.part][1]))

    def done(job: Job) -> None:
        if callback is not None:
            callback(job.part + 1, folds)

    jobs = [Job(tagger, part) for part in range(folds)]
    found = train_on_parts(data, [rest for rest, _ in parts], jobs, tag, done)
    order = np.argsort(np.concatenate([held_out for _, held_out in parts]))
    tagged = [tagging for own in found for tagging in own]
    return [tagged[k] for k in order]
