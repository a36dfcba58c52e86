"""Support vector machines of scikit-learn on the features of a template."""

from __future__ import annotations

from typing import Any

import numpy as np

from dovetail import Corpus, DataError, Template
from dovetail.corpus import Column

SUPPORT_VECTORS = {"tol": 1e-2, "random_state": 0}  # a tighter one takes three times as long


class SupportVectors:
    """scikit-learn's LinearSVC, one label against all others."""

    def __init__(self, features: Template) -> None:
        self.features = features

    def fit(self, corpus: Corpus, *, label: str) -> SupportVectors:
        """Train it."""
        try:
            from sklearn.feature_extraction import DictVectorizer
            from sklearn.svm import LinearSVC
        except ImportError:
            raise DataError(
                "support vector machines need scikit-learn: pip install scikit-learn"
            ) from None
        self._vectorizer = DictVectorizer(dtype=np.float32)
        matrix = _with_short_indices(self._vectorizer.fit_transform(self._tokens(corpus)))
        labels = [name for sequence in corpus.lists(label) for name in sequence]
        self._model = LinearSVC(**SUPPORT_VECTORS).fit(matrix, labels)
        return self

    def column(self, corpus: Corpus, *, soft: bool = False) -> Column:
        """Its labels for a corpus."""
        assert not soft
        matrix = _with_short_indices(self._vectorizer.transform(self._tokens(corpus)))
        predicted = self._model.predict(matrix)
        return Column.from_values(str(name) for name in predicted)

    def _tokens(self, corpus: Corpus) -> list[dict[str, Any]]:
        return [dict(token) for sequence in self.features.features(corpus) for token in sequence]


def _with_short_indices(matrix: Any) -> Any:
    """The same sparse matrix with indices of 32 bits, which are all that LinearSVC takes."""
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    return matrix
