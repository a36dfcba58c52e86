"""The parameters of layers in the file of a pipeline: what it takes to train them again.

A trained layer need not show them. By ``auto`` it is a pool, and features that were left open have
been chosen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NoReturn

from dovetail.base.parameters import parameters_of
from dovetail.chain.constraints import Constraints
from dovetail.chain.groups import FeatureGroup
from dovetail.chain.tagger import Tagger
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.pipeline.layers.annotator import LayerAnnotator
from dovetail.pipeline.layers.conversion import as_annotator
from dovetail.pipeline.layers.linear import is_linear_tagger

LATER = ("threads",)  # chosen where a pipeline is loaded


def parameters_spec(untrained: LayerAnnotator, trained: LayerAnnotator) -> dict[str, Any] | None:
    """The parameters of a tagger, linear or not, as plain data; None for other annotators, and for
    one that is its trained self, whose file holds its parameters."""
    tagger = untrained.source
    if untrained is trained or not (isinstance(tagger, Tagger) or is_linear_tagger(tagger)):
        return None
    values = tagger.get_params(deep=False)
    plain = {name: _plain(value) for name, value in values.items() if name not in LATER}
    plain["features"] = _features_spec(tagger.features, trained)
    kind = "Tagger" if isinstance(tagger, Tagger) else type(tagger).__name__
    return {"class": kind, "parameters": plain}


def restore_untrained(
    spec: Mapping[str, Any], name: str, trained: LayerAnnotator, function: Any, threads: int | None
) -> LayerAnnotator:
    """The layer that a spec describes; ``function`` makes its features where no file can hold
    them."""
    values = dict(spec["parameters"])
    values["features"] = _restore_features(values["features"], name, trained, function)
    if "groups" in values:
        values["groups"] = [FeatureGroup(**group) for group in values["groups"]]
    if isinstance(values.get("constraints"), Mapping):
        values["constraints"] = Constraints(**values["constraints"])
    kind = _class_named(spec["class"])
    known = {key: value for key, value in values.items() if key in parameters_of(kind)}
    return as_annotator(kind(threads=threads, **known))


def _class_named(name: str) -> Any:
    if name == "Tagger":
        return Tagger
    from dovetail.multitask import ASO, LinearTagger  # most pipelines need not load these

    return {"LinearTagger": LinearTagger, "ASO": ASO}[name]


def _plain(value: Any) -> Any:
    if isinstance(value, FeatureGroup):
        return asdict(value)
    if isinstance(value, Constraints):
        return {name: _plain(part) for name, part in vars(value).items()}
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.item() if hasattr(value, "item") else str(value)


def _features_spec(features: Any, trained: LayerAnnotator) -> Any:
    """Features as plain data. A template that a trained tagger of the layer has is not written
    twice: word lists and tables may be large."""
    if features is None or isinstance(features, str):
        return features
    if not isinstance(features, Template) or features.functions:
        return {"function": True}
    spec = features.spec()
    for number, tagger in enumerate(trained.taggers):
        template = tagger.template_
        if template is features or (template is not None and template.spec() == spec):
            return {"of_tagger": number}
    return {"template": spec}


def _restore_features(spec: Any, name: str, trained: LayerAnnotator, function: Any) -> Any:
    if not isinstance(spec, Mapping):
        return spec
    if "of_tagger" in spec:
        return trained.taggers[spec["of_tagger"]].template_
    if "template" in spec:
        return Template.from_spec(spec["template"])
    return _missing_function(name) if function is None else function


def _missing_function(name: str) -> Any:
    def features(sequence: Any) -> NoReturn:  # noqa: ARG001
        raise DataError(
            "its features are made by a function of your own, which no file can hold: give it "
            f"again, load(path, layers={{'{name}': function}})"
        )

    return features
