"""What ``features=`` means: the one place where a name, or nothing, becomes a template."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, overload

from dovetail.corpus import Corpus, detect_scheme
from dovetail.errors import DataError
from dovetail.features.sets import default, named
from dovetail.features.template import Featurizer, Template

FeatureSet = Template | Featurizer | str | None
DEFAULT = "default"


@overload
def resolve_corpus_features(
    features: Template | str | None,
    corpus: Corpus,
    label: str,
    inputs: Sequence[str] | None = None,
) -> Template: ...
@overload
def resolve_corpus_features(
    features: FeatureSet, corpus: Corpus, label: str, inputs: Sequence[str] | None = None
) -> Template | Featurizer: ...
def resolve_corpus_features(
    features: FeatureSet, corpus: Corpus, label: str, inputs: Sequence[str] | None = None
) -> Template | Featurizer:
    """The features of a corpus of which the column ``label`` is to be learned.

    A template and a function are what they are. A name is that of a ready-made set over
    ``inputs``, by default all columns but the label; nothing is the set ``default``.

    >>> corpus = Corpus.from_lists({"word": [["a", "cat"]], "pos": [["DET", "NOUN"]]})
    >>> resolve_corpus_features("parts_of_speech", corpus, "pos").columns
    ('word',)
    """
    if features is None or isinstance(features, str):
        if inputs is None:
            inputs = [name for name in corpus.names if name != label]
        if not inputs:
            raise DataError(f"there is no column to make features of beside '{label}'")
        if features in (None, DEFAULT):
            return default(inputs, spans=_has_spans(corpus.lists(label)))
        return named(str(features), inputs)
    _check_kind(features)
    if label in getattr(features, "columns", ()):
        raise DataError(f"the template reads '{label}', the column that is to be learnt")
    return features


def resolve_list_features(
    features: FeatureSet, labels: Sequence[Any]
) -> Template | Featurizer | None:
    """The features of lists: of tokens, where there is a template or the name of one; None where
    these are token features already."""
    if features == DEFAULT:
        return default(("word",), spans=_has_spans(labels))
    if isinstance(features, str):
        return named(features, ("word",))
    if features is not None:
        _check_kind(features)
    return features


def _check_kind(features: Any) -> None:
    if not isinstance(features, Template) and not callable(features):
        raise DataError(
            f"features is {features!r}; give a template, the name of a set, or a function"
        )


def _has_spans(labels: Iterable[Sequence[Any]]) -> bool:
    return detect_scheme(labels) != "none"
