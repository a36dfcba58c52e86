"""The Lancaster Corpus of Mandarin Chinese: parts of speech in news and in twelve other genres."""

from __future__ import annotations

from pathlib import Path

from dovetail.features import Table, Template, column
from dovetail.features.sets import chinese
from dovetail.io.files import open_text
from dovetail.reproduce.domain_data import WORD, Genres, read_documents
from dovetail.reproduce.published_domains import WORDS

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
N_LABELLED = round(0.9 * WORDS["news"])  # of the paper
N_READ = {genre: round(0.8 * WORDS[genre]) for genre in GENRES}


def read(folder: Path) -> Genres:
    """All genres, divided as the file ``splits.tsv`` says."""
    with open_text(folder / "splits.tsv") as file:
        rows = [line.split("\t") for line in file]
    held_out = {row[0] for row in rows if row[2] in ("dev", "test")}
    documents = {
        genre: read_documents(folder / f"LCMC_{letter}.tsv.gz") for genre, letter in GENRES.items()
    }
    news = read_documents(folder / f"LCMC_{NEWS}.tsv.gz")
    return Genres.of(LABEL, news, documents, held_out.__contains__)


def features(radicals: Path) -> Template:
    """Those of the paper: the word, radicals, repeated characters."""
    return chinese(WORD, Table.from_file(radicals / "char_radical.tsv"))


def with_context(radicals: Path) -> Template:
    """A sensible tagger's: also words around, characters at both ends, the length."""
    own = features(radicals)
    word = column(WORD)
    more = (word[-1], word[1], word.affixes(2), word.length)
    return Template(*own.expressions, *more, tables=own.tables)
