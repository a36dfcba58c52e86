"""What stands so many tokens away, as a thing to learn."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dovetail.corpus import Corpus
from dovetail.multitask.matrix import Codes


def mask_values(corpus: Corpus, codes: Codes, numbers: npt.ArrayLike, offset: int) -> Codes:
    """For each token the number of the value ``offset`` tokens away in its sequence, by the codes
    of values; -1 where there is none."""
    table = np.append(np.asarray(numbers, np.int32), np.int32(-1))  # a missing value is -1 too
    values = table[codes]
    tokens = np.arange(corpus.n_tokens)
    sequences = np.repeat(np.arange(len(corpus)), np.diff(corpus.bounds))
    there = tokens + offset
    inside = (there >= 0) & (there < len(tokens))
    inside[inside] &= sequences[there[inside]] == sequences[inside]
    target = np.full(len(tokens), -1, np.int32)
    target[inside] = values[there[inside]]
    return target
