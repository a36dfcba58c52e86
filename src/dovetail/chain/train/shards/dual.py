"""Dual ascent over parts of a corpus: blocks that ascend by themselves, whose changes are added.

The parts are divided into blocks, few for few parts. In a round each block goes through its parts,
one after another, from the weights that all began with. It sees its own changes as many times as
large as there are blocks, so that all changes together raise the dual value however much the blocks
have in common (Ma, Smith, Jaggi, Jordan, Richtarik & Takac 2015). For a block that is the dual of a
penalty weaker by that factor, so that the ascent is the one that text in memory has.

Distributions of sequences are kept in a file for each part, by the round that they come from: a
block whose worker dies begins again from the files before. Changes are added up as whole numbers,
so weights have the same bits whoever did what.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.base.executor import Executor, Multiples, WholeNumbers
from dovetail.chain.train.shards.prepared import PARTS, Reach
from dovetail.chain.train.steps import State, Weights
from dovetail.errors import DataError, ModelFileError
from dovetail.io.array_file import read_arrays, write_arrays

FEWEST, MOST = 4, 16  # blocks that ascend at the same time: with more of them, more rounds
PARTS_EACH = 8  # of a block, between these
KIND = "distributions of a part of a corpus"
OF_WEIGHTS = ("sums", "centre", "last")  # of a dual's state: what is not of sequences


class Place(NamedTuple):
    """Where the parts are, where their distributions, and of which pass these are."""

    parts: str
    distributions: str
    passed: int

    def path(self, number: int, passed: int | None = None) -> Path:
        passed = self.passed if passed is None else passed
        return Path(self.distributions) / f"dual-{number:05d}-{passed}.shard"


def count_blocks(parts: int) -> int:
    """How many blocks there are, whatever the number of workers.

    >>> [count_blocks(n) for n in (1, 16, 64, 1000)]
    [1, 4, 8, 16]
    """
    return min(parts, max(FEWEST, min(MOST, parts // PARTS_EACH)))


class ShardDual:
    """What `DualAscent` asks of a dual, over parts."""

    def __init__(
        self, parts: str, reaches: Sequence[Reach], size: int, c2: float, executor: Executor
    ) -> None:
        """Of a problem with so many weights, over the parts in a folder."""
        self.parts = parts
        self.numbers = range(len(reaches))
        self.c2 = c2
        self.executor = executor
        self.folder = Path(parts) / f"dual-{os.urandom(8).hex()}"
        self.passed = 0
        self.kept: int | None = None  # a pass whose files a checkpoint may ask for
        self._unit = Multiples(sum(reach.gradient for reach in reaches))
        self._excess = np.zeros(size, np.int64)  # known counts less expected ones
        self._entropies = np.zeros(len(reaches))

    def epoch(self, seed: int) -> float:
        """One pass over all parts, in an order of its own; the dual value after it."""
        self.folder.mkdir(exist_ok=True)
        n_blocks = count_blocks(len(self._entropies))
        share = self.c2 / n_blocks
        w = self._weights().astype(np.float32)  # as kernels see them
        given = (w, self._place, self._unit.exponent, share, seed)
        blocks = [list(self.numbers[k::n_blocks]) for k in range(n_blocks)]
        found = self.executor.add_up(
            "ascent", ascend_block, range(n_blocks), [self._excess], *given, blocks
        )
        for block, entropies in zip(blocks, found, strict=True):
            self._entropies[block] = entropies
        return self._finish_pass()

    def restart(self, w: Weights) -> float:
        """Go on from the distributions that weights give."""
        self._excess[:] = 0
        self._go_through("restart", restart_part, w)
        return self._finish_pass()

    def refresh(self) -> float:
        """The dual value without what rounding has added up to."""
        self._excess[:] = 0
        self._go_through("refresh", refresh_part, np.empty(0))
        return self._value()

    def weights(self, w: Weights) -> None:
        w[:] = self._weights()

    def state(self) -> State:
        """What `restore` needs; the files of this pass are kept until it is asked for again."""
        before, self.kept = self.kept, self.passed
        if before is not None and before != self.passed:
            self._forget(before)
        return {
            "folder": self.folder.name,
            "passed": self.passed,
            "excess": self._excess.copy().view(np.uint32),
            "entropies": self._entropies.copy(),
        }

    def restore(self, state: State) -> None:
        self.remove()
        self.folder = Path(self.parts) / Path(str(state["folder"])).name
        self.passed = self.kept = int(state["passed"])
        self._excess = state["excess"].view(np.int64).copy()
        self._entropies = state["entropies"].copy()
        missing = next((n for n in self.numbers if not self._place.path(n).exists()), None)
        if self.passed and missing is not None:
            raise DataError(
                f"the training cannot go on: {self._place.path(missing)}, which it left there, is "
                "missing"
            )

    def remove(self) -> None:
        """Remove the files."""
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def _place(self) -> Place:
        return Place(self.parts, str(self.folder), self.passed)

    def _weights(self) -> Weights:
        found: Weights = self._unit.to_real(self._excess) / (2.0 * self.c2)
        return found

    def _value(self) -> float:
        w = self._weights()
        return float(np.sum(self._entropies)) - self.c2 * float(np.sum(w * w))

    def _go_through(self, step: str, task: Any, w: Weights) -> None:
        self.folder.mkdir(exist_ok=True)
        given = (w, self._place, self._unit.exponent, self.c2)
        parts = self.numbers
        self._entropies[:] = self.executor.add_up(step, task, parts, [self._excess], *given)

    def _finish_pass(self) -> float:
        if self.passed != self.kept:
            self._forget(self.passed)
        self.passed += 1
        return self._value()

    def _forget(self, passed: int) -> None:
        for number in self.numbers:
            with suppress(OSError):
                self._place.path(number, passed).unlink()


def ascend_block(
    number: int,
    sums: Sequence[WholeNumbers],
    w: npt.NDArray[np.float32],
    place: Place,
    exponent: int,
    c2: float,
    seed: int,
    blocks: Sequence[Sequence[int]],
) -> list[float]:
    """One pass over a block's parts, from the weights of all; the entropies of their distributions,
    which are no numbers where sums have become infinite."""
    at, block = w.copy(), blocks[number]
    entropies = np.full(len(block), np.nan)
    for k in np.random.default_rng(seed).permutation(len(block)).tolist():
        part = PARTS.get(place.parts, block[k])
        dual = _native.Dual(part.problem, 0.0, c2, False)
        state = _read(place, block[k]) if place.passed else dual.state()
        own = at[part.place].astype(np.float64)
        state["sums"] = part.problem.place(own)
        state["inner"] = np.array([np.sum(state["entropy"]) - c2 * np.sum(own * own)])
        dual.restore(state)
        with suppress(_native.ImpossibleSequence, OverflowError):
            dual.epoch(seed)
            after = _weights(dual, own)
            change = 2.0 * c2 * (after - own)
            _native.add_multiples(sums[0], part.place, change, exponent)
            at[part.place] = after
            entropies[k] = _write(dual, place, block[k])
    found: list[float] = entropies.tolist()
    return found


def restart_part(
    number: int,
    sums: Sequence[WholeNumbers],
    w: Weights,
    place: Place,
    exponent: int,
    c2: float,
) -> float:
    """The distributions that weights give; added is how far known counts exceed theirs."""
    part = PARTS.get(place.parts, number)
    dual = _native.Dual(part.problem, 0.0, c2, False)
    own = w[part.place]
    dual.restart(own)
    _native.add_multiples(sums[0], part.place, 2.0 * c2 * _weights(dual, own), exponent)
    return _write(dual, place, number)


def refresh_part(
    number: int,
    sums: Sequence[WholeNumbers],
    _: Weights,
    place: Place,
    exponent: int,
    c2: float,
) -> float:
    """Added is how far known counts exceed those expected, as they are now."""
    part = PARTS.get(place.parts, number)
    dual = _native.Dual(part.problem, 0.0, c2, False)
    own = np.zeros(len(part.place))
    if place.passed:
        dual.restore({**_read(place, number), "sums": part.problem.place(own)})
    dual.refresh()
    _native.add_multiples(sums[0], part.place, 2.0 * c2 * _weights(dual, own), exponent)
    return float(np.sum(dual.state()["entropy"]))


def _weights(dual: _native.Dual, like: npt.NDArray[Any]) -> Weights:
    found = np.empty(len(like))
    dual.weights(found)
    return found


def _read(place: Place, number: int) -> State:
    nothing = dict.fromkeys(OF_WEIGHTS, np.empty(0, np.float32))
    try:
        return {**nothing, **read_arrays(place.path(number), KIND).arrays}
    except ModelFileError as error:
        raise DataError(f"part {number} of the corpus cannot go on: {error}") from None


def _write(dual: _native.Dual, place: Place, number: int) -> float:
    """Keep what the next pass begins with."""
    state = dual.state()
    arrays = {name: array for name, array in state.items() if name not in OF_WEIGHTS}
    write_arrays(place.path(number, place.passed + 1), KIND, arrays, {})
    return float(np.sum(state["entropy"]))
