"""The properties that files, recipes and the command line know."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from dovetail.errors import DataError
from dovetail.representation.bias.distance import Distance
from dovetail.representation.bias.entropy import Entropy
from dovetail.representation.bias.predict import Predict
from dovetail.representation.bias.property import Offer, Property
from dovetail.representation.bias.token_cost import TokenCost

PROPERTIES: tuple[type[Property], ...] = (Entropy, Distance, Predict)
OFFERED: dict[str, type[Property]] = {
    kind.offer.key: kind for kind in PROPERTIES if kind.offer is not None
}
"""Those that recipes and the command line offer, by the key of their weight."""


def find_offer(key: str) -> Offer:
    """How a property is offered whose weight has that key."""
    offer = OFFERED[key].offer
    assert offer is not None
    return offer


def reads_labels(keys: Collection[str]) -> bool:
    """Whether some of these keys are weights of properties that read labels."""
    return any(key in keys and find_offer(key).by_labels for key in OFFERED)


def make_properties(labels: str | None, weights: Mapping[str, float | None]) -> list[Property]:
    """The properties that are asked for: by ``labels``, a column, or by weights.

    >>> make_properties("pos", {"distance": 0.1})
    [Entropy(column='pos', weight=0.3), Distance(weight=0.1)]
    """
    made = []
    for key, kind in OFFERED.items():
        weight = weights.get(key)
        by_labels = find_offer(key).by_labels
        if by_labels and labels is None and weight is not None:
            raise DataError(f"{key} is the weight of labels: name their column by labels")
        if labels is None if by_labels else weight is None:
            continue
        arguments: dict[str, Any] = {"column": labels} if by_labels else {}
        if weight is not None:
            arguments["weight"] = weight
        made.append(kind(**arguments))
    return made


def find_label_columns(properties: Sequence[Property | TokenCost]) -> tuple[str, ...]:
    """The columns of labels that some properties are biased by."""
    return tuple(name for p in properties if p.weight > 0 for name in p.label_columns)


def check_properties(properties: Any) -> None:
    """Refuse what is no list of properties."""
    sound = isinstance(properties, list | tuple) and all(
        hasattr(one, "weight") and hasattr(one, "label_columns") for one in properties
    )
    if not sound:
        names = ", ".join(kind.__name__ for kind in (*PROPERTIES, TokenCost))
        raise DataError(f"properties is {properties!r}; give a list of some of {names}")


def restore_properties(specs: Sequence[dict[str, Any]]) -> list[Any]:
    """Properties from JSON; those of the user's own cannot come back, and say so when needed."""
    kinds = {kind.__name__: kind for kind in PROPERTIES}
    return [
        TokenCost.missing()
        if spec["kind"] == TokenCost.__name__
        else kinds[spec["kind"]](**{key: value for key, value in spec.items() if key != "kind"})
        for spec in specs
    ]
