"""How tagged sequences are written: CoNLL columns, JSON lines, text with spans in brackets."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from dovetail.corpus import Corpus, spans, write_conll
from dovetail.corpus import Sequence as CorpusSequence

Offsets = list[tuple[int, int]]
SpanShown = tuple[int, int, str, float | None]
KEYS = {"word": "tokens", "label": "gold", "labels": "gold"}  # of columns in JSON


@dataclass(frozen=True)
class Result:
    """What a tagger says of one sequence; None is what was not asked for, or does not exist."""

    labels: list[str]
    confidences: list[float] | None = None
    spans: Sequence[SpanShown] | None = None  # None also where labels do not write spans
    marginals: list[dict[str, float]] | None = None
    nbest: list[tuple[list[str], float]] | None = None


Writer = Callable[[Corpus, Sequence[Result], TextIO], None]


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
    write_added(corpus, added_columns(results), file)


def write_added(corpus: Corpus, columns: Sequence[list[list[str]]], file: TextIO) -> None:
    """The columns of a corpus, then others."""
    for column in columns:
        name = "predicted"
        while name in corpus.names:
            name += "'"
        corpus = corpus.with_column(name, column)
    write_conll(corpus, file, separator="\t")


def added_columns(results: Sequence[Result]) -> list[list[list[str]]]:
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


def write_json(corpus: Corpus, results: Sequence[Result], file: TextIO) -> None:
    """One object a line: the text, or the columns with "word" as "tokens"; then what is known.

    Spans are of characters, and have their text, if there is a text; else they are of tokens.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["Rome", "."]]})
    >>> write_json(corpus, [Result(["B-LOC", "O"])], sys.stdout)
    {"tokens": ["Rome", "."], "labels": ["B-LOC", "O"]}
    """
    for sequence, result in zip(corpus, results, strict=True):
        line: dict[str, Any] = {}
        text, offsets = sequence.text, sequence.offsets
        if text is not None and offsets is not None:
            line["text"] = text
        if "text" not in line or result.spans is None or result.marginals or result.nbest:
            line |= {KEYS.get(name, name): sequence[name] for name in sequence.names}
            line["labels"] = result.labels
        if result.spans is not None:
            line["spans"] = [span_object(span, line.get("text"), offsets) for span in result.spans]
        if result.marginals is not None:
            line["marginals"] = [
                {label: rounded(p) for label, p in token.items()} for token in result.marginals
            ]
        if result.nbest is not None:
            line["nbest"] = [
                {"labels": labels, "probability": rounded(p)} for labels, p in result.nbest
            ]
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def span_object(span: SpanShown, text: str | None, offsets: Any) -> dict[str, Any]:
    """A span for JSON: of characters of a text, or of tokens."""
    start, end, label, probability = span
    if text is None:
        return {"start": start, "end": end, "label": label, "probability": rounded(probability)}
    start, end = int(offsets[start][0]), int(offsets[end - 1][1])
    place = {"start": start, "end": end, "label": label, "text": text[start:end]}
    return {**place, "probability": rounded(probability)}


def rounded(probability: float | None) -> float | None:
    """A probability as it is written: six digits."""
    return None if probability is None else round(probability, 6)


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
        text, offsets = _text_of(sequence)
        if result.nbest is None:
            body = inline(text, offsets, result.labels, result.spans, result.confidences)
            file.write(f"{body}\n")
        for labels, probability in result.nbest or ():
            found = None if result.spans is None else [(*span, None) for span in spans(labels)]
            file.write(f"{probability:.4f}  {inline(text, offsets, labels, found)}\n")


def _text_of(sequence: CorpusSequence) -> tuple[str, Offsets]:
    if sequence.text is not None and sequence.offsets is not None:
        return sequence.text, [(start, end) for start, end in sequence.offsets.tolist()]
    words = [word or "_" for word in sequence[sequence.names[0]]]
    offsets: Offsets = []
    at = 0
    for word in words:
        offsets.append((at, at + len(word)))
        at += len(word) + 1
    return " ".join(words), offsets


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
