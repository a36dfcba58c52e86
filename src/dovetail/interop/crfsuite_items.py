"""Features of a sequence as python-crfsuite understands them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from dovetail.errors import DataError

Found = TypeVar("Found")


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
    if not isinstance(item, dict):
        yield from ((decode_name(name), 1.0) for name in item)
        return
    for key, value in item.items():
        name = decode_name(key)
        if isinstance(value, dict | list | set):
            yield from ((f"{name}:{inner}", number) for inner, number in _attributes(value))
        elif isinstance(value, str | bytes):
            yield f"{name}:{decode_name(value)}", 1.0
        else:
            yield name, float(value)


def decode_name(name: str | bytes) -> str:
    """A name or a label, which python-crfsuite takes as bytes too."""
    if isinstance(name, bytes):
        return name.decode()
    if not isinstance(name, str):
        raise DataError(f"{name!r:.40} is of type {type(name).__name__}; give a string")
    return name


def copy_item(item: Any) -> Any:
    """An item of its own, which does not change when the caller's does."""
    if isinstance(item, dict):
        return {
            name: copy_item(value) if isinstance(value, dict | list | set) else value
            for name, value in item.items()
        }
    if isinstance(item, list | set):
        return item.copy()
    return list(item) if isinstance(item, Iterator) else item


def read_items(read: Callable[[list[Any]], Found], sequences: Iterable[Iterable[Any]]) -> Found:
    """What a function of ours makes of sequences.

    Read natively; what only python-crfsuite takes, such as names as bytes, is read here.
    """
    many = [list(xseq) if isinstance(xseq, Iterator) else xseq for xseq in sequences]
    try:
        return read(many)
    except DataError:
        with suppress(TypeError, ValueError):
            return read([ItemSequence(xseq) for xseq in many])
        raise
