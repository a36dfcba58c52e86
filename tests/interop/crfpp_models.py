"""An independent writer of CRF++ models, after the published format; CRF++'s own trainer does not
install from the package index."""

from __future__ import annotations

import random
import re
import struct
from pathlib import Path
from typing import NamedTuple

LINES = ["U00:%x[-1,0]", "U01:%x[0,0]", "U02:%x[-2,0]/%x[0,1]", "U03:%x[1,0]/%x[2,0]/%x[0,1]", "U"]
MOVES = ["B", "B01:%x[0,1]", "B02:%x[-1,0]/%x[0,1]"]
Rows = list[tuple[str, ...]]


class Model(NamedTuple):
    labels: list[str]
    lines: list[str]
    begins: dict[str, int]
    weights: list[float]
    factor: float = 1.0

    def binary(self) -> bytes:
        labels = b"".join(label.encode() + b"\0" for label in self.labels)
        template = b"".join(line.encode() + b"\0" for line in self.lines)
        template += b"\0" * (-(len(labels) + len(template)) % 4)
        trie = double_array({text.encode(): n for text, n in self.begins.items()})
        head = struct.pack("<IidIII", 100, 0, self.factor, len(self.weights), 2, len(trie))
        texts = [struct.pack("<I", len(part)) + part for part in (labels, template)]
        weights = struct.pack(f"<{len(self.weights)}f", *self.weights)
        return b"".join([head, *texts, trie, weights])

    def text(self) -> bytes:
        facts = [
            "version: 100",
            f"cost-factor: {self.factor:g}",
            f"maxid: {len(self.weights)}",
            "xsize: 2",
        ]
        strings = [f"{number} {text}" for text, number in sorted(self.begins.items())]
        weights = [f"{weight:.16f}" for weight in self.weights]
        blocks = [facts, self.labels, self.lines, strings, weights]
        return "\n\n".join("\n".join(block) for block in blocks).encode() + b"\n"


def random_model(sequences: list[Rows], seed: int = 0, factor: float = 1.0) -> Model:
    """Random weights for what the template makes of some sequences."""
    chance = random.Random(seed)
    labels = ["A", "B", "Ç"]
    strings = {
        expanded(line, rows, t)
        for rows in sequences
        for t in range(len(rows))
        for line in LINES + MOVES
    }
    begins: dict[str, int] = {}
    size = 0
    for text in sorted(strings):
        begins[text] = size
        size += len(labels) ** (1 if text.startswith("U") else 2)
    weights = [struct.unpack("<f", struct.pack("<f", chance.gauss(0, 1)))[0] for _ in range(size)]
    return Model(labels, LINES + MOVES, begins, weights, factor)


def expanded(line: str, rows: Rows, t: int) -> str:
    """A line of a template with the values around token t."""

    def value(macro: re.Match[str]) -> str:
        at = t + int(macro[1])
        if at < 0:
            return f"_B{at}"
        return rows[at][int(macro[2])] if at < len(rows) else f"_B+{at - len(rows) + 1}"

    return re.sub(r"%x\[(-?\d+),(\d+)\]", value, line)


def double_array(values: dict[bytes, int]) -> bytes:
    """Units of a base and a check. Nodes get the first base at which all their children fit."""
    base, check, highest, taken = {0: 0}, {0: 0}, 0, set()
    waiting = [(0, sorted(values), 0)]
    while waiting:
        unit, keys, depth = waiting.pop(0)
        children: dict[int, list[bytes]] = {}
        for key in keys:
            children.setdefault(key[depth] + 1 if depth < len(key) else 0, []).append(key)
        begin = max(1, highest - 300)  # the holes further down are not worth a search
        while begin in taken or any(begin + child in check for child in children):
            begin += 1
        taken.add(begin)
        base[unit] = begin
        for child, own in children.items():
            check[begin + child] = begin
            highest = max(highest, begin + child)
            if child:
                waiting.append((begin + child, own, depth + 1))
            else:
                base[begin] = -values[own[0]] - 1
    units = range(highest + 258)
    return b"".join(struct.pack("<iI", base.get(k, 0), check.get(k, 0)) for k in units)


def conll_rows(path: Path, begin: int, end: int) -> list[Rows]:
    """The columns before the label, of some sequences of a CoNLL file."""
    import gzip

    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    blocks = text.strip().split("\n\n")[begin:end]
    return [[tuple(line.split()[:2]) for line in block.split("\n")] for block in blocks]
