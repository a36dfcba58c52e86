"""The Brown Corpus: parts of speech of English in the genres that the Chinese corpus has."""

from __future__ import annotations

from pathlib import Path

from experiments.readers.genres import Documents, Genres, first_by_hash, read_documents

LABEL = "pos"
BASE_TAG = 2  # the column of tags without the marks of titles, headlines and the like
GENRES = {
    "lore": "lore",
    "reli": "religion",
    "humour": "humor",
    "gen-fic": "fiction",
    "essay": "belles_lettres",
    "mystery": "mystery",
    "romance": "romance",
    "sci-fi": "science_fiction",
    "skill": "hobbies",
    "science": "learned",
    "adv-fic": "adventure",
    "report": "government",
}


def read_brown(folder: Path) -> Genres:
    """All genres; a tenth of the news and a fifth of all others is held out, by documents."""
    news = _documents(folder, "news")
    others = {genre: _documents(folder, name) for genre, name in GENRES.items()}
    held_out = first_by_hash(news, 0.1, "brown")
    for documents in others.values():
        held_out |= first_by_hash(documents, 0.2, "brown")
    return Genres.of(LABEL, news, others, held_out.__contains__)


def _documents(folder: Path, genre: str) -> Documents:
    return read_documents(folder / f"brown_{genre}.tsv.gz", BASE_TAG)
