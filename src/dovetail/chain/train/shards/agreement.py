"""One table of features and labels for all parts of a corpus.

Features are matched by the 64-bit keys that model files use too. A range of keys is merged after
another, so that memory holds the table itself and little else: files are mapped anew for each,
since pages that were looked at count as memory while they are mapped. Features are in the order of
their keys, labels in that of their first appearance: neither depends on who indexed which part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.train.shards.index import Part, open_index
from dovetail.errors import DataError, ModelFileError
from dovetail.features import Dataset, Template
from dovetail.io.array_file import read_arrays, write_arrays

KIND = "features of all parts of a corpus"
AT_ONCE = 2_000_000  # features of parts that are merged together

Array = npt.NDArray[Any]


class Whole(NamedTuple):
    """All features that are seen often enough, and what is seen of labels."""

    labels: list[str]
    arrays: dict[str, Array]  # keys, names, counts, pairs with labels; label pairs
    facts: dict[str, Any]


def agree(folder: str, parts: Sequence[Part], min_count: int) -> Whole:
    """The table that all parts will use; an earlier training with the same features has left it
    beside the parts."""
    path = Path(folder) / f"whole-{min_count}.shard"
    if not path.exists():
        whole = _merge_parts(folder, parts, min_count)
        facts = {"part_labels": whole.labels, "whole": whole.facts}
        write_arrays(path, KIND, whole.arrays, facts)
        return whole
    try:
        file = read_arrays(path, KIND)
        return Whole(file.facts["part_labels"], file.arrays, file.facts["whole"])
    except (ModelFileError, KeyError) as error:
        raise DataError(f"{path} is damaged: {error}; delete it") from None


def agree_beside(folder: str, parts: Sequence[Part], min_count: int, keys: Array) -> Whole:
    """The same with features of some keys, in rising order, however rare they are."""
    return _merge_parts(folder, parts, min_count, keys)


def _merge_parts(
    folder: str, parts: Sequence[Part], min_count: int, also: Array | None = None
) -> Whole:
    labels = list(dict.fromkeys(label for part in parts for label in part.labels))
    maps = [map_labels(part.labels, labels) for part in parts]
    sizes = [len(_open(folder, number)["keys"]) for number in range(len(parts))]
    n_ranges = max(1, -(-sum(sizes) // AT_ONCE))
    edges = np.array([(k << 64) // n_ranges for k in range(1, n_ranges)], np.uint64)
    cuts = [
        [0, *np.searchsorted(_open(folder, number)["keys"], edges).tolist(), size]
        for number, size in enumerate(sizes)
    ]
    merged = [
        _merge(
            folder, maps, [slice(cut[k], cut[k + 1]) for cut in cuts], len(labels), min_count, also
        )
        for k in range(n_ranges)
    ]
    arrays = {name: np.concatenate([one.pop(name) for one in merged]) for name in [*merged[0]]}
    for name in ("name", "pair"):
        lengths = arrays.pop(f"{name}_lengths")
        target = "name_offsets" if name == "name" else "pair_begin"
        arrays[target] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
    arrays |= _label_pairs(folder, maps, len(labels))
    facts = {
        "n_sequences": sum(part.facts["n_sequences"] for part in parts),
        "n_tokens": sum(part.facts["n_tokens"] for part in parts),
        "fully_labelled": all(part.facts["fully_labelled"] for part in parts),
        "weighted": any(part.facts["weighted"] for part in parts),
    }
    return Whole(labels, arrays, facts)


def as_dataset(whole: Whole, template: Template | None) -> Dataset:
    """The names and counts of all features and labels; the tokens are elsewhere."""
    data = Dataset(template)
    data.native = features_alone(whole.arrays, whole.labels)
    _native.set_whole(data.native, whole.arrays, **whole.facts)
    return data


def features_alone(named: Mapping[str, Array], labels: Sequence[str] = ()) -> _native.Dataset:
    """A data set of features, by keys and names, and labels, without tokens."""
    nothing = {"values": np.float32, "gold": np.int32, "allowed": np.int32, "weights": np.float32}
    arrays = {name: np.zeros(0, dtype) for name, dtype in nothing.items()}
    arrays |= {"ids": np.zeros(0, np.uint32), "set_label": np.zeros(0, np.uint16)}
    arrays |= {name: np.zeros(1, np.uint64) for name in ("sequences", "tokens", "set_begin")}
    arrays |= {name: named[name] for name in ("keys", "names", "name_offsets")}
    return _native.dataset_from_arrays(arrays, list(labels))


def unite(several: Sequence[_native.Dataset]) -> tuple[_native.Dataset, list[Array]]:
    """The features of several data sets, without tokens, in the order of their keys; and for each
    of the data sets the numbers that its features have there."""
    named: list[dict[str, Array]] = [dict(_native.dataset_arrays(one)) for one in several]  # type: ignore[arg-type]
    keys, first = np.unique(np.concatenate([one["keys"] for one in named]), return_index=True)
    before = np.cumsum([0, *(len(one["keys"]) for one in named)])
    source = np.searchsorted(before, first, side="right") - 1
    arrays = {"keys": keys}
    arrays["names"], lengths = gather_names(named.__getitem__, source, first - before[source])
    arrays["name_offsets"] = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)
    return features_alone(arrays), [np.searchsorted(keys, one["keys"]) for one in named]


def map_labels(own: Sequence[str], labels: Sequence[str]) -> npt.NDArray[np.int32]:
    """The numbers that a part's labels have in the whole."""
    numbers = {label: number for number, label in enumerate(labels)}
    return np.array([numbers[label] for label in own], np.int32)


