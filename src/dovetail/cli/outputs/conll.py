"""Tagged sequences as CoNLL columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from dovetail.cli.outputs.results import LayeredResult, Result
from dovetail.corpus import Corpus, write_conll


def write_columns(corpus: Corpus, results: Sequence[Result], file: TextIO) -> None:
    """The columns that were read, then the predicted labels and, if known, their confidences.

    Of the K best, each column of labels is followed by the probability of the whole labelling;
    a sequence with fewer than K labellings has ``_`` and 0.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["Rome", "."]]})
    >>> result = Result(["B-LOC", "O"], confidences=[0.9, 1.0])
    >>> write_columns(corpus, [result], sys.stdout)  # doctest: +NORMALIZE_WHITESPACE
    Rome B-LOC 0.9000
    . O 1.0000
    <BLANKLINE>
    """
    _write_added(corpus, _columns(results), file)


def write_layered_columns(corpus: Corpus, results: Sequence[LayeredResult], file: TextIO) -> None:
    """The columns that were read, then those of each layer: its labels and, if known, confidences.

    Of the K best labellings each has a column for each layer, then its probability.
    """
    columns: list[list[list[str]]] = []
    for name in results[0].layers if results else ():
        if results[0].nbest is None:
            columns += _columns([result.layers[name] for result in results])
    for rank in range(max((len(result.nbest or ()) for result in results), default=0)):
        columns += _ranked(results, rank)
    _write_added(corpus, columns, file)


def _write_added(corpus: Corpus, columns: Sequence[list[list[str]]], file: TextIO) -> None:
    """The columns of a corpus, then others."""
    for column in columns:
        name = "predicted"
        while name in corpus.names:
            name += "'"
        corpus = corpus.with_column(name, column)
    write_conll(corpus, file, separator="\t")


def _columns(results: Sequence[Result]) -> list[list[list[str]]]:
    """What is known of the tokens, as columns."""
    columns: list[list[list[str]]] = []
    for rank in range(max((len(result.nbest or ()) for result in results), default=0)):
        labels, shares = [], []
        for result in results:
            ranked = result.nbest or []
            path, share = ranked[rank] if rank < len(ranked) else (["_"] * len(result.labels), 0.0)
            labels.append(path)
            shares.append([f"{share:.4f}"] * len(path))
        columns += [labels, shares]
    if not columns:
        columns.append([result.labels for result in results])
    if results and all(result.confidences is not None for result in results):
        columns.append([[f"{p:.4f}" for p in result.confidences or ()] for result in results])
    return columns


def _ranked(results: Sequence[LayeredResult], rank: int) -> list[list[list[str]]]:
    """The columns of one of the K best labellings; ``_`` and 0 where there are fewer."""
    names = list(results[0].layers)
    columns: list[list[list[str]]] = [[] for _ in (*names, "probability")]
    for result in results:
        nothing = {name: ["_"] * len(result.layers[name].labels) for name in names}
        ranked = result.nbest or []
        labels, share = ranked[rank] if rank < len(ranked) else (nothing, 0.0)
        for column, name in zip(columns, names, strict=False):
            column.append(labels[name])
        columns[-1].append([f"{share:.4f}"] * len(labels[names[0]]))
    return columns
