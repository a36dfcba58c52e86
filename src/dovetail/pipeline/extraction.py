"""Values of fields out of documents: what a pipeline finds, and a second, recall-biased prediction.

A CRF that is not sure labels nothing. Where a document is known to have a field as a rule, a guess
is better than nothing: documents in which a field was not found are decoded again with every label
but O favoured, a little as a rule. Where another way of taking values, or of looking again, is
clearly better on training documents, by scores of models that have not seen them, that is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from dovetail.chain.tagging import SpanPrediction
from dovetail.corpus import Corpus, Sequence, Span, spans
from dovetail.errors import DataError
from dovetail.evaluate.fields import Choice, Looks, Mention, choose, normalise, take_values
from dovetail.pipeline.choices import DECODINGS, Decode, check_choice
from dovetail.pipeline.decode.decoder import DECODING_METHODS, Decoder
from dovetail.pipeline.decode.tagging import PipelineTagging, tag_corpus
from dovetail.pipeline.layers.conversion import as_annotator
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.recalibrated import Correction, Recalibrated
from dovetail.pipeline.pipeline import Pipeline
from dovetail.pipeline.train.held_out import HeldOut

OUTSIDE = "O"
RECALL_BIASES = (0.0, 0.5, 1.0, 1.5, 2.0)
USUAL = Choice("most_frequent", 0.5)
Find = Callable[[list[int], float], list[list[Mention]]]


def extract(
    pipeline: Pipeline,
    documents: Corpus,
    choices: Mapping[str, Choice],
    *,
    decode: Decode | None = None,
) -> list[dict[str, str]]:
    """One value for each field that is found in a document, chosen as `Choice` says.

    The last task of the pipeline is the one whose spans are the fields; each sequence is a
    document. ``choices``, one a field, are what `choose_values` found to be good.
    """
    recall_biases = [choice.recall_bias for choice in choices.values()]
    looks = look(pipeline, documents, choices, recall_biases, decode=decode)
    return [take_values(document, choices) for document in looks]


def look(
    pipeline: Pipeline,
    documents: Corpus,
    fields: Iterable[str],
    recall_biases: Iterable[float] = (),
    *,
    decode: Decode | None = None,
) -> list[Looks]:
    """What is found in each document, plainly and with each recall bias above 0.

    The recall bias is subtracted from every score of the label O. Only documents in which a field
    was not found are predicted again.
    """
    how = pipeline.decode if decode is None else decode
    check_choice("decoding", how, DECODINGS)
    wanted, amounts = set(fields), sorted(set(recall_biases))
    if DECODING_METHODS[how].make_grids is not None:

        def find(numbers: list[int], amount: float) -> list[list[Mention]]:
            *below, last = pipeline.layers
            own = pipeline
            if amount:
                own = pipeline.with_layers([*below, _favour_fields(last, amount)])
            chosen = documents.select(numbers)
            return _mentions(chosen, own.tag(chosen, decode=how), pipeline.names[-1])

        return _look_again(find, len(documents), wanted, amounts)
    out: list[Looks] = []
    for part, _ in pipeline.split(documents):
        scored = HeldOut(part, pipeline.names[-1], pipeline.last_potentials(part, how))
        out += _look_again(_finder(scored, pipeline.threads), len(part), wanted, amounts)
    return out


def choose_values(
    pipeline: Pipeline,
    fields: Iterable[str] | None = None,
    *,
    recall_biases: Iterable[float] = RECALL_BIASES,
) -> dict[str, Choice]:
    """How the value of each field is best taken, judged on the training documents of a pipeline
    that was just trained with ``auto``. By default for all fields in these documents.

    It is the most frequent one, after a second prediction with a small recall bias, unless another
    way is significantly better.
    """
    wanted = None if fields is None else tuple(fields)
    amounts = sorted(set(recall_biases))
    truth, looks = held_out_looks(pipeline, wanted, amounts)
    if wanted is None:
        wanted = tuple(sorted({field for one in truth for field in one}))
    return choose(truth, looks, wanted, recall_biases=amounts, usual=USUAL)


def held_out_looks(
    pipeline: Pipeline, fields: Collection[str] | None, recall_biases: Collection[float]
) -> tuple[list[dict[str, set[str]]], list[Looks]]:
    """True values of the fields in the training documents whose labels are all known, and what
    models that have not seen these documents find in them."""
    if not pipeline.held_out_:
        raise DataError(
            "choices are made on what training leaves: use them right after fit(training='auto')"
        )
    known = [_whole(part) for part in pipeline.held_out_]
    truth = [_true(document, part.label) for part in known for document in part.corpus]
    wanted = {field for one in truth for field in one} if fields is None else fields
    looks: list[Looks] = []
    for part in known:
        find = _finder(part, pipeline.threads)
        looks += _look_again(find, len(part.corpus), wanted, recall_biases)
    return truth, looks


def _whole(part: HeldOut) -> HeldOut:
    labels = part.corpus.lists(part.label)
    return part.select([number for number, row in enumerate(labels) if None not in row])


def _true(document: Sequence, label: str) -> dict[str, set[str]]:
    labels = [str(name) for name in document[label]]
    values: dict[str, set[str]] = {}
    for mention in mentions_of(document, spans(labels)):
        values.setdefault(mention.field, set()).add(normalise(mention.text))
    return values


def _finder(part: HeldOut, threads: int | None) -> Find:
    def find(numbers: list[int], amount: float) -> list[list[Mention]]:
        own = part.select(numbers)
        layer = Layer(part.label, as_annotator(own))
        decoder = Decoder([_favour_fields(layer, amount) if amount else layer], threads=threads)
        return _mentions(own.corpus, tag_corpus(decoder, own.corpus, "cascade", {}), part.label)

    return find


def _look_again(
    find: Find, n_documents: int, fields: Iterable[str], recall_biases: Iterable[float]
) -> list[Looks]:
    wanted = set(fields)
    out: list[Looks] = [{0.0: found} for found in find(list(range(n_documents)), 0.0)]
    lacking = [
        number
        for number, looks in enumerate(out)
        if wanted - {mention.field for mention in looks[0.0]}
    ]
    for amount in sorted({amount for amount in recall_biases if amount > 0}):
        for number, found in zip(lacking, find(lacking, amount), strict=True):
            out[number][amount] = found
    return out


def _favour_fields(layer: Layer, amount: float) -> Layer:
    """The layer with so much subtracted from every score of the label O."""
    labels = layer.labels
    if OUTSIDE not in labels:
        raise DataError(f"the task '{layer.name}' has no label {OUTSIDE}, so it finds no fields")
    bias = np.zeros(len(labels))
    bias[labels.index(OUTSIDE)] = -amount
    correction = Correction(labels, bias, np.zeros((len(labels), len(labels))))
    return replace(layer, annotator=Recalibrated(layer.annotator, correction))


def _mentions(
    documents: Corpus, taggings: Iterable[PipelineTagging], name: str
) -> list[list[Mention]]:
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
