"""Labelled text of a task below as more text for a new task, its labels translated.

Each old type becomes the one that the learnt map makes the likeliest. How sure the map is says
whether that can help: where types contradict, or one type holds several, such text misleads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus, detect_scheme, labels_from_spans, spans
from dovetail.pipeline.layers.mapped import OUTSIDE, LabelMap, roles_of, types_of

MOST_TOKENS = 20_000  # of old text: more takes long, half as much is clearly worse
COPIES = 5  # how often the new text counts, as long as the old text stays the longer one
AGREEMENT = 0.55  # of the map, below which old text is not tried
BILOU = {"E": "L", "S": "U"}

Labels = list[str | None]
Ints = npt.NDArray[np.int64]


class PooledText(NamedTuple):
    """Old text and copies of the new; ``owners`` are the numbers of sequences in the new text, -1
    for those of the old."""

    corpus: Corpus
    owners: Ints


def pool_text(old: Corpus, new: Corpus) -> PooledText:
    """Both as one text; the new one counts several times."""
    copies = int(np.clip(old.n_tokens // max(1, new.n_tokens), 1, COPIES))
    owners = [np.full(len(old), -1), *[np.arange(len(new))] * copies]
    return PooledText(Corpus.concatenate([old, *[new] * copies]), np.concatenate(owners))


def sample_text(old: Corpus, new: Corpus, columns: Sequence[str], seed: int) -> Corpus:
    """Sequences of an old text that chance takes, without those that the new text has too, the same
    in some columns."""
    order = np.random.default_rng(seed).permutation(len(old))
    n = int(np.searchsorted(np.cumsum(np.diff(old.bounds)[order]), MOST_TOKENS, "right"))
    some = old.select(np.sort(order[: max(1, n)]))
    there = set(_keys(new, columns))
    kept = [k for k, key in enumerate(_keys(some, columns)) if key not in there]
    return some.select(np.array(kept, np.int64))


def _keys(corpus: Corpus, columns: Sequence[str]) -> list[tuple[tuple[str | None, ...], ...]]:
    values = ([tuple(own) for own in corpus.lists(name)] for name in columns)
    return list(zip(*values, strict=True))


class Translation(NamedTuple):
    """Labels of an old text as those of the new task, and how likely the likeliest type is, on
    average over the tokens inside spans."""

    labels: list[Labels]
    agreement: float


def translate_labels(given: Sequence[Sequence[str | None]], label_map: LabelMap) -> Translation:
    """Each old type as the likeliest new one. Where the old labels are plain and the new ones of
    spans, none agree."""
    types = _likeliest_types(label_map)
    needs_spans = label_map.scheme != "none"
    if needs_spans and (detect_scheme(given) == "none" or OUTSIDE not in label_map.new):
        return Translation([], 0.0)
    kinds = {label: kind for label, (_, kind) in _roles(given).items()}
    agreement = _agreement(given, kinds, label_map)
    if needs_spans:
        translated = [_translate_spans(labels, types, label_map) for labels in given]
        return Translation(translated, agreement)
    plain = {label: types.get(kind) for label, kind in kinds.items()}
    return Translation(
        [[None if label is None else plain[label] for label in labels] for labels in given],
        agreement,
    )


def _roles(given: Sequence[Sequence[str | None]]) -> dict[str, tuple[str, str]]:
    levels = list(dict.fromkeys(label for labels in given for label in labels if label is not None))
    return dict(zip(levels, roles_of(levels), strict=True))


def _likeliest_types(label_map: LabelMap) -> dict[str, str]:
    """The likeliest new type of each old one."""
    new = types_of(label_map.new)
    rows = zip(types_of(label_map.old), label_map.table, strict=True)
    return {old: new[int(row.argmax())] for old, row in rows}


def _agreement(
    given: Sequence[Sequence[str | None]], kinds: Mapping[str, str], label_map: LabelMap
) -> float:
    surest = dict(zip(types_of(label_map.old), label_map.table.max(axis=1), strict=True))
    own = [kinds[label] for labels in given for label in labels if label is not None]
    shares = [surest.get(kind, 0.0) for kind in own if kind != OUTSIDE]
    return float(np.mean(shares)) if shares else 0.0


def _translate_spans(
    labels: Sequence[str | None], types: Mapping[str, str], label_map: LabelMap
) -> Labels:
    assert label_map.scheme != "none"
    found = [
        (start, end, types[kind])
        for start, end, kind in spans(labels)
        if types.get(kind, OUTSIDE) != OUTSIDE
    ]
    made = labels_from_spans(found, len(labels), label_map.scheme)
    if any(label[0] in BILOU.values() for label in label_map.new):
        made = [BILOU.get(label[0], label[0]) + label[1:] for label in made]
    return [None if old is None else new for old, new in zip(labels, made, strict=True)]
