"""What a tagger makes of the data it is given: feature lists, corpora, indexed data.

Corpora and training code are imported only where they are needed: a process that tags feature
lists loads neither.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.chain.model import ChainModel
    from dovetail.features import Dataset, Featurizer


def sequences_of(data: Any, model: ChainModel, own: Featurizer | None) -> Iterable[Iterable[Any]]:
    """Token features of any kind of data; ``own`` is the user's feature function, if any."""
    table = sys.modules.get("dovetail.corpus.table")  # not imported: cannot be a corpus
    if table is None or not isinstance(data, table.Corpus):
        if isinstance(data, str | Mapping):
            raise DataError("give a list of sequences, each a list of token features")
        return data  # type: ignore[no-any-return]
    featurize = feature_set(model.facts["features"], own)
    return (featurize(sequence) for sequence in data)


def tokens_of(sequence: Any, model: ChainModel, own: Featurizer | None) -> Any:
    """Token features of one sequence, which may be a corpus's."""
    table = sys.modules.get("dovetail.corpus.table")
    if table is None or not isinstance(sequence, table.Sequence):
        return sequence
    return feature_set(model.facts["features"], own)(sequence)


def feature_set(spec: Mapping[str, Any] | None, own: Featurizer | None) -> Featurizer:
    """What makes a corpus into the features that a model, so described, was trained on."""
    if spec is None:
        raise DataError(
            "this model was trained on feature lists, so it cannot read a corpus; "
            "give feature lists"
        )
    if spec["kind"] == "window":
        from dovetail.features import Window

        return Window.from_spec(dict(spec))
    if own is None:
        raise DataError(
            "this model was trained with a feature function of yours; "
            "set it again: load(path, features=function)"
        )
    return own


def indexed(
    data: Any, labels: Any, label: str | None, weights: Any, allowed: Any, own: Featurizer | None
) -> tuple[Dataset, dict[str, Any]]:
    """Training data as numbers, and how it was made: what the model file says of it."""
    from dovetail.corpus import Corpus
    from dovetail.features import Dataset, Window

    if isinstance(data, Dataset):
        if any(given is not None for given in (labels, label, weights, allowed)):
            raise DataError("a Dataset has its labels and weights already; do not give others")
        return data, {"features": None, "label": None}
    if not isinstance(data, Corpus):
        if labels is None:
            raise DataError("feature lists need labels: fit(features, labels)")
        beside = {"weights": weights, "allowed": allowed}
        return Dataset.from_lists(data, labels, **beside), {"features": None, "label": None}
    label = label or data.names[-1]
    if label not in data.names:
        raise DataError(f"there is no column '{label}'; the data has {', '.join(data.names)}")
    featurize = own or Window(tuple(name for name in data.names if name != label))
    spec = featurize.spec() if hasattr(featurize, "spec") else {"kind": "function"}
    dataset = Dataset.from_lists(
        (featurize(sequence) for sequence in data),
        labels if labels is not None else (sequence[label] for sequence in data),
        weights=weights,
        allowed=allowed,
    )
    return dataset, {"features": spec, "label": label, "columns": list(data.names)}


def held_out_scorer(
    held_out: Any, description: Mapping[str, Any], own: Featurizer | None, threads: int
) -> Callable[[ChainModel], float]:
    """A function from a model to its score on held-out data: span F1, or accuracy for plain
    labels."""
    from dovetail.corpus import Corpus
    from dovetail.evaluate import evaluate

    if isinstance(held_out, Corpus):
        featurize = feature_set(description["features"], own)
        features = [featurize(sequence) for sequence in held_out]
        gold: Any = held_out.lists(description["label"])
    elif description["features"] is not None or not isinstance(held_out, tuple | list):
        raise DataError(
            "held-out data must be of the training data's kind: a corpus beside a corpus, "
            "a pair (features, labels) beside features"
        )
    else:
        features, gold = list(held_out[0]), [list(row) for row in held_out[1]]

    def score(model: ChainModel) -> float:
        report = evaluate(gold, model.tag(features, threads))
        return report.micro.f1 if report.kind == "spans" else report.accuracy

    return score
