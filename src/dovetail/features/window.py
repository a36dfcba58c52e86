"""Plain default features: words, affixes and shapes in a window around each token.

A feature set is any callable from a sequence to a list of token features. One that can describe
itself as plain data, like `Window`, is stored in the model file; a function of the user's own has
to be given again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Sequence as SequenceOf
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from dovetail.corpus import Sequence
from dovetail.errors import DataError

Featurizer = Callable[[Sequence], SequenceOf[Any]]


@dataclass(frozen=True)
class Window:
    """Features of the first column's words and of further columns' values, within ``size`` tokens.

    Beside a column that is itself called "shape", the shapes of words are called "shape'".

    >>> from dovetail.corpus import Corpus
    >>> corpus = Corpus.from_lists({"word": [["In", "Paris"]]})
    >>> Window(columns=("word",), size=1, affixes=2)(corpus[0])[1]  # doctest: +NORMALIZE_WHITESPACE
    ['word[-1]=in', 'word[0]=paris', 'word[-1,0]=in|paris', 'form=Paris',
     'shape[-1]=Xx', 'shape[0]=Xx', 'p1=P', 's1=s', 'p2=Pa', 's2=is', 'bias']
    """

    columns: tuple[str, ...]
    size: int = 2
    affixes: int = 4

    def __post_init__(self) -> None:
        if not self.columns:
            raise DataError("there is no column to make features of beside the label")
        if not (0 <= self.size <= 100 and 0 <= self.affixes <= 100):
            raise DataError("a window's size and affixes are numbers from 0 to 100")

    def __call__(self, sequence: Sequence) -> list[list[str]]:
        missing = [name for name in self.columns if name not in sequence.names]
        if missing:
            raise DataError(
                f"the features read a column '{missing[0]}' that the data does not have "
                f"(it has {', '.join(sequence.names)})"
            )
        words = [value or "" for value in sequence[self.columns[0]]]
        out: list[list[str]] = [[] for _ in words]
        self._add_window(out, self.columns[0], [word.lower() for word in words])
        for token, word in zip(out, words, strict=True):
            token.append("form=" + word)
        self._add_singles(out, self._name_of_shapes(), [shape_of(word) for word in words])
        for token, word in zip(out, words, strict=True):
            for n in range(1, self.affixes + 1):
                if len(word) >= n:
                    token += [f"p{n}={word[:n]}", f"s{n}={word[-n:]}"]
        for name in self.columns[1:]:
            self._add_window(out, name, [value or "" for value in sequence[name]])
        for token in out:
            token.append("bias")
        return out

    def _name_of_shapes(self) -> str:
        name = "shape"
        while name in self.columns:
            name += "'"
        return name

    def _add_singles(self, out: list[list[str]], name: str, values: list[str]) -> None:
        for t, token in enumerate(out):
            for d in range(-self.size, self.size + 1):
                if 0 <= t + d < len(values):
                    token.append(f"{name}[{d}]={values[t + d]}")

    def _add_window(self, out: list[list[str]], name: str, values: list[str]) -> None:
        self._add_singles(out, name, values)
        for t, token in enumerate(out):
            for d in (-1, 0):
                if t + d >= 0 and t + d + 1 < len(values):
                    token.append(f"{name}[{d},{d + 1}]={values[t + d]}|{values[t + d + 1]}")

    def spec(self) -> dict[str, Any]:
        """This feature set as plain data."""
        return {"kind": "window", **asdict(self)}

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> Window:
        """The feature set that `spec` describes."""
        return cls(tuple(spec["columns"]), int(spec["size"]), int(spec["affixes"]))


@lru_cache(maxsize=1 << 16)
def shape_of(word: str) -> str:
    """A word's shape with runs shortened.

    >>> shape_of("McDonald's"), shape_of("1995-96")
    ("XxXx'x", 'd-d')
    """
    shape = re.sub(r"[^\W\d_]", lambda m: "X" if m[0].isupper() else "x", word)
    return re.sub(r"(.)\1+", r"\1", re.sub(r"\d", "d", shape))
