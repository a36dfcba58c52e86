"""Models of Wapiti: text with the patterns, the labels, the observations and the weights."""

from __future__ import annotations

import re

import numpy as np

from dovetail.interop.foreign import MOST_LABELS, Reader
from dovetail.interop.observations import Observations

HEAD = re.compile(rb"#mdl#(?:(\d{1,9})#)?(\d{1,18})\n")
OUTSIDE = re.compile(rb"_x([-+])([1-4#])")
MAXENT_MARKOV = 1
KINDS = {b"u": (False,), b"b": (True,), b"*": (False, True)}  # blocks of weights: on moves or not


def is_wapiti_model(content: bytes) -> bool:
    """Whether this begins as a model of Wapiti does."""
    return content.startswith(b"#mdl#")


def read_wapiti(content: bytes, source: str) -> Observations:
    """Everything that a model of Wapiti holds."""
    return _Model(Reader(content, source)).observations()


class _Model:
    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.at = 0

    def observations(self) -> Observations:
        reader = self.reader
        kind, count = self.matched(HEAD, "header")
        if kind is not None and int(kind) == MAXENT_MARKOV:
            reader.fail(
                "is a maximum-entropy Markov model of Wapiti's, which normalises each step for "
                "itself; only CRFs and maximum-entropy models can be imported"
            )
        (n_lines,) = self.matched(re.compile(rb"#rdr#(\d{1,9})/\d{1,9}(?:/-?\d{1,9})?\n"), "reader")
        lines = self.strings(int(n_lines), "pattern")
        labels = self.strings(self.count(), "label")
        strings = self.strings(self.count(), "observation")
        weights = self.weights(int(count))
        n, begin = len(labels), 0
        begins, on_move = [], []
        if n > MOST_LABELS:
            reader.fail(f"has {n:,} labels; models have from 1 to {MOST_LABELS:,}")
        for number, text in enumerate(strings):
            if text[:1] not in KINDS:
                reader.fail(f"has an observation of an unknown kind: {text[:40]!r}")
            for moves in KINDS[text[:1]]:
                begins.append((begin, number))
                on_move.append(moves)
                begin += n * n if moves else n
        place = np.array(list(weights), np.int64)
        if place.size and place.max() >= begin:
            reader.fail("is damaged: it has a weight for a feature that it does not have")
        table = np.array(begins, np.int64).reshape(-1, 2)
        block = np.searchsorted(table[:, 0], place, side="right") - 1
        place -= table[block, 0]
        return Observations(
            [reader.text(label, "label") for label in labels],
            [reader.text(line, "pattern") for line in lines],
            strings,
            table[block, 1],
            np.where(np.array(on_move, bool)[block], place // max(n, 1), -1),
            place % max(n, 1),
            np.array(list(weights.values()), np.float64),
            OUTSIDE,
        )

    def matched(self, pattern: re.Pattern[bytes], what: str) -> tuple[bytes, ...]:
        found = pattern.match(self.reader.content, self.at)
        if found is None:
            said = self.reader.content[self.at : self.at + 30]
            self.reader.fail(f"is cut short or damaged: it has {said!r} where its {what} should be")
        self.at = found.end()
        return found.groups()

    def count(self) -> int:
        return int(self.matched(re.compile(rb"#qrk#(\d{1,18})\n"), "list of strings")[0])

    def strings(self, count: int, what: str) -> list[bytes]:
        """So many strings, each with its length before it, as ``3:abc,``."""
        length, found = re.compile(rb"(\d{1,9}):"), []
        for _ in range(count):
            size = int(self.matched(length, what)[0])
            found.append(self.reader.piece(self.at, size, what))
            self.at += size
            self.matched(re.compile(rb",\n"), what)
        return found

    def weights(self, count: int) -> dict[int, float]:
        """Those that are not zero, by number; written in hexadecimal, so that none is rounded."""
        one, found = re.compile(rb"(\d{1,18})=([-+0-9a-fA-FxXpP.]{1,40})\n"), {}
        for _ in range(count):
            number, value = self.matched(one, "weights")
            try:
                found[int(number)] = float.fromhex(value.decode())
            except (ValueError, OverflowError):
                self.reader.fail(f"is damaged: it has {value!r} where a weight should be")
        return found
