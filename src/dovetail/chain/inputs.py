"""Converts the data that a tagger is given: tokens, corpora, feature lists, indexed data.

Corpora and training code are imported only where they are needed: a process that tags lists loads
neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.data import is_corpus, is_dataset
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail import _native
    from dovetail.chain.model import ChainModel
    from dovetail.features import Dataset, Template
    from dovetail.features.resolution import FeatureSet


def encode_input(data: Any, model: ChainModel, feature_set: FeatureSet) -> _native.Batch:
    """The features that a model knows, of any kind of data it can read."""
    if is_dataset(data):
        return model.native.encode_dataset(data.native)
    template = resolve_template(model, feature_set)
    if template is not None:
        return template.encode(model.native, _as_corpus(data))
    return model.encode(_feature_lists(_as_corpus(data), model, feature_set))


def tag_input(
    data: Any, model: ChainModel, feature_set: FeatureSet, threads: int
) -> list[list[str]]:
    """Best labels of any kind of data that a model can read."""
    template = resolve_template(model, feature_set)
    if template is not None:
        try:
            return template.tag(model.native, data, model.labels, model.constraints, threads)
        except ValueError as error:
            raise DataError(str(error)) from None
    return model.tag(_feature_lists(data, model, feature_set), threads)


def resolve_template(model: ChainModel, feature_set: FeatureSet) -> Template | None:
    """The template that a model was trained with; None where it was trained without one."""
    spec = model.facts["features"]
    if spec is None or spec["kind"] != "template":
        return None
    if feature_set is None or isinstance(feature_set, str):
        return model.template
    from dovetail.features.template import Template

    if feature_set is not model.accepted:
        if (
            not isinstance(feature_set, Template)
            or json.loads(json.dumps(feature_set.spec())) != spec
        ):
            raise DataError("this model was trained with another template than the one given to it")
        model.accepted = feature_set
    return feature_set


def _as_corpus(data: Any) -> Any:
    """A corpus's sequence as a corpus of one; other data as it is."""
    return data.to_corpus() if hasattr(data, "to_corpus") else data


def _feature_lists(
    data: Any, model: ChainModel, feature_set: FeatureSet
) -> Iterable[Iterable[Any]]:
    if not is_corpus(data):
        if data is None or isinstance(data, str | Mapping):
            raise DataError("give a list of sequences, each a list of token features")
        return data  # type: ignore[no-any-return]
    if model.facts["features"] is None:
        raise DataError(
            "this model was trained on feature lists, so it cannot read a corpus; "
            "give feature lists"
        )
    if feature_set is None or not callable(feature_set):
        raise DataError(
            "this model was trained with a feature function of yours; "
            "set it again: load(path, features=function), or give feature lists, on the command "
            "line as feature text (--format crfsuite)"
        )
    return (feature_set(sequence) for sequence in data)


def index_training_data(
    data: Any,
    labels: Any,
    label: str | None,
    weights: Any,
    allowed: Any,
    feature_set: FeatureSet,
    constraints: Any = None,
) -> tuple[Dataset, dict[str, Any]]:
    """Index training data; also describe its features and columns for the model file.

    With the constraints "auto", label sequences that break the scheme of the others are repaired.
    """
    from dovetail.chain.training_labels import prepare_labels
    from dovetail.corpus import Corpus, guess_tokens, guess_unit
    from dovetail.features import Dataset, Template
    from dovetail.features.resolution import resolve_corpus_features, resolve_list_features

    if allowed is not None:
        constraints = None  # a repaired label might not be among those allowed
    if isinstance(data, Dataset):
        if any(given is not None for given in (labels, label, weights, allowed)):
            raise DataError("a Dataset has its labels and weights already; do not give others")
        return data, data.facts or {"label": None, **_describe_template(data.template)}
    beside = {"weights": weights, "allowed": allowed}
    if not isinstance(data, Corpus):
        if labels is None:
            raise DataError("feature lists need labels: fit(features, labels)")
        labels, repaired = prepare_labels(labels, constraints)
        feature_set = resolve_list_features(feature_set, labels)
        if not isinstance(feature_set, Template):
            facts = {"label": None, **_describe_template(None), **repaired}
            return Dataset.from_lists(data, labels, **beside), facts
        dataset = Dataset.from_template(feature_set, data, labels, **beside)
        return dataset, {"label": None, **_describe_template(feature_set), **repaired}
    label = label or data.names[-1]
    if label not in data.names:
        raise DataError(f"there is no column '{label}'; the data has {', '.join(data.names)}")
    known, repaired = prepare_labels(
        labels if labels is not None else data.lists(label), constraints
    )
    facts = {"label": label, "columns": list(data.names), **repaired}
    if data.texts is not None:
        facts |= {"unit": guess_unit(data.texts), "tokens": guess_tokens(data)}
    feature_set = resolve_corpus_features(feature_set, data, label)
    if isinstance(feature_set, Template):
        dataset = Dataset.from_template(feature_set, data, known, **beside)
        return dataset, {"features": feature_set.spec(), **facts}
    dataset = Dataset.from_lists(map(feature_set, data), known, **beside)
    return dataset, {"features": {"kind": "function"}, **facts}


def _describe_template(template: Template | None) -> dict[str, Any]:
    if template is None:
        return {"features": None}
    return {"features": template.spec(), "columns": list(template.columns)}


def held_out_scorer(
    held_out: Any, description: Mapping[str, Any], feature_set: FeatureSet, threads: int
) -> Callable[[ChainModel], float]:
    """A function from a model to its score on held-out data: span F1, or accuracy for plain
    labels."""
    from dovetail.corpus import Corpus
    from dovetail.evaluate import evaluate

    features: Any
    if isinstance(held_out, Corpus) and description["label"]:
        features, gold = held_out, held_out.lists(description["label"])
    elif description["label"] or not isinstance(held_out, tuple | list):
        raise DataError(
            "held-out data must be of the training data's kind: a corpus beside a corpus, "
            "a pair (features, labels) beside features"
        )
    else:
        features, gold = list(held_out[0]), [list(row) for row in held_out[1]]

    def score(model: ChainModel) -> float:
        report = evaluate(gold, tag_input(features, model, feature_set, threads))
        return report.micro.f1 if report.kind == "spans" else report.accuracy

    return score
