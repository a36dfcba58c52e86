"""What models say of labelled text that they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dovetail.chain.cross_validation import Job, divide, train_on_parts
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline
    from dovetail.review.differences import Tagged

Parts = Sequence[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]
Listener = Callable[[int, int], None]
"""Called with the number of a fold, from 1, and how many there are, when it has been trained."""


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
    parts = divide(assign_folds(corpus, folds, seed))

    def done(part: int) -> None:
        if callback is not None:
            callback(part + 1, len(parts))

    if isinstance(model, Tagger):
        tagged: Sequence[Tagged] = _tag_parts(model, corpus, label, parts, done)
    else:
        tagged = _tag_parts_by_pipeline(model, corpus, label, parts, done)
    order = np.argsort(np.concatenate([held_out for _, held_out in parts]))
    return [tagged[k] for k in order]


def _tag_parts(
    tagger: Tagger, corpus: Corpus, label: str | None, parts: Parts, done: Callable[[int], None]
) -> list[Tagged]:
    """What taggers that are trained on the other sequences say of each part; the text is indexed
    once."""
    data = tagger.index(corpus, label=label)

    def tag(job: Job, model: Tagger) -> Sequence[Tagged]:
        return model.tag(data.select(parts[job.part][1]))

    jobs = [Job(tagger, part) for part in range(len(parts))]
    found = train_on_parts(data, [rest for rest, _ in parts], jobs, tag, lambda job: done(job.part))
    return [tagging for own in found for tagging in own]


def _tag_parts_by_pipeline(
    pipeline: Pipeline, corpus: Corpus, label: str | None, parts: Parts, done: Callable[[int], None]
) -> list[Tagged]:
    """The same of pipelines whose last layer is trained on the other sequences."""
    last = pipeline.names[-1]
    how = pipeline.training_.get(last, {}).get("training")
    found: list[Tagged] = []
    for part, (rest, held_out) in enumerate(parts):
        fitted = pipeline.with_layers(pipeline.layers).fit(
            {last: corpus.select(rest)},
            training=None if how == "joint" else how,
            labels=None if label is None else {last: label},
        )
        found += [tagging.layers[last] for tagging in fitted.tag(corpus.select(held_out))]
        done(part)
    return found
