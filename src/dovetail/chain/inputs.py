"""What a tagger makes of the data it is given: tokens, corpora, feature lists, indexed data.

Corpora and training code are imported only where they are needed: a process that tags lists loads
neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from dovetail.data import is_corpus
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail import _native
    from dovetail.chain.model import ChainModel
    from dovetail.features import Dataset, Template
    from dovetail.features.resolution import FeatureSet


def encoded(data: Any, model: ChainModel, own: FeatureSet) -> _native.Batch:
    """The features that a model knows, of any kind of data it can read."""
    template = template_of(model, own)
    if template is not None:
        return template.encode(model.native, _whole(data))
    return model.encode(_feature_lists(_whole(data), model, own))


def tagged(data: Any, model: ChainModel, own: FeatureSet, threads: int) -> list[list[str]]:
    """Best labels of any kind of data that a model can read."""
    template = template_of(model, own)
    if template is not None:
        try:
            return template.tag(model.native, data, model.labels, model.constraints, threads)
        except ValueError as error:
            raise DataError(str(error)) from None
    return model.tag(_feature_lists(data, model, own), threads)


def template_of(model: ChainModel, own: FeatureSet) -> Template | None:
    """The template that a model was trained with, if it was."""
    spec = model.facts["features"]
    if spec is None or spec["kind"] != "template":
        return None
    if own is None or isinstance(own, str):
        return model.template
    from dovetail.features.template import Template

    if own is not model.accepted:
        if not isinstance(own, Template) or json.loads(json.dumps(own.spec())) != spec:
            raise DataError("this model was trained with another template than the one given to it")
        model.accepted = own
    return own


def _whole(data: Any) -> Any:
    """A corpus's sequence as a corpus of one; other data as it is."""
    return data.alone() if hasattr(data, "alone") else data


def _feature_lists(data: Any, model: ChainModel, own: FeatureSet) -> Iterable[Iterable[Any]]:
    if not is_corpus(data):
        if isinstance(data, str | Mapping):
            raise DataError("give a list of sequences, each a list of token features")
        return data  # type: ignore[no-any-return]
    if model.facts["features"] is None:
        raise DataError(
            "this model was trained on feature lists, so it cannot read a corpus; "
            "give feature lists"
        )
    if own is None or not callable(own):
        raise DataError(
            "this model was trained with a feature function of yours; "
            "set it again: load(path, features=function), or give feature lists, on the command "
            "line as feature text (--format crfsuite)"
        )
    return (own(sequence) for sequence in data)


def indexed(
    data: Any, labels: Any, label: str | None, weights: Any, allowed: Any, own: FeatureSet
) -> tuple[Dataset, dict[str, Any]]:
    """Training data as numbers, and how it was made: what the model file says of it."""
    from dovetail.corpus import Corpus, unit_of
    from dovetail.features import Dataset, Template
    from dovetail.features.resolution import features_of_corpus, features_of_lists

    if isinstance(data, Dataset):
        if any(given is not None for given in (labels, label, weights, allowed)):
            raise DataError("a Dataset has its labels and weights already; do not give others")
        return data, {"label": None, **_made_by(data.template)}
    beside = {"weights": weights, "allowed": allowed}
    if not isinstance(data, Corpus):
        if labels is None:
            raise DataError("feature lists need labels: fit(features, labels)")
        if isinstance(own, str):
            labels = list(labels)  # a ready-made set may look at them
        own = features_of_lists(own, labels)
        if not isinstance(own, Template):
            return Dataset.from_lists(data, labels, **beside), {"label": None, **_made_by(None)}
        dataset = Dataset.from_template(own, data, labels, **beside)
        return dataset, {"label": None, **_made_by(own)}
    label = label or data.names[-1]
    if label not in data.names:
        raise DataError(f"there is no column '{label}'; the data has {', '.join(data.names)}")
    known = labels if labels is not None else data.lists(label)
    facts = {"label": label, "columns": list(data.names)}
    if data.texts is not None:
        facts["unit"] = unit_of(data.texts)
    own = features_of_corpus(own, data, label)
    if isinstance(own, Template):
        dataset = Dataset.from_template(own, data, known, **beside)
        return dataset, {"features": own.spec(), **facts}
    dataset = Dataset.from_lists(map(own, data), known, **beside)
    return dataset, {"features": {"kind": "function"}, **facts}


def _made_by(template: Template | None) -> dict[str, Any]:
    if template is None:
        return {"features": None}
    return {"features": template.spec(), "columns": list(template.columns)}


def held_out_scorer(
    held_out: Any, description: Mapping[str, Any], own: FeatureSet, threads: int
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
        report = evaluate(gold, tagged(features, model, own, threads))
        return report.micro.f1 if report.kind == "spans" else report.accuracy

    return score
