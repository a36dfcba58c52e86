"""Scores from elsewhere as a layer: a neural tagger's, another tool's, a table's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.layers.annotator import LayerAnnotator


class Scores(LayerAnnotator):
    """A layer whose label scores come from an array or a function of the user's.

    ``source`` has for each sequence a matrix [tokens x labels] of log-scores, or is a function
    that makes such a list of a corpus; ``transitions`` are [labels x labels], from the label before
    to the label. Scores need not be normalised.

    >>> from dovetail.corpus import Corpus
    >>> layer = Scores(["O", "PER"], lambda corpus: [[[0, 1]] * len(s) for s in corpus])
    >>> layer.potentials(Corpus.from_lists({"word": [["Ada", "spoke"]]}), {}).node.tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """

    def __init__(
        self,
        labels: Sequence[str],
        source: Callable[[Corpus], Sequence[npt.ArrayLike]] | Sequence[npt.ArrayLike],
        *,
        transitions: npt.ArrayLike | None = None,
    ) -> None:
        if not labels or len(set(labels)) != len(labels):
            raise DataError("a layer of scores needs labels, all of them different")
        self._labels = list(labels)
        self._source = source
        n = len(labels)
        given = np.zeros((n, n)) if transitions is None else np.array(transitions, np.float64)
        if given.shape != (n, n) or np.isnan(given).any():
            raise DataError(
                f"transitions have the shape {given.shape}; {n} labels need ({n}, {n}) numbers"
            )
        self.transitions = given

    def __repr__(self) -> str:
        of = "a function" if callable(self._source) else "arrays"
        return f"Scores({self._labels}, {of})"

    @property
    def labels_(self) -> list[str]:
        return self._labels

    @property
    def reads_(self) -> tuple[str, ...]:
        return ()

    @property
    def scores_any_corpus(self) -> bool:
        """Whether they come from a function, and not from the arrays of one corpus."""
        return callable(self._source)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:  # noqa: ARG002
        """The scores, checked to fit the corpus."""
        given = list(self._source(corpus) if callable(self._source) else self._source)
        if len(given) != len(corpus):
            hint = "" if callable(self._source) else "; give a function to score any data"
            raise DataError(
                f"there are scores for {len(given)} sequences where the data has "
                f"{len(corpus)}{hint}"
            )
        matrices = [self._matrix(k, one, len(corpus[k])) for k, one in enumerate(given)]
        node = np.concatenate([np.empty((0, len(self.labels_))), *matrices])
        return Potentials(tuple(self.labels_), node, self.transitions.copy())

    def _matrix(self, number: int, given: Any, length: int) -> npt.NDArray[np.float64]:
        matrix = np.asarray(given, np.float64)
        expected = (length, len(self.labels_))
        if length == 0 and matrix.size == 0:
            return np.empty(expected)
        if matrix.shape != expected:
            raise DataError(
                f"the scores of sequence {number + 1} have the shape {matrix.shape} where its "
                f"tokens and the labels ask for {expected}"
            )
        if np.isnan(matrix).any() or np.isposinf(matrix).any():
            token = int(np.flatnonzero(~(matrix < np.inf).all(axis=1))[0])
            raise DataError(
                f"sequence {number + 1} token {token + 1} has a score that is no number below "
                "infinity"
            )
        return matrix
