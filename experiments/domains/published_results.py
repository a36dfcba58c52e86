"""Figures of Huang and Yates (2012): parts of speech of Chinese in thirteen genres (Table 2,
accuracy), English entities (Table 3, F1) and two tasks switched (Table 4), in per cent."""

from __future__ import annotations

_GENRES = "news lore reli humour gen-fic essay mystery romance sci-fi skill science adv-fic report"


def _row(figures: str) -> dict[str, float]:
    return dict(zip(_GENRES.split(), map(float, figures.split()), strict=True))


WORDS = {  # tokens of each genre
    genre: int(number)
    for genre, number in _row(
        "9774 5428 3248 3326 4913 5214 5774 5489 3070 5464 5262 5071 6662"
    ).items()
}
PARTS_OF_SPEECH = {
    "CRF": _row("93.8 85.0 80.0 85.4 85.0 83.8 84.7 86.0 82.8 78.2 82.2 77.1 85.3"),
    "HMM+E": _row("97.1 88.2 83.1 87.5 87.4 89.2 89.5 87.1 86.7 82.1 87.2 79.4 91.7"),
    "HMM": _row("96.9 89.7 85.2 89.6 89.4 89.0 90.1 89.0 87.0 84.9 87.8 80.0 91.4"),
    "HMM+D": _row("97.4 89.9 85.4 89.4 89.6 89.9 90.1 88.6 87.9 85.3 87.9 80.0 92.0"),
    "HMM+D+E": _row("97.7 90.1 86.1 89.8 90.9 89.7 90.3 89.8 88.4 85.6 87.9 81.2 92.0"),
    "I-HMM+D+E": _row("97.8 90.5 87.0 89.1 91.1 90.2 90.0 90.5 89.8 86.0 87.1 82.2 92.1"),
    "P-HMM+D+E": _row("98.2 91.5 87.7 89.0 91.8 91.0 89.9 91.4 90.4 87.0 87.7 83.4 92.4"),
}
ENTITIES = {
    "CRF": 66.15,
    "HMM+E": 74.25,
    "HMM": 75.06,
    "HMM+D": 75.75,
    "HMM+D+E": 76.03,
    "I-HMM+D+E": 77.04,
    "P-HMM+D+E": 78.62,
}
SWITCHED = {  # by the labels of the entropy bias: of parts of speech, of entities
    "HMM": {"pos": 88.5, "ner": 66.3},
    "HMM+E(pos)": {"pos": 89.7, "ner": 64.5},
    "HMM+E(ner)": {"pos": 86.5, "ner": 68.0},
}
