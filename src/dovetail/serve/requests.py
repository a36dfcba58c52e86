"""What clients ask for, checked: JSON in, requests out, or a sentence that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any, NamedTuple

from dovetail.corpus.texts import UNITS
from dovetail.corpus.tokenizer import tokenize
from dovetail.serve.errors import ServiceError, bad_request
from dovetail.serve.limits import Limits
from dovetail.serve.models import ServedModel

INPUTS = ("text", "texts", "tokens", "sequences")
TAG_KEYS = (*INPUTS, "model", "unit", "decode", "nbest", "marginals", "per_token")
EXPLAIN_KEYS = ("text", "tokens", "model", "unit", "sequence", "token", "layer", "why_not", "top")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


class Options(NamedTuple):
    """What is to be said of each text or sequence."""

    unit: str | None = None
    decode: str | None = None
    nbest: int | None = None
    marginals: bool = False
    per_token: bool = False


@dataclass(frozen=True)
class TagRequest:
    """Texts, or sequences of tokens, for a model."""

    model: ServedModel
    items: Sequence[Any]
    are_texts: bool
    options: Options
    as_lines: bool = False

    def in_lines(self, size: int) -> list[TagRequest]:
        """The same in pieces of so many items, each item to be answered by a line."""
        starts = range(0, len(self.items), size)
        pieces = (self.items[first : first + size] for first in starts)
        return [replace(self, items=piece, as_lines=True) for piece in pieces]


@dataclass(frozen=True)
class ExplainRequest:
    """One sequence of a text, or of tokens, and which decisions are to be explained."""

    model: ServedModel
    item: Any
    is_text: bool
    unit: str | None
    sequence: int
    token: int | None
    layer: str
    why_not: str | None
    top: int


def read_object(body: bytes, *, example: str = '{"text": "..."}') -> dict[str, Any]:
    """The JSON object that a body holds."""
    try:
        found = DECODER.decode(body.decode())
    except UnicodeDecodeError:
        raise bad_request("the body is not UTF-8: send JSON in UTF-8") from None
    except (ValueError, RecursionError) as error:
        where = f" ({error})" if isinstance(error, json.JSONDecodeError) else ""
        raise bad_request(f"the body is no JSON{where}: send an object such as {example}") from None
    if b"\\ud" in body.lower():  # half of a character, perhaps
        try:
            json.dumps(found, ensure_ascii=False).encode()
        except RecursionError:
            raise bad_request("the body is nested too deeply") from None
        except UnicodeEncodeError:
            raise bad_request("there is a lone surrogate in the body, which is no text") from None
    if not isinstance(found, dict):
        raise bad_request(f"the body is JSON, but no object: send one such as {example}")
    return found


def read_tag_request(body: bytes, models: Mapping[str, ServedModel], limits: Limits) -> TagRequest:
    """The request of ``/v1/tag``."""
    given = read_object(body)
    _refuse_unknown(given, TAG_KEYS)
    model = _model(given, models)
    key = _only_input(given, INPUTS)
    value = given[key]
    are_texts = key in ("text", "texts")
    items = value if key in ("texts", "sequences") else [value]
    _check_items(key, items, are_texts)
    _check_size(items, are_texts, limits)
    if len(given) == 1 + ("model" in given):
        return TagRequest(model, items, are_texts, Options())
    options = Options(
        unit=_choice(given, "unit", UNITS),
        decode=_choice(given, "decode", model.decodings, of=f"the model '{model.name}'"),
        nbest=_whole_number(given, "nbest", 1, limits.n_best),
        marginals=_flag(given, "marginals"),
        per_token=_flag(given, "per_token"),
    )
    if options.unit is not None and not are_texts:
        raise bad_request("unit says how texts are cut: leave it out for tokens")
    return TagRequest(model, items, are_texts, options)


def read_explain_request(
    body: bytes, models: Mapping[str, ServedModel], limits: Limits
) -> ExplainRequest:
    """The request of ``/v1/explain``."""
    given = read_object(body)
    _refuse_unknown(given, EXPLAIN_KEYS)
    model = _model(given, models)
    key = _only_input(given, ("text", "tokens"))
    is_text = key == "text"
    _check_items(key, [given[key]], is_text)
    _check_size([given[key]], is_text, limits)
    layers = list(model.layers)
    why_not = given.get("why_not")
    if why_not is not None and not isinstance(why_not, str):
        raise bad_request(f"why_not is {_shown(why_not)}: give a label, or a type of span")
    return ExplainRequest(
        model,
        given[key],
        is_text,
        _choice(given, "unit", UNITS),
        _whole_number(given, "sequence", 0, limits.tokens) or 0,
        _whole_number(given, "token", 0, limits.tokens),
        _choice(given, "layer", layers, of=f"the model '{model.name}'") or layers[-1],
        why_not,
        _whole_number(given, "top", 1, 1000) or 10,
    )


def _refuse_unknown(given: Mapping[str, Any], known: Sequence[str]) -> None:
    odd = next((key for key in given if key not in known), None)
    if odd is not None:
        raise bad_request(f"there is no key {_shown(odd)} here: {', '.join(known)}")


def _model(given: Mapping[str, Any], models: Mapping[str, ServedModel]) -> ServedModel:
    name = given.get("model")
    if name is None and len(models) == 1:
        return next(iter(models.values()))
    if name is None:
        raise bad_request(f"say which model: {', '.join(models)}")
    if not isinstance(name, str) or name not in models:
        raise ServiceError(
            HTTPStatus.NOT_FOUND, f"there is no model {_shown(name)}: {', '.join(models)}"
        )
    return models[name]


def _only_input(given: Mapping[str, Any], known: Sequence[str]) -> str:
    found = [key for key in known if key in given]
    if len(found) != 1:
        raise bad_request(
            f"give one of {', '.join(known)}; {' and '.join(found) or 'none'} is here"
        )
    return found[0]


def _check_items(key: str, items: Any, are_texts: bool) -> None:
    if not isinstance(items, list):
        raise bad_request(f"{key} is {_shown(items)}: give a list")
    for number, item in enumerate(items, start=1):
        where = key if key in ("text", "tokens") else f"{key}, number {number},"
        if are_texts:
            if not isinstance(item, str):
                raise bad_request(f"{where} is {_shown(item)}: give a string")
        elif not isinstance(item, list):
            raise bad_request(f"{where} is {_shown(item)}: give a list of tokens")
        else:
            odd = next((token for token in item if not _is_token(token)), None)
            if odd is not None or None in item:
                raise bad_request(
                    f"{where} has the token {_shown(odd)}: a token is a string, a list of strings, "
                    "one a column or feature, or an object of features and numbers"
                )


def _is_token(token: Any) -> bool:
    if isinstance(token, str):
        return True
    if isinstance(token, list):
        return all(isinstance(part, str) for part in token)
    return isinstance(token, dict) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in token.values()
    )


def _check_size(items: Sequence[Any], are_texts: bool, limits: Limits) -> None:
    size = sum(map(len, items)) + len(items)
    if are_texts and size > limits.tokens:  # there are no more tokens than characters
        size = sum(len(tokenize(text)) for text in items) + len(items)
    if size > limits.tokens:
        raise ServiceError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"there are more than {limits.tokens} tokens in the request: send fewer at a time",
        )


def _choice(given: Mapping[str, Any], key: str, known: Sequence[str], of: str = "") -> str | None:
    value = given.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or value not in known:
        owner = f" of {of}" if of else ""
        raise bad_request(f"{key} is {_shown(value)}: give one{owner}: {', '.join(known)}")
    return value


def _whole_number(given: Mapping[str, Any], key: str, least: int, most: int) -> int | None:
    value = given.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise bad_request(f"{key} is {_shown(value)}: give a whole number, {least} to {most}")
    return value


def _flag(given: Mapping[str, Any], key: str) -> bool:
    value = given.get(key, False)
    if not isinstance(value, bool):
        raise bad_request(f"{key} is {_shown(value)}: give true or false")
    return value


def _shown(value: Any) -> str:
    """A value for a sentence: short, and on one line."""
    try:
        text = json.dumps(value)
    except RecursionError:
        return "nested too deeply"
    return text if len(text) <= 60 else f"{text[:60]} ..."
