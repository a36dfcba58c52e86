"""Values of fields out of documents: what a pipeline finds, and a second, more eager look.

A CRF that is not sure labels nothing. Where a document is known to have a field as a rule, a guess
is better than nothing: documents in which a field was not found are decoded again with every label
but O favoured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from dovetail.chain.tagging import SpanPrediction
from dovetail.corpus import Corpus, Sequence, Span
from dovetail.errors import DataError
from dovetail.evaluate.fields import Choice, Looks, Mention, taken
from dovetail.pipeline.decoding import Decode
from dovetail.pipeline.pipeline import Pipeline
from dovetail.pipeline.recalibration import Correction, Recalibrated

OUTSIDE = "O"


def extract(
    pipeline: Pipeline, documents: Corpus, choices: Mapping[str, Choice], **settings: Decode | None
) -> list[dict[str, str]]:
    """One value for each field that is found in a document, chosen as `Choice` says.

    The last task of the pipeline is the one whose spans are the fields; each sequence is a
    document. ``choices``, one a field, are what `evaluate.fields.choose` found to be good.
    """
    eagerness = [choice.eagerness for choice in choices.values()]
    looks = look(pipeline, documents, choices, eagerness, **settings)
    return [taken(document, choices) for document in looks]


def look(
    pipeline: Pipeline,
    documents: Corpus,
    fields: Iterable[str],
    eagerness: Iterable[float] = (),
    *,
    decode: Decode | None = None,
) -> list[Looks]:
    """What is found in each document, plainly and with each eagerness above 0.

    An eagerness is subtracted from every score of the label O. Only documents in which a field was
    not found are looked at again.
    """
    wanted = set(fields)
    out: list[Looks] = [{0.0: found} for found in _mentions(pipeline, documents, decode)]
    lacking = [
        number
        for number, looks in enumerate(out)
        if wanted - {mention.field for mention in looks[0.0]}
    ]
    for amount in sorted({amount for amount in eagerness if amount > 0}):
        eager = _eager(pipeline, amount)
        again = _mentions(eager, documents.select(lacking), decode)
        for number, found in zip(lacking, again, strict=True):
            out[number][amount] = found
    return out


def _eager(pipeline: Pipeline, amount: float) -> Pipeline:
    last = pipeline.layers[-1]
    labels = last.labels
    if OUTSIDE not in labels:
        raise DataError(f"the task '{last.name}' has no label {OUTSIDE}, so it finds no fields")
    bias = np.zeros(len(labels))
    bias[labels.index(OUTSIDE)] = -amount
    correction = Correction(labels, bias, np.zeros((len(labels), len(labels))))
    eager = pipeline.with_weights()
    eager.layers[-1] = replace(last, annotator=Recalibrated(last.annotator, correction))
    return eager


def _mentions(pipeline: Pipeline, documents: Corpus, decode: Decode | None) -> list[list[Mention]]:
    name = pipeline.names[-1]
    taggings = pipeline.tag(documents, decode=decode)
    return [
        mentions_of(document, tagging.layers[name].spans)
        for document, tagging in zip(documents, taggings, strict=True)
    ]


def mentions_of(document: Sequence, spans: Iterable[SpanPrediction | Span]) -> list[Mention]:
    """Spans of a document as mentions of fields: their text is that of the document, or their
    words where the corpus keeps no text."""
    text, offsets = document.text, document.offsets
    words = document[document.names[0]]
    out = []
    for start, end, label, *probability in spans:
        if text is None or offsets is None:
            found = " ".join(word or "" for word in words[start:end])
        else:
            found = text[int(offsets[start][0]) : int(offsets[end - 1][1])]
        out.append(Mention(label, found, *probability))
    return out
