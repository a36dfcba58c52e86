"""Labels of finished documents that may be wrong: models that have not seen them are sure of
others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dovetail.chain.tagger import Tagger
from dovetail.corpus import labels_from_spans
from dovetail.corpus.labels import spans
from dovetail.corpus.sequences import sequence_keys
from dovetail.features.sets import default
from dovetail.review import cross_validate, review
from dovetail.studio.annotation import Annotation, Document, Span
from dovetail.studio.learning.text import WORD, corpus_of

FOLDS = 5
AT_LEAST = 0.9  # how sure models have to be
LABEL = "label"


class Doubt(NamedTuple):
    """Tokens of a document, the label of the span there (empty for none), the one that models give
    instead, their spans there, and how sure they are."""

    document: int
    start: int
    end: int
    label: str
    suggested: str
    spans: tuple[Span, ...]
    probability: float


def find_doubts(
    documents: Sequence[Document],
    annotations: Mapping[int, Annotation],
    columns: Sequence[str] = (WORD,),
    *,
    at_least: float = AT_LEAST,
    seed: int = 0,
    threads: int | None = None,
) -> list[Doubt]:
    """The doubtful labels of finished documents, the surest first; none where there is too little
    text for models that do not see all of it."""
    done = [one for one in documents if one.id in annotations and annotations[one.id].done]
    places = [(document, a, b) for document in done for a, b in document.sequences]
    text = corpus_of(done, columns)
    labels = []
    for document, a, b in places:
        own = annotations[document.id].spans
        inside = [(s.start - a, s.end - a, s.label) for s in own if a <= s.start and s.end <= b]
        labels.append(labels_from_spans(inside, b - a))
    if len({*sequence_keys(text)}) < FOLDS or not any(spans(own) for own in labels):
        return []
    corpus = text.with_column(LABEL, labels)
    tagger = Tagger(
        features=default(columns, spans=True), constraints="IOB2", tolerance=1e-2, threads=threads
    )
    tagged = cross_validate(tagger, corpus, LABEL, folds=FOLDS, seed=seed)
    report = review(corpus.lists(WORD), labels, tagged, "IOB2")
    out = []
    for sequence, one in report.suspicious(at_least):
        document, a, _ = places[sequence.index]
        found = tuple(
            Span(a + s.start, a + s.end, s.label)
            for s in spans(sequence.predicted)
            if s.start < one.end and one.start < s.end
        )
        place = (document.id, a + one.start, a + one.end)
        out.append(Doubt(*place, one.gold or "", one.predicted or "", found, one.confidence))
    return out
