"""Mentions of entities, which may nest, as flat labels of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

from dovetail import Corpus
from dovetail.corpus import Span, labels_from_spans

Mention = Span
Document = tuple[Sequence[Sequence[str]], Sequence[Sequence[Mention]]]
"""Sentences of words, and the mentions in each of them."""


def outermost(mentions: Iterable[Mention]) -> list[Mention]:
    """Those that lie in no other; of two that cross, the longer one.

    >>> outermost([Span(0, 4, "PER"), Span(2, 4, "ORG"), Span(5, 6, "GPE")])
    [Span(start=0, end=4, label='PER'), Span(start=5, end=6, label='GPE')]
    """
    kept: list[Mention] = []
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m)):
        if all(mention.end <= other.start or other.end <= mention.start for other in kept):
            kept.append(mention)
    return sorted(kept)


def labelled(documents: Sequence[Document]) -> Corpus:
    """Documents as a corpus with the columns ``word`` and ``label`` (IOB2)."""
    words = [list(sentence) for sentences, _ in documents for sentence in sentences]
    found = [own for _, mentions in documents for own in mentions]
    labels = [
        labels_from_spans(outermost(own), len(sentence))
        for sentence, own in zip(words, found, strict=True)
    ]
    corpus = Corpus.from_lists({"word": words, "label": labels})
    ends = accumulate(len(sentences) for sentences, _ in documents)
    return Corpus(corpus.columns, corpus.bounds, document_bounds=[0, *ends])
