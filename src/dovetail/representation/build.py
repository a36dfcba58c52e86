"""Representations as recipes and the command line ask for them: by words and numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Literal, get_args

from dovetail.base.representation import Representation
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.representation.bias.property import Scaling
from dovetail.representation.bias.registry import OFFERED, make_properties
from dovetail.representation.hmm.biased.biased import BiasedHMM
from dovetail.representation.hmm.hmm import HMM
from dovetail.representation.hmm.layered import LayeredHMM
from dovetail.representation.word_classes import WordClasses

Kind = Literal["hmm", "biased", "layered", "classes"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def make_representation(
    kind: Kind,
    *,
    states: int | None = None,
    layers: int | None = None,
    repel: float | None = None,
    labels: str | None = None,
    sigma: float | None = None,
    scaling: Scaling | None = None,
    evaluations: int | None = None,
    **settings: Any,
) -> Representation:
    """A representation, not yet trained.

    Biases are asked for by ``labels``, a column, and by the weights of `OFFERED`; ``settings`` are
    those of the class. What is None is as the class has it.

    >>> make_representation("biased", states=3, distance=0.3)
    BiasedHMM(states=3, properties=(Distance(weight=0.3),))
    """
    weights = {key: settings.pop(key) for key in OFFERED if key in settings}
    properties = make_properties(labels, weights)
    if kind == "classes":
        return WordClasses(properties=properties, **_drop_none(classes=states), **settings)
    if properties and kind == "hmm":
        raise DataError("a plain HMM takes no biases: ask for the kind biased or layered")
    if kind == "biased" and not properties:
        raise DataError("a biased HMM needs a bias: by labels, by the distance of domains, or both")
    bound = _drop_none(sigma=sigma, scaling=scaling, evaluations=evaluations)
    settings |= _drop_none(states=states)
    one = HMM(**settings)
    if properties or (bound and repel):
        one = BiasedHMM(properties=properties, **bound, **settings)
    elif bound:
        verb = "bounds" if "sigma" in bound else "is that of"
        raise DataError(
            f"{next(iter(bound))} {verb} biases, and there are none: give labels, a distance, or "
            "layers that repel"
        )
    return (
        LayeredHMM(of=one, **_drop_none(layers=layers, repel=repel)) if kind == "layered" else one
    )


def _drop_none(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def train_representation(
    representation: Representation,
    source: Corpus,
    target: Corpus | None = None,
    callback: Callable[..., Any] | None = None,
) -> Representation:
    """Train it on text of the source and, if there is some, of the target."""
    texts = [source] if target is None else [source, target]
    if isinstance(representation, BiasedHMM | LayeredHMM | WordClasses):
        return representation.fit(*texts, callback=callback)
    if isinstance(representation, HMM):
        return representation.fit(texts, callback=callback)
    return representation


def select_text(corpora: Iterable[Corpus], column: str, labels: str | None = None) -> Corpus:
    """What a representation learns from: the words of corpora, under the name of a column, and
    labels. Words are the column of that name, or else the first."""
    parts = []
    for corpus in corpora:
        words = corpus.column(column if column in corpus.names else corpus.names[0])
        columns = {column: words} | ({} if labels is None else {labels: corpus.column(labels)})
        parts.append(Corpus(columns, corpus.bounds))
    return Corpus.concatenate(parts)
