"""Annotators of other kinds as layers of a pipeline: functions, rules, neural taggers.

Each of these makes a `Scores`, which `Pipeline` takes by the side of taggers. What others say of
places in a text is moved to the tokens of the corpus.
"""

from __future__ import annotations

import logging
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus, add_offsets, allowed_transitions, labels_from_spans
from dovetail.errors import DataError
from dovetail.numeric import exp, log
from dovetail.pipeline.layers.scores import Scores

Floats = npt.NDArray[np.float64]
Offsets = list[tuple[int, int]]
SpanScheme = Literal["IOB1", "IOB2", "IOBES"]
Pieces = Literal["first", "mean"]
LEAST = 1e-6  # no label is taken to be less probable, or its opposite
_log = logging.getLogger(__name__)


def labels_layer(
    labels: Sequence[str],
    tag: Callable[[list[Any]], Sequence[str | None]],
    *,
    confidence: float = 0.9,
    column: str = "word",
    scheme: SpanScheme | None = None,
) -> Scores:
    """A layer from a function that gives each token of a sequence a label.

    ``tag`` is called with the list of values of ``column``. Its labels are taken to be right with
    the probability ``confidence``, the others sharing the rest; None says nothing. ``scheme`` rules
    out labels that cannot follow one another.

    >>> layer = labels_layer(["O", "NUM"], lambda ws: ["NUM" if w.isdigit() else "O" for w in ws])
    >>> from dovetail import Pipeline
    >>> Pipeline({"number": layer}).predict([["Room", "12"]])["number"]
    [['O', 'NUM']]
    """
    known = _numbered(labels)
    rows = {label: _row(len(known), k, confidence) for label, k in known.items()}

    def scores(corpus: Corpus) -> list[Floats]:
        made = []
        for number, words in enumerate(corpus.lists(column), start=1):
            found = list(tag(words))
            if len(found) != len(words):
                raise DataError(
                    f"the function gave {len(found)} labels for the {len(words)} tokens of "
                    f"sequence {number}"
                )
            matrix = np.zeros((len(words), len(known)))
            for token, label in enumerate(found):
                if label is not None:
                    _known(label, known, f"sequence {number}, token {token + 1}")
                    matrix[token] = rows[label]
            made.append(matrix)
        return made

    return _layer(labels, scores, scheme)


def entities_layer(
    labels: Sequence[str],
    find: Callable[[list[str]], Iterable[Sequence[Any]]],
    *,
    outside: float = 0.9,
    scheme: SpanScheme | None = "IOB2",
) -> Scores:
    """A layer from what Hugging Face's token-classification pipeline gives, a list of dicts a text.

    ``find`` is that pipeline, or any function of a list of texts whose dicts have "start", "end",
    "score" and "entity" (``B-PER``), "entity_group" (``PER``) or, as GLiNER's have, "label". A
    label has its score as its probability and the others share the rest. Tokens that nothing is
    said of are ``O`` with the probability ``outside``. A token takes what is said of its first
    piece.

    >>> def find(texts):
    ...     return [[{"entity_group": "PER", "score": 0.98, "start": 3, "end": 12}] for _ in texts]
    >>> layer = entities_layer(["O", "B-PER", "I-PER"], find)
    >>> from dovetail import Pipeline
    >>> Pipeline({"ner": layer}).predict([["by", "Ada", "Lopez"]])["ner"]
    [['O', 'B-PER', 'I-PER']]
    """
    known = _numbered(labels)
    n = len(known)
    quiet = _row(n, _known("O", known, "tokens that no entity covers"), outside)

    def scores(corpus: Corpus) -> list[Floats]:
        made = []
        for number, (found, offsets) in enumerate(_asked(find, corpus), start=1):
            where = f"sequence {number}"
            matrix = np.tile(quiet, (len(offsets), 1))
            for entity in sorted((_entity(e, where) for e in found), reverse=True):
                start, end, label, score, grouped = entity
                first, last = _covered(offsets, start, end)
                covered = max(last - first, 0)
                names = [label] * covered
                if grouped and covered:
                    names = labels_from_spans([(0, covered, label)], covered, scheme or "IOB2")
                for token, name in enumerate(names, start=first):
                    matrix[token] = _row(n, _known(name, known, where), score)
            made.append(matrix)
        return made

    return _layer(labels, scores, scheme)


