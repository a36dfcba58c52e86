"""Small random corpora with something to learn."""

from __future__ import annotations

import numpy as np

from dovetail import Corpus


def random_corpus(n: int = 60, seed: int = 0, labels: str = "XYZ") -> Corpus:
    """Words of which most say the label; now and then only the word before does."""
    rng = np.random.default_rng(seed)
    words, tags = [], []
    for _ in range(n):
        codes = rng.integers(0, 12, rng.integers(2, 8))
        words.append([f"w{code}" for code in codes])
        before = np.concatenate([[0], codes[:-1]])
        own = np.where(codes < 9, codes % len(labels), before % len(labels))
        tags.append([labels[code] for code in own])
    pos = [[f"p{int(word[1:]) % 4}" for word in sentence] for sentence in words]
    return Corpus.from_lists({"word": words, "pos": pos, "tag": tags})