def _open(folder: str, number: int) -> dict[str, Array]:
    return open_index(folder, number, verify=False).arrays


def _merge(
    folder: str,
    maps: Sequence[npt.NDArray[np.int32]],
    cuts: Sequence[slice],
    n_labels: int,
    min_count: int,
    also: Array | None,
) -> dict[str, Array]:
    """The features of all parts whose keys lie in one range."""
    found: dict[str, list[Array]] = {"keys": [], "counts": [], "seen": [], "order": []}
    for k, (own, cut) in enumerate(zip(maps, cuts, strict=True)):
        file = _open(folder, k)
        for name in ("keys", "counts", "order"):
            found[name].append(file[name][cut].copy())
        found["seen"].append(_renumber(file["seen"][cut], own, n_labels))
    sizes = [len(own) for own in found["keys"]]
    keys, counts, seen, number = (np.concatenate(own) for own in found.values())
    part = np.repeat(np.arange(len(sizes), dtype=np.uint32), sizes)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    total = np.add.reduceat(counts[order], starts) if len(starts) else counts[:0]
    either = np.bitwise_or.reduceat(seen[order], starts, axis=0) if len(starts) else seen[:0]
    enough = total >= max(min_count, 1)
    if also is not None:
        enough |= np.isin(keys[order[starts]], also)
    kept = np.flatnonzero(enough)
    first = order[starts[kept]]
    names, name_lengths = gather_names(
        lambda k: {name.removeprefix("data_"): array for name, array in _open(folder, k).items()},
        part[first],
        number[first],
    )
    bits = np.unpackbits(either[kept].view(np.uint8), axis=1, bitorder="little")
    pair_feature, pair_label = np.nonzero(bits)
    return {
        "keys": keys[first],
        "counts": total[kept],
        "names": names,
        "name_lengths": name_lengths,
        "pair_lengths": np.bincount(pair_feature, minlength=len(kept)),
        "pair_label": pair_label.astype(np.uint16),
    }


def _renumber(seen: Array, own: npt.NDArray[np.int32], n_labels: int) -> Array:
    """Bits of a part's labels as bits of all labels."""
    out = np.zeros((len(seen), (n_labels + 63) // 64), np.uint64)
    if np.array_equal(own, np.arange(len(own))):
        out[:, : seen.shape[1]] = seen
        return out
    for mine, number in enumerate(own.tolist()):
        bit = (seen[:, mine // 64] >> np.uint64(mine % 64)) & np.uint64(1)
        out[:, number // 64] |= bit << np.uint64(number % 64)
    return out


def gather_names(
    named: Callable[[int], Mapping[str, Array]], source: Array, number: Array
) -> tuple[Array, Array]:
    """The names of features, each by its source and its number there, one after another; and their
    lengths."""
    pieces, lengths = [], np.zeros(len(source), np.int64)
    where = [np.flatnonzero(source == k) for k in np.unique(source)]
    for mine in where:
        own = named(int(source[mine[0]]))
        begin = own["name_offsets"][number[mine]].astype(np.int64)
        lengths[mine] = own["name_offsets"][number[mine] + 1].astype(np.int64) - begin
        pieces.append(own["names"][_each_byte(begin, lengths[mine])])
    targets = np.cumsum(lengths) - lengths
    out = np.empty(int(lengths.sum()), np.uint8)
    for mine, piece in zip(where, pieces, strict=True):
        out[_each_byte(targets[mine], lengths[mine])] = piece
    return out, lengths


def _each_byte(begins: Array, lengths: Array) -> Array:
    """The places of all bytes of strings."""
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    places: Array = np.repeat(begins, lengths) + within
    return places


def _label_pairs(
    folder: str, maps: Sequence[npt.NDArray[np.int32]], n_labels: int
) -> dict[str, Array]:
    """Which labels are seen next to one another, first and last, in any part."""
    pairs = {
        name: np.zeros((n_labels, n_labels), np.uint8) for name in ("neighbours", "transitions")
    }
    ends = {name: np.zeros(n_labels, np.uint8) for name in ("start", "end")}
    for number, own in enumerate(maps):
        file = _open(folder, number)
        for name, matrix in pairs.items():
            matrix[np.ix_(own, own)] |= file[name].reshape(len(own), len(own))
        for name, vector in ends.items():
            vector[own] |= file[name]
    return {**{name: matrix.ravel() for name, matrix in pairs.items()}, **ends}
