"""Documents as the corpora that taggers read and files hold, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from dovetail.corpus import Corpus, add_offsets, labels_from_spans
from dovetail.corpus.labels import spans as spans_of_labels
from dovetail.corpus.record import Record
from dovetail.corpus.records import to_corpus
from dovetail.corpus.schemes import Scheme, detect_scheme
from dovetail.studio.annotation import Annotation, Document, Span

WORD = "word"
OUTSIDE = "O"
Labels = list[str | None]


def to_documents(corpus: Corpus, name: str) -> Iterator[tuple[Document, list[int]]]:
    """The documents of a corpus, and the numbers of their sequences in it; where it has none, each
    sequence is one.

    >>> lists = {"word": [["Ada", "spoke"], ["Yes"]], "pos": [["N", "V"], ["X"]]}
    >>> corpus = Corpus.from_lists(lists)
    >>> [(d.name, d.text, dict(d.columns)) for d, _ in to_documents(corpus, "news")]
    [('news 1', 'Ada spoke', {'pos': ('N', 'V')}), ('news 2', 'Yes', {'pos': ('X',)})]
    """
    whole, _ = add_offsets(corpus)
    bounds = whole.document_bounds
    groups = (
        list(pairwise(bounds.tolist()))
        if bounds is not None
        else [(k, k + 1) for k in range(len(whole))]
    )
    width = len(str(len(groups)))
    for number, (first, end) in enumerate(groups, 1):
        sequences = [k for k in range(first, end) if len(whole[k])]
        if sequences:
            own = name if len(groups) == 1 else f"{name} {number:0{width}}"
            yield _join(whole, sequences, own), sequences


def _join(corpus: Corpus, sequences: Sequence[int], name: str) -> Document:
    """Some sequences as one document, each on lines of its own."""
    texts: list[str] = []
    offsets: list[tuple[int, int]] = []
    bounds, ranges, at = [0], [], 0
    columns: dict[str, list[str | None]] = {name: [] for name in corpus.names}
    for sequence in map(corpus.__getitem__, sequences):
        text = sequence.text or ""
        assert sequence.offsets is not None
        offsets += [(at + start, at + end) for start, end in sequence.offsets.tolist()]
        bounds.append(len(offsets))
        ranges.append((at, at + len(text)))
        texts.append(text)
        at += len(text) + 1
        for column, values in columns.items():
            values += sequence[column]
    words = tuple(word or "" for word in columns.pop(WORD))
    further = {column: tuple(values) for column, values in columns.items()}
    return Document(
        0, name, "\n".join(texts), words, tuple(offsets), tuple(bounds), tuple(ranges), further
    )


def to_table(
    documents: Iterable[Document],
    labels: Mapping[str, Sequence[Labels]] | None = None,
    columns: Iterable[str] | None = None,
) -> Corpus:
    """Documents as a corpus with its texts, offsets and documents.

    ``labels`` has for each layer the labels of each document. ``columns`` are the further values of
    tokens to take with them, all by default; one that a document lacks is missing.
    """
    names = None if columns is None else [name for name in columns if name != WORD]

    def records() -> Iterator[Record]:
        for index, document in enumerate(documents):
            own = {name: given[index] for name, given in (labels or {}).items()}
            yield from _records(document, own, names)

    return to_corpus(records(), [WORD, *(names or ()), *(labels or ())])


def _records(
    document: Document, labels: Mapping[str, Labels], names: Sequence[str] | None
) -> Iterator[Record]:
    taken = document.columns if names is None else {n: document.columns.get(n) for n in names}
    places = zip(document.sequences, document.ranges, strict=True)
    for number, ((first, end), (left, right)) in enumerate(places):
        values: dict[str, Sequence[str | None]] = {WORD: document.tokens[first:end]}
        for name, column in taken.items():
            values[name] = [None] * (end - first) if column is None else column[first:end]
        for name, given in labels.items():
            values[name] = given[first:end]
        offsets = [(start - left, stop - left) for start, stop in document.offsets[first:end]]
        yield Record(values, end - first, number == 0, document.text[left:right], offsets)


def write_labels(document: Document, annotation: Annotation) -> Labels:
    """The labels of a document's tokens in IOB2; None where nothing is known.

    >>> document = Document(1, "a", "Ada", ("Ada",), ((0, 3),), (0, 1), ((0, 3),))
    >>> write_labels(document, Annotation()), write_labels(document, Annotation(done=True))
    ([None], ['O'])
    """
    n = len(document.tokens)
    written = labels_from_spans([(s.start, s.end, s.label) for s in annotation.spans], n)
    if annotation.done:
        return [*written]
    return [None if label == OUTSIDE else label for label in written]


def read_labels(document: Document, labels: Labels, scheme: Scheme) -> Annotation | None:
    """What labels of tokens say of a document; None if there are none."""
    if all(label is None for label in labels):
        return None
    found: list[Span] = []
    for first, end in document.sequences:
        own = labels[first:end]
        spans = _runs(own) if scheme == "none" else spans_of_labels(own)
        found += [Span(first + start, first + stop, label) for start, stop, label in spans]
    return Annotation(spans=tuple(found), done=None not in labels)


def scheme_of(corpus: Corpus, column: str) -> Scheme:
    """The scheme of the labels in a column."""
    return detect_scheme(corpus.lists(column))


def _runs(labels: Labels) -> Iterator[tuple[int, int, str]]:
    """Neighbours of the same plain label are a span."""
    at = 0
    for label, group in groupby(labels):
        length = len(list(group))
        if label not in (None, OUTSIDE):
            yield at, at + length, label or ""
        at += length


def cut_tokens(
    document: Document, annotations: Mapping[str, Annotation]
) -> tuple[Document, dict[str, Annotation]]:
    """A document whose tokens end where spans that were drawn by characters do, and the annotations
    of its layers with the same spans, of these tokens."""
    drawn = [span for one in annotations.values() for span in one.spans]
    edges = {edge for span in drawn for edge in span.characters or ()}
    if not edges:
        return document, dict(annotations)
    offsets: list[tuple[int, int]] = []
    first_of: list[int] = []  # the number of the first part of each token
    for start, end in document.offsets:
        first_of.append(len(offsets))
        inside = sorted(edge for edge in edges if start < edge < end)
        offsets += pairwise([start, *inside, end])
    first_of.append(len(offsets))
    parts = [later - earlier for earlier, later in pairwise(first_of)]
    finer = replace(
        document,
        tokens=tuple(document.text[start:end] for start, end in offsets),
        offsets=tuple(offsets),
        bounds=tuple(first_of[bound] for bound in document.bounds),
        columns={
            name: tuple(v for v, n in zip(values, parts, strict=True) for _ in range(n))
            for name, values in document.columns.items()
        },
    )
    starts = {start: number for number, (start, _) in enumerate(offsets)}
    ends = {end: number + 1 for number, (_, end) in enumerate(offsets)}

    def moved(span: Span) -> Span:
        first, end = span.characters or (
            document.offsets[span.start][0],
            document.offsets[span.end - 1][1],
        )
        return Span(starts[first], ends[end], span.label)

    return finer, {
        layer: replace(one, spans=tuple(map(moved, one.spans)), rejected=())
        for layer, one in annotations.items()
    }
