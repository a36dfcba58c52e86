"""Whether parameters that are numbers, flags or names have values of their type, as the
annotations of ``__init__`` declare it."""

from __future__ import annotations

from functools import cache
from numbers import Integral, Real
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from dovetail.cores import check_threads
from dovetail.errors import TrainingError

WORDS: dict[type, str] = {
    str: "a text",
    float: "a number",
    int: "a whole number",
    bool: "True or False",
}


def check_parameter_types(estimator: Any) -> None:
    """Refuse the first value that is neither of the type nor one of the words that may be given."""
    cls: type = type(estimator)
    for name, alternatives in plain_types(cls).items():
        value = getattr(estimator, name)
        if _is_one_of(value, alternatives):
            _check_range(name, value)
            continue
        words = [WORDS.get(one) or str(one) for one in alternatives if one is not NoneType]
        raise TrainingError(
            f"{name} is {value!r}, of the type {type(value).__name__}; give {' or '.join(words)}"
        )


def _check_range(name: str, value: Any) -> None:
    """Refuse numbers that the kernels cannot take."""
    if name == "threads":
        check_threads(value)
    elif isinstance(value, Integral) and not -(2**63) <= int(value) < 2**63:
        raise TrainingError(f"{name} is {value}; give a number below 2 to the power of 63")
    elif name == "seed" and value < 0:
        raise TrainingError(f"seed is {value}; give a number of at least 0")


@cache
def plain_types(cls: type) -> dict[str, tuple[Any, ...]]:
    """What a parameter may be, of those that are numbers, flags or names: some of float, int, bool,
    str and None's type, and words such as ``auto``."""
    found: dict[str, tuple[Any, ...]] = {}
    for one in reversed(cls.__mro__):
        init = vars(one).get("__init__")
        for name, text in getattr(init, "__annotations__", {}).items():
            alternatives = _alternatives(name, text, init.__globals__)  # type: ignore[union-attr]
            if alternatives and name != "return":
                found[name] = alternatives
            else:
                found.pop(name, None)
    return found


def _alternatives(name: str, text: Any, names: dict[str, Any]) -> tuple[Any, ...]:
    """The parts of an annotation; nothing where there is something else in it."""
    try:
        hint = get_type_hints(SimpleNamespace(__annotations__={name: text}), names)[name]
    except NameError:  # imported for type checkers alone: no plain type
        return ()
    is_union = get_origin(hint) in (Union, UnionType)
    parts = get_args(hint) if is_union else (hint,)
    flat: list[Any] = []
    for part in parts:
        flat += get_args(part) if get_origin(part) is Literal else [part]
    numeric = any(part in WORDS for part in flat)
    plain = all(part in WORDS or part is NoneType or isinstance(part, str) for part in flat)
    return tuple(flat) if numeric and plain else ()


def _is_one_of(value: Any, alternatives: tuple[Any, ...]) -> bool:
    is_flag = type(value).__name__ in ("bool", "bool_")  # of NumPy
    for one in alternatives:
        if one is float and isinstance(value, Real) and not is_flag:
            return True
        if one is int and isinstance(value, Integral) and not is_flag:
            return True
        if one is bool and is_flag:
            return True
        if one is str and isinstance(value, str):
            return True
        if (one is NoneType and value is None) or (isinstance(one, str) and value == one):
            return True
    return False
