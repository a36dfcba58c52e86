"""Models of CRF++: the binary file, and the text that ``crf_learn -t`` writes beside it.

The binary file is a short header, the labels, the template, a double array (a trie) from feature
strings to numbers, and the weights; all in the byte order of the machine, here little-endian. The
cost factor in it is that of the training; CRF++ does not use it for tagging either.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

import numpy as np

from dovetail.interop.foreign import Floats, Ints, Reader
from dovetail.interop.observations import Observations

VERSION = 100  # versions from here on, below the next hundred, have this format
HEADER = struct.Struct("<IidII I")
LONGEST = 10_000  # bytes of a feature; a line of CRF++'s data has at most 8,192
OUTSIDE = re.compile(rb"_B([-+])([1-4])")
TEXT = re.compile(rb"version: *\d")


def is_crfpp_model(content: bytes) -> bool:
    """Whether this begins as a binary or a text model of CRF++ does."""
    if TEXT.match(content):
        return True
    version, kind = struct.unpack("<Ii", content[:8].ljust(8, b"\xff"))
    return bool(version // 100 in range(1, 10) and kind == 0)


def read_crfpp(content: bytes, source: str) -> Observations:
    """Everything that a model of CRF++ holds, but for the number of columns."""
    reader = Reader(content, source)
    if TEXT.match(content):
        return _TextModel(reader).observations()
    version, kind, _, n_weights, _, trie_size = HEADER.unpack(
        reader.piece(0, HEADER.size, "header")
    )
    if version // 100 != VERSION // 100 or kind:
        reader.fail(
            f"has version {version} of CRF++'s format, and only those from {VERSION} to "
            f"{VERSION + 99} can be read"
        )
    at = HEADER.size
    texts = []
    for what in ("labels", "template"):
        (size,) = struct.unpack("<I", reader.piece(at, 4, what))
        raw = reader.piece(at + 4, size, what)
        texts.append([part for part in raw.split(b"\0") if part])
        at += 4 + size
    strings, numbers = _trie(reader, at, trie_size)
    weights = reader.numbers(at + trie_size, "<f4", n_weights, "weights")
    if at + trie_size + weights.nbytes != len(content):
        reader.fail("is damaged: there is something after its weights")
    with np.errstate(invalid="ignore"):  # what is no number is refused later
        doubles = weights.astype(np.float64)
    return _observations(reader, texts[0], texts[1], strings, numbers, doubles)


def _observations(
    reader: Reader,
    labels: list[bytes],
    lines: list[bytes],
    strings: list[bytes],
    numbers: Ints,
    weights: Floats,
) -> Observations:
    n = len(labels)
    moves = np.array([text.startswith(b"B") for text in strings], bool)
    sizes = np.where(moves, n * n, n)
    own = numbers.size == 0 or (numbers.min() >= 0 and (numbers + sizes).max() <= len(weights))
    if not own or sizes.sum() > len(weights):
        reader.fail("is damaged: it has a feature whose weights it does not have")
    owner = np.repeat(np.arange(len(strings)), sizes)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return Observations(
        [reader.text(label, "label") for label in labels],
        [reader.text(line, "line of the template") for line in lines],
        strings,
        owner,
        np.where(moves[owner], place // max(n, 1), -1),
        place % max(n, 1),
        weights[numbers[owner] + place],
        OUTSIDE,
    )


def _trie(reader: Reader, at: int, size: int) -> tuple[list[bytes], Ints]:
    """The strings of a double array and their numbers.

    A unit has a base and a check. The children of a node are the units whose check is its base: the
    one at ``base + c + 1`` for the byte c, and at ``base`` itself the end of a string.
    """
    if size % 8:
        reader.fail("is damaged: its features end within one")
    base, check = reader.numbers(at, "<i4", size // 4, "features").reshape(-1, 2).T.astype(np.int64)
    order = np.argsort(check, kind="stable")
    sorted_check = check[order]
    strings: list[bytes] = []
    numbers: list[int] = []
    nodes: list[tuple[int, bytes]] = [(int(base[0]), b"")] if len(base) else []
    seen: set[int] = set()
    room = 64 * len(reader.content)  # strings share their beginnings, but not beyond reason
    while nodes:
        begin, prefix = nodes.pop()
        first, last = np.searchsorted(sorted_check, [begin, begin + 1])
        room -= int(last - first) * len(prefix)
        if begin in seen or begin <= 0 or len(prefix) > LONGEST or room < 0:
            reader.fail("is damaged: its features cannot be told apart")
        seen.add(begin)
        for unit in order[first:last].tolist():
            if unit == begin and base[unit] < 0:
                strings.append(prefix)
                numbers.append(-int(base[unit]) - 1)
            elif 0 < unit - begin <= 256:
                nodes.append((int(base[unit]), prefix + bytes([unit - begin - 1])))
    return strings, np.array(numbers, np.int64)


class _TextModel:
    """Blocks of lines with an empty one after each: facts, labels, template, features, weights."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.blocks = re.split(rb"\r?\n\r?\n", reader.content.rstrip(b"\r\n"))
        if len(self.blocks) != 5:
            reader.fail(
                f"is cut short or damaged: it has {len(self.blocks)} parts, and a text model of "
                "CRF++ has 5"
            )

    def observations(self) -> Observations:
        facts = dict(line.partition(b":")[::2] for line in self.lines(0))
        version, n_weights = (self.number(facts.get(name, b"")) for name in (b"version", b"maxid"))
        if version // 100 != VERSION // 100:
            self.reader.fail(
                f"has version {version:g} of CRF++'s format, and only those from {VERSION} to "
                f"{VERSION + 99} can be read"
            )
        pairs = [line.partition(b" ")[::2] for line in self.lines(3)]
        weights = np.array([self.number(line) for line in self.lines(4)])
        if len(weights) != n_weights:
            self.reader.fail(
                f"is cut short or damaged: it has {len(weights):,} of {n_weights:,.0f} weights"
            )
        return _observations(
            self.reader,
            list(self.lines(1)),
            list(self.lines(2)),
            [text for _, text in pairs],
            np.array([int(self.number(number)) for number, _ in pairs], np.int64),
            weights,
        )

    def lines(self, block: int) -> Iterator[bytes]:
        return (line.removesuffix(b"\r") for line in self.blocks[block].split(b"\n"))

    def number(self, text: bytes) -> float:
        try:
            found = float(text)
        except ValueError:
            self.reader.fail(f"is damaged: it has {text[:40]!r} where a number should be")
        if not abs(found) < 2**53:
            self.reader.fail(f"is damaged: it has the number {found}")
        return found
