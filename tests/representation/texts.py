"""Small texts with structure: determiners, nouns and verbs, in two domains."""

from __future__ import annotations

import numpy as np

from dovetail.corpus import Corpus

NEWS = {
    "D": ["the", "a", "this"],
    "N": ["bank", "market", "shares", "rates", "board"],
    "V": ["rose", "fell", "said", "sold"],
}
NOVEL = {
    "D": ["the", "a", "her"],
    "N": ["girl", "house", "garden", "heart", "board"],
    "V": ["said", "wept", "laughed", "slept"],
}


def sentences(lexicon: dict[str, list[str]], n: int, seed: int) -> Corpus:
    """Sentences D N V (D N), with their tags in a column ``pos``; ``half`` says in which half of
    the alphabet a word begins, which its neighbours do not tell."""
    rng = np.random.default_rng(seed)
    tags = [["D", "N", "V", "D", "N"] if rng.random() < 0.5 else ["D", "N", "V"] for _ in range(n)]
    words = [[str(rng.choice(lexicon[tag])) for tag in sentence] for sentence in tags]
    halves = [["late" if word[0] > "m" else "early" for word in sentence] for sentence in words]
    return Corpus.from_lists({"word": words, "pos": tags, "half": halves})


def news(n: int = 60, seed: int = 0) -> Corpus:
    return sentences(NEWS, n, seed)


def novel(n: int = 60, seed: int = 1) -> Corpus:
    return sentences(NOVEL, n, seed).without_column("pos").without_column("half")
