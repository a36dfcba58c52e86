"""What rows of a template make of a sequence, the slow and obvious way: with strings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from dovetail import Corpus, Template, column
from dovetail.features.attributes import Attribute, Call, Part, Row

WORDS = Template(
    column("word").lower.window(2),
    column("word").lower.ngrams(2, -1, 1),
    column("word").short_shape.window(2),
    column("word").affixes(4),
)
Items = list[tuple[str, float]]
Values = Mapping[str, Sequence[str | Items | None]]


def features(rows: Sequence[Row], columns: Values, t: int) -> list[tuple[str, float]]:
    """Names and values of the features at token t."""
    out = []
    for row in rows:
        for chosen in product(*(items_at(part, columns, t) for part in row.parts)):
            texts = "|".join(escaped(text) if len(chosen) > 1 else text for text, _ in chosen)
            name = f"{row.name}={texts}" if row.parts else row.name
            out.append((name, row.value * prod(value for _, value in chosen)))
    return out


def escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|")


def feature_lists(template: Template, corpus: Corpus) -> list[list[list[str]]]:
    """The features of a corpus as lists of strings, as users of other tools have them."""
    return [[[name for name, _ in t] for t in tokens] for tokens in template.features(corpus)]


def items_at(part: Part, columns: Values, t: int) -> Items:
    values = columns[part.attribute.column]
    at = t + part.offset
    if at < 0:
        return [(f"⟨{at}⟩", 1.0)]
    if at >= len(values):
        return [(f"⟨+{at - len(values) + 1}⟩", 1.0)]
    value = values[at]
    if value is None:
        return []
    items = [(value, 1.0)] if isinstance(value, str) else value
    found = [(text, v) for given, v in items for text in attribute(part.attribute, given)]
    return list(dict.fromkeys(found))


def attribute(of: Attribute, value: str) -> list[str]:
    values = [value]
    for call in of.calls:
        values = [text for one in values for text in step(call, one)]
    return values


def step(call: Call, value: str) -> list[str]:
    n = call.arguments[0] if call.arguments else None
    if call.name in ("prefix", "suffix", "chars"):
        assert isinstance(n, int)
        if call.name == "chars":
            marked = f"^{value}$"
            return [marked[k : k + n] for k in range(len(marked) - n + 1)]
        return [value[:n] if call.name == "prefix" else value[-n:]] if len(value) >= n else []
    if call.name in ("match", "test", "find"):
        found = re.search(str(n), value)
        if call.name == "test":
            return ["true" if found else "false"]
        if call.name == "find":
            return [found[0] if found else ""]
        return ["yes"] if re.fullmatch(str(n), value) else []
    shape = "".join(kind(c) for c in value)
    return {
        "lower": ["".join(c.lower() for c in value)],
        "shape": [shape],
        "short_shape": [re.sub(r"(.)\1+", r"\1", shape, flags=re.DOTALL)],
        "digits": ["".join("0" if kind(c) == "d" else c for c in value)],
        "length": [str(len(value))],
    }[call.name]


def kind(character: str) -> str:
    if character.isalpha():
        return "X" if character.isupper() else "x"
    return "d" if character.isdigit() else character
