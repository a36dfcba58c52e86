"""What the facts of each kind of model file have to be; nothing of a file is used before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any

from dovetail.limits import limits

LARGEST = 2**63
MOST_CLUSTERS = 65_535
Check = Callable[[Any], bool]


def text(value: Any) -> bool:
    return isinstance(value, str)


def whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < LARGEST


def number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < LARGEST


def finite(value: Any) -> bool:
    return number(value) and isfinite(value)


def mapping(value: Any) -> bool:
    return isinstance(value, dict)


def anything(value: Any) -> bool:  # noqa: ARG001 - as the others
    return True


def or_none(check: Check) -> Check:
    return lambda value: value is None or check(value)


def list_of(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(map(check, value))


def mapping_of(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def fields(**checks: Check) -> Check:
    """A mapping that has these keys, and perhaps others."""
    return lambda value: (
        isinstance(value, dict) and all(k in value and c(value[k]) for k, c in checks.items())
    )


def unique(value: Any) -> bool:
    return list_of(text)(value) and len(set(value)) == len(value)


def _features(value: Any) -> bool:
    if value is None:
        return True
    if not mapping(value) or not text(value.get("kind")):
        return False
    return value["kind"] != "template" or _template(value)


def _lattice(value: Any) -> bool:
    return whole(value) and 1 <= value <= limits.lattice


def _clusters(value: Any) -> bool:
    return whole(value) and 1 <= value <= MOST_CLUSTERS


def _settings(value: Any) -> bool:
    """Parameters of an estimator, which checks their types but for these."""
    return mapping(value) and all(text(value[k]) for k in ("column", "name") if k in value)


_template = fields(
    text=text,
    columns=list_of(text),
    lexicons=mapping,
    tables=mapping,
    functions=list_of(text),
)
_EM = {"settings": _settings, "memory": mapping_of(list_of(whole)), "rounds": whole}
_named = list_of(fields(name=text))


def _table(value: Any) -> bool:
    own = fields(prefixes=list_of(whole), unknown=or_none(text))
    return _settings(value) and own(value)


def _vectors(value: Any) -> bool:
    return _settings(value) and fields(clusters=or_none(_clusters))(value)


EVERY: Mapping[str, Check] = {"labels": unique, "training": mapping}
OPTIONAL: Mapping[str, Check] = {
    "dovetail": text,
    "unit": or_none(text),
    "columns": or_none(list_of(text)),
    "stopped": text,
    "origin": mapping_of(text),
    "resume": fields(number=whole, kept=whole, seconds=finite, history=list_of(list_of(anything))),
}
SCHEMA: Mapping[str, Mapping[str, Check]] = {
    "tagger": {"scheme": text, "features": _features, "label": or_none(text)},
    "linear tagger": {
        "features": _template,
        "settings": _settings,
        "factor": or_none(finite),
        "label": text,
    },
    "shared structure": {
        "features": _template,
        "settings": _settings,
        "directions": whole,
        "biased_by": list_of(text),
        "n_problems": whole,
    },
    "hidden Markov model": _EM,
    "biased hidden Markov model": _EM,
    "layered hidden Markov model": {"settings": _settings, "biased": list_of(anything)},
    "set of word classes": {"settings": _settings, "log_likelihood": finite},
    "set of word vectors": {"settings": _vectors, "dimensions": whole},
    "table of words": {"settings": _table},
    "document context": {"settings": _settings, "bytes": whole},
    "pipeline": {
        "layers": list_of(fields(name=text, weight=finite)),
        "notes": list_of(text),
        "training": mapping_of(mapping),
        "decode": text,
        "lattice": or_none(_lattice),
        "inference": text,
        "epsilon": finite,
    },
}
LATER: Mapping[str, Mapping[str, Check]] = {"pipeline": {"representations": _named}}


def find_fault(facts: Any, default_kind: str) -> str | None:
    """The name of the first fact that is missing or is not what it should be."""
    if not isinstance(facts, dict):
        return "facts"
    kind = facts.get("kind", default_kind)
    if not isinstance(kind, str):
        return "kind"
    needed = {**EVERY, **SCHEMA.get(kind, {})}
    for name, check in needed.items():
        if name not in facts or not check(facts[name]):
            return name
    for name, check in {**OPTIONAL, **LATER.get(kind, {})}.items():
        if name in facts and name not in needed and not check(facts[name]):
            return name
    return None
