"""Data that a pipeline is given, as corpora of bounded size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dovetail.corpus import Corpus
from dovetail.data import TOKENS, is_corpus, list_sequences
from dovetail.errors import DataError
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.representations import find_columns

if TYPE_CHECKING:
    from dovetail.representation import Representation

AT_ONCE = 20_000  # tokens decoded together; a longer sequence is decoded alone
SCORES_AT_ONCE = 1 << 25  # of transitions of a layer, where each token has its own


def as_corpus(
    data: Any, layers: Sequence[Layer], representations: Sequence[Representation] = ()
) -> Corpus:
    """A corpus as it is; lists of tokens as one that has the columns which representations and
    layers read and none of them writes."""
    if is_corpus(data):
        return cast(Corpus, data)
    inputs = input_columns(layers, representations) or ["word"]
    sequences = list_sequences(data, f"give a corpus, or {TOKENS.removeprefix('give ')}")
    for number, sequence in enumerate(sequences, start=1):
        for place, token in enumerate(sequence, start=1):
            single = isinstance(token, str)
            if single != (len(inputs) == 1) or not (single or len(token) == len(inputs)):
                wanted = "a string" if len(inputs) == 1 else f"a tuple of {', '.join(inputs)}"
                raise DataError(
                    f"sequence {number} token {place} is {token!r} where {wanted} was expected"
                )
    if len(inputs) == 1:
        return Corpus.from_lists({inputs[0]: sequences})
    return Corpus.from_lists(
        {name: [[t[k] for t in s] for s in sequences] for k, name in enumerate(inputs)}
    )


def input_columns(layers: Sequence[Layer], representations: Sequence[Representation]) -> list[str]:
    """Columns that data must have: those that are read and that nothing here writes."""
    written = {layer.name for layer in layers} | set(find_columns(representations))
    readers: list[Any] = [*representations, *(layer.annotator for layer in layers)]
    reads = dict.fromkeys(name for reader in readers for name in reader.reads_)
    return [name for name in reads if name not in written]


def split_corpus(corpus: Corpus, layers: Sequence[Layer]) -> Iterator[Corpus]:
    """A corpus in parts of bounded size, documents whole; in one where a layer has arrays of scores
    for just this corpus."""
    most = AT_ONCE
    for k, layer in enumerate(layers):
        latent = {lower.name: lower.labels for lower in layer.reads(layers[:k])}
        most = min(most, SCORES_AT_ONCE // max(1, layer.annotator.scores_a_token(latent)))
    if corpus.n_tokens <= most or not all(layer.annotator.scores_any_corpus for layer in layers):
        yield corpus
        return
    documents = corpus.document_bounds
    cuts = np.arange(len(corpus) + 1) if documents is None else documents
    tokens = corpus.bounds[cuts]
    first = 0
    while first < len(cuts) - 1:
        last = int(np.searchsorted(tokens, tokens[first] + most, side="right")) - 1
        last = max(last, first + 1)
        yield corpus[int(cuts[first]) : int(cuts[last])]
        first = last