def logits_layer(
    labels: Sequence[str],
    score: Callable[[list[str]], Iterable[tuple[npt.ArrayLike, npt.ArrayLike]]],
    *,
    pieces: Pieces = "first",
    scheme: SpanScheme | None = "IOB2",
) -> Scores:
    """A layer from a network's scores of word pieces.

    ``score`` is called with a list of texts and gives for each an array [pieces x labels] and the
    places of the pieces, [pieces x 2] in characters, as fast tokenizers do with
    ``return_offsets_mapping``; pieces without characters, such as ``[CLS]``, are passed over.
    ``labels`` stand in the order of ``model.config.id2label``. A token takes the scores of its
    first piece, or their mean; one without any piece, as beyond the network's length, is left to
    the other layers.

    >>> def score(texts):
    ...     return [([[0, 0], [0, 3], [2, 0]], [[0, 0], [0, 2], [2, 4]]) for _ in texts]
    >>> logits_layer(["O", "X"], score, scheme=None).potentials(
    ...     Corpus.from_lists({"word": [["Adas"]]}), {}).node.argmax(axis=1).tolist()
    [1]
    """
    if pieces not in ("first", "mean"):
        raise DataError(f"the pieces of a word give its 'first' scores or their 'mean': {pieces!r}")

    def scores(corpus: Corpus) -> list[Floats]:
        made = []
        bare = 0
        for number, ((given, places), offsets) in enumerate(_asked(score, corpus), start=1):
            logits = _log_softmax(given, len(labels), f"sequence {number}")
            where = np.asarray(places, np.int64)
            if where.shape != (len(logits), 2) and len(logits) + where.size:
                raise DataError(
                    f"sequence {number} has scores of {len(logits)} pieces and places of the shape "
                    f"{where.shape} where ({len(logits)}, 2) was expected"
                )
            matrix = np.zeros((len(offsets), len(labels)))
            of_token: list[list[int]] = [[] for _ in offsets]
            for piece, (start, end) in enumerate(where.tolist()):
                for token in range(*_covered(offsets, start, end)) if start < end else ():
                    of_token[token].append(piece)
            for token, members in enumerate(of_token):
                bare += not members
                if members:
                    chosen = members[:1] if pieces == "first" else members
                    matrix[token] = logits[chosen].mean(axis=0)
            made.append(matrix)
        if bare:
            _log.warning("%d tokens have no scores: the network saw no piece of them", bare)
        return made

    return _layer(labels, scores, scheme)


def _layer(
    labels: Sequence[str], scores: Callable[[Corpus], list[Floats]], scheme: SpanScheme | None
) -> Scores:
    if scheme is None:
        return Scores(labels, scores)
    transitions, start, end = allowed_transitions(labels, scheme)

    def bounded(corpus: Corpus) -> list[Floats]:
        made = scores(corpus)
        for matrix in made:
            matrix[:1, ~start] = -np.inf
            matrix[-1:, ~end] = -np.inf
        return made

    return Scores(labels, bounded, transitions=np.where(transitions, 0.0, -np.inf))


def _asked(ask: Callable[[list[str]], Iterable[Any]], corpus: Corpus) -> list[tuple[Any, Offsets]]:
    """What a function says of the text of each sequence, and where its tokens are."""
    whole, _ = add_offsets(corpus)
    texts = list(whole.texts or ())
    given = list(ask(texts)) if texts else []
    if len(given) != len(texts):
        raise DataError(f"the function gave {len(given)} answers for {len(texts)} texts")
    places = [[] if s.offsets is None else s.offsets.tolist() for s in whole]
    return [(one, [(a, b) for a, b in found]) for one, found in zip(given, places, strict=True)]


def _covered(offsets: Offsets, start: int, end: int) -> tuple[int, int]:
    """The tokens that share a character with a place in the text."""
    return bisect_right(offsets, start, key=lambda o: o[1]), bisect_left(
        offsets, end, key=lambda o: o[0]
    )


def _entity(given: Any, where: str) -> tuple[int, int, str, float, bool]:
    try:
        key = next((key for key in ("entity_group", "label") if key in given), "entity")
        label, grouped = given[key], key != "entity"
        start, end, score = int(given["start"]), int(given["end"]), float(given["score"])
    except (KeyError, TypeError, ValueError):
        raise DataError(
            f"{where}: {str(given)[:60]} is no dict with start, end, score and entity, "
            "entity_group or label; a pipeline gives start and end with a fast tokenizer only"
        ) from None
    return start, end, str(label), score, grouped and label != "O"


def _numbered(labels: Sequence[str]) -> dict[str, int]:
    known = {label: k for k, label in enumerate(labels)}
    if len(known) != len(labels):
        raise DataError(f"the labels of a layer must differ: {', '.join(labels)}")
    return known


def _known(label: str, known: dict[str, int], where: str) -> int:
    if label not in known:
        raise DataError(f"{where}: the label {label!r} is not one of {', '.join(known)}")
    return known[label]


def _row(n: int, label: int, probability: float) -> Floats:
    """Log-scores of n labels of which one has this probability."""
    if not 0 <= probability <= 1:
        raise DataError(f"a label cannot have the probability {probability}")
    p = min(max(probability, LEAST), 1 - LEAST)
    row = np.full(n, log((1 - p) / max(n - 1, 1)))
    row[label] = log(p)
    return row


def _log_softmax(given: npt.ArrayLike, n: int, where: str) -> Floats:
    logits = np.asarray(given, np.float64)
    if logits.ndim != 2 or logits.shape[1] != n:
        raise DataError(
            f"{where} has scores of the shape {logits.shape} where {n} labels ask for (pieces, {n})"
        )
    shifted = logits - logits.max(axis=1, keepdims=True, initial=-np.inf)
    return np.asarray(shifted - log(exp(shifted).sum(axis=1, keepdims=True)))
