"""The Lancaster Corpus of Mandarin Chinese: parts of speech in news and in twelve other genres."""

from __future__ import annotations

from pathlib import Path

from experiments.common.files import open_text
from experiments.readers.genres import Genres, read_documents

LABEL = "pos"
NEWS = "A"
GENRES = {  # by the names that Huang and Yates (2012) give them
    "lore": "F",
    "reli": "D",
    "humour": "R",
    "gen-fic": "K",
    "essay": "G",
    "mystery": "L",
    "romance": "P",
    "sci-fi": "M",
    "skill": "E",
    "science": "J",
    "adv-fic": "N",
    "report": "H",
}


def read_lcmc(folder: Path) -> Genres:
    """All genres, divided as the file ``splits.tsv`` says."""
    with open_text(folder / "splits.tsv") as file:
        rows = [line.split("\t") for line in file]
    held_out = {row[0] for row in rows if row[2] in ("dev", "test")}
    documents = {
        genre: read_documents(folder / f"LCMC_{letter}.tsv.gz") for genre, letter in GENRES.items()
    }
    news = read_documents(folder / f"LCMC_{NEWS}.tsv.gz")
    return Genres.of(LABEL, news, documents, held_out.__contains__)
