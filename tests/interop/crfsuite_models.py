"""CRFsuite models for tests: real ones, trained by python-crfsuite, and text to tag with them."""

from __future__ import annotations

import gzip
import random
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

Items = list[dict[str, Any]]


def random_items(seed: int, sequences: int = 40) -> tuple[list[Items], list[list[str]]]:
    """Feature dicts of every kind, some of them with Unicode, and labels that follow from them."""
    chance = random.Random(seed)
    X, y = [], []
    for _ in range(sequences):
        words = [
            chance.choice(["a", "bé", "c", "日本", "e:f"]) for _ in range(chance.randint(1, 8))
        ]
        X.append(
            [
                {
                    "word": word,
                    "long": len(word) > 1,
                    "number": chance.uniform(0, 2),
                    "next": {"word": after, "is": {"same": word == after}},
                    "list": ["x", word],
                    "set": {"s", word},
                }
                for word, after in zip(words, [*words[1:], ""], strict=True)
            ]
        )
        y.append([{"a": "A", "c": "A", "bé": "B"}.get(w, chance.choice("ABÇ")) for w in words])
    return X, y


def train_theirs(path: Path, X: list[Items], y: list[list[str]], **parameters: Any) -> None:
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False, params=parameters)
    for xseq, yseq in zip(X, y, strict=True):
        trainer.append(xseq, yseq)
    trainer.train(str(path))


def labelled_strings(path: Path) -> list[str]:
    """The texts of a file of labelled tokens, in the XML of parserator."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        return ["".join(one.itertext()).strip() for one in ElementTree.parse(file).getroot()]


def share_of_equal(one: Any, other: Any) -> float:
    """The share of tokens that two labellings agree on."""
    pairs = [(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)
