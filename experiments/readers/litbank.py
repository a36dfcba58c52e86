"""LitBank: names and nominals of entities in a hundred novels, annotated much as ACE is.

Persons, organisations and geopolitical entities are taken, without pronouns. Mentions nest and
labels are flat, so of these the outermost count.
"""

from __future__ import annotations

import tarfile
from pathlib import Path, PurePosixPath

from dovetail import Corpus, DataError
from experiments.readers.mentions import Mention, labelled

TYPES = {"PER": "person", "ORG": "organisation", "GPE": "place"}
LEVELS = {"PROP": "name", "NOM": "nominal"}
FOLDER = "coref/tsv"


def read_litbank(archive: Path, n_books: int | None = None) -> Corpus:
    """The books, each a document of sentences, with the columns ``word`` and ``label``."""
    files: dict[str, dict[str, str]] = {}
    try:
        with tarfile.open(archive) as opened:
            for member in opened:
                path = PurePosixPath(member.name)
                file = opened.extractfile(member) if str(path.parent) == FOLDER else None
                if file is not None:
                    files.setdefault(path.stem, {})[path.suffix] = file.read().decode()
    except (OSError, EOFError, UnicodeDecodeError, tarfile.TarError) as error:
        raise DataError(f"cannot read {archive}: {error}") from None
    books = [files[name] for name in sorted(files) if {".txt", ".ann"} <= {*files[name]}]
    if not books:
        raise DataError(f"{archive} has no books in {FOLDER}: give LitBank's own files")
    return labelled([_book(b[".txt"], b[".ann"], str(archive)) for b in books[:n_books]])


def _book(text: str, notes: str, where: str) -> tuple[list[list[str]], list[list[Mention]]]:
    sentences = [line.split() for line in text.rstrip("\n").split("\n")]
    mentions: list[list[Mention]] = [[] for _ in sentences]
    for line in notes.split("\n"):
        what, *fields = line.split("\t")
        if what != "MENTION":
            continue
        try:
            _, first, start, last, end, _, kind, level = fields
            place, mention = int(first), Mention(int(start), int(end) + 1, "")
        except ValueError:
            raise DataError(f"{where}: {line!r} is no mention") from None
        if kind in TYPES and level in LEVELS and first == last:
            if place >= len(sentences) or mention.end > len(sentences[place]):
                raise DataError(f"{where}: there are no words at {line!r}")
            label = f"{TYPES[kind]} {LEVELS[level]}"
            mentions[place].append(mention._replace(label=label))
    return sentences, mentions
