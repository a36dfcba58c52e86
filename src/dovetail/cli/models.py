"""What the commands need to know of a model."""

from __future__ import annotations

from dovetail import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError


def has_spans(tagger: Tagger) -> bool:
    """Whether the labels write spans, as B-PER does, or are plain, as NN is."""
    return bool(tagger.model_.facts["scheme"] != "none")


def named_as_trained(corpus: Corpus, tagger: Tagger) -> Corpus:
    """A corpus with default column names under the names that a model was trained with.

    The columns must stand in the order of the training data; the label column may be missing.
    """
    inputs = _input_columns(tagger)
    names = corpus.names
    if set(inputs) <= set(names):
        return corpus
    trained = tagger.model_.facts["columns"]
    if len(names) not in (len(inputs), len(trained)):
        raise DataError(
            f"the data has {len(names)} columns where the model reads {', '.join(inputs)}: "
            "name them with --columns"
        )
    known = inputs if len(names) == len(inputs) else trained
    return Corpus(
        dict(zip(known, corpus.columns.values(), strict=True)),
        corpus.bounds,
        document_bounds=corpus.document_bounds,
        offsets=corpus.offsets,
        texts=corpus.texts,
    )


def _input_columns(tagger: Tagger) -> list[str]:
    spec = tagger.model_.facts["features"] or {}
    return list(spec.get("columns", ()))
