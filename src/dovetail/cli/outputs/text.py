"""Tagged sequences as text with spans in brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from dovetail.cli.outputs.results import LayeredResult, Result, SpanShown, best_spans, last_layers
from dovetail.corpus import Corpus
from dovetail.corpus import Sequence as CorpusSequence
from dovetail.corpus.offsets import Offsets, join_words


def write_inline(corpus: Corpus, results: Sequence[Result], file: TextIO) -> None:
    """Text with each span in brackets: its label, its words, its probability.

    Plain labels, such as parts of speech, follow their words after a slash. The K best are a line
    each, after the probability of the whole labelling. A blank line divides documents.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["In", "New", "York"]]})
    >>> result = Result(["O", "B-LOC", "I-LOC"], spans=[(1, 3, "LOC", 0.984)])
    >>> write_inline(corpus, [result], sys.stdout)
    In [LOC New York 0.98]
    """
    bounds = [] if corpus.document_bounds is None else corpus.document_bounds.tolist()
    for sequence, result in zip(corpus, results, strict=True):
        if sequence.index in bounds[1:]:
            file.write("\n")
        text, offsets = text_of(sequence)
        if result.nbest is None:
            body = inline(text, offsets, result.labels, result.spans, result.confidences)
            file.write(f"{body}\n")
        for labels, probability in result.nbest or ():
            found = None if result.spans is None else best_spans(labels)
            file.write(f"{probability:.4f}  {inline(text, offsets, labels, found)}\n")


def write_layered_inline(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """Text with the spans, or the labels, of the last layer."""
    write_inline(corpus, last_layers(results), file)


def text_of(sequence: CorpusSequence) -> tuple[str, Offsets]:
    """The text of a sequence, or else its words with blanks between them, and where they stand."""
    if sequence.text is not None and sequence.offsets is not None:
        return sequence.text, [(start, end) for start, end in sequence.offsets.tolist()]
    words = [word or "_" for word in sequence[sequence.names[0]]]
    return join_words(words)


def inline(
    text: str,
    offsets: Offsets,
    labels: Sequence[str],
    found: Sequence[SpanShown] | None,
    confidences: Sequence[float] | None = None,
) -> str:
    """One text with its spans in brackets, or its labels after its words.

    >>> inline("no way", [(0, 2), (3, 6)], ["DT", "NN"], None, [0.5, 0.75])
    'no/DT/0.50 way/NN/0.75'
    """
    pieces: list[str] = []
    at = 0
    if found is None:
        for t, (_, end) in enumerate(offsets):
            confidence = "" if confidences is None else f"/{confidences[t]:.2f}"
            pieces.append(f"{text[at:end]}/{labels[t]}{confidence}")
            at = end
    for first, after, label, probability in found or ():
        start, end = offsets[first][0], offsets[after - 1][1]
        share = "" if probability is None else f" {probability:.2f}"
        pieces.append(f"{text[at:start]}[{label} {text[start:end]}{share}]")
        at = end
    return "".join(pieces) + text[at:]
