"""Features of a sequence as python-crfsuite understands them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail import _native
    from dovetail.chain.model import ChainModel
    from dovetail.chain.tagger import Tagger


class ItemSequence:
    """The features of a sequence, read once and used many times.

    >>> ItemSequence([["foo"], {"bar": {"baz": 1, "qux": ["a", "b"]}}]).items()
    [{'foo': 1.0}, {'bar:baz': 1.0, 'bar:qux:a': 1.0, 'bar:qux:b': 1.0}]
    """

    def __init__(self, pyseq: Iterable[Any]) -> None:
        self._items: list[dict[str, float]]
        if isinstance(pyseq, ItemSequence):
            self._items = pyseq.items()
        else:
            self._items = [dict(_attributes(item)) for item in pyseq]

    def items(self) -> list[dict[str, float]]:
        """A dict from attribute to value for each item."""
        return [dict(item) for item in self._items]

    def __iter__(self) -> Iterator[dict[str, float]]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"<ItemSequence of size {len(self)}>"


def _attributes(item: Any) -> Iterator[tuple[str, float]]:
    if not isinstance(item, Mapping):
        yield from ((_text(name), 1.0) for name in item)
        return
    for key, value in item.items():
        name = _text(key)
        if isinstance(value, Mapping | list | set):
            yield from ((f"{name}:{inner}", number) for inner, number in _attributes(value))
        elif isinstance(value, str | bytes):
            yield f"{name}:{_text(value)}", 1.0
        else:
            yield name, float(value)


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def encoded(model: ChainModel, xseq: Iterable[Any]) -> _native.Batch:
    """The features that a model knows, of one sequence.

    Read natively; what only python-crfsuite takes, such as names as bytes, is read here.
    """
    items = xseq if isinstance(xseq, list | tuple | ItemSequence) else list(xseq)
    try:
        return model.encode([items])
    except DataError:
        with suppress(TypeError, ValueError):
            return model.encode([ItemSequence(items)])
        raise


def predicted(tagger: Tagger, sequences: Iterable[Iterable[Any]]) -> list[list[str]]:
    """Best labels of many sequences, read in the same way."""
    many = list(sequences)
    try:
        return tagger.predict(many)
    except DataError:
        with suppress(TypeError, ValueError):
            return tagger.predict([ItemSequence(xseq) for xseq in many])
        raise
