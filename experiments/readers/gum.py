"""GUM: entities in many genres of English; persons, places and organisations are taken.

Mentions nest, so each is reduced to the words that the annotation calls its minimal span: its head,
or the words of a name. It is a name if one of these is a proper noun, a pronoun (left out) if the
first is one, and a nominal otherwise. Where these words do not stand side by side, as in "boys and
girls", the mention is left out: the parts of such a group are mentions themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from dovetail import Corpus, DataError
from dovetail.corpus import read_conllu
from experiments.common.files import open_text
from experiments.readers.mentions import Document, Mention, labelled

TYPES = {"person": "person", "organization": "organisation", "place": "place"}
PROPER = ("NNP", "NNPS")
PRONOUNS = ("PRP", "PRP$", "DT", "WP", "WP$", "WDT", "EX")
PARTS = ("train", "test")
_ENTITY = re.compile(r"(?:^|\|)Entity=([^|]*)")
_BRACKET = re.compile(r"\((?P<opened>[^()]+)(?P<alone>\))?|(?P<closed>[^()]+)\)")


def read_gum(folder: Path, n_documents: int | None = None) -> list[Corpus]:
    """The documents of the standard parts for training and for testing, with the columns ``word``
    and ``label``; on request only so many of each."""
    wanted = parts(folder / "splits.md")
    documents: dict[str, Document] = {}
    for path in sorted(folder.glob("gum_*.conllu.gz")):
        documents.update(_documents(path))
        enough = all(len(wanted[part] & {*documents}) >= (n_documents or 1e9) for part in PARTS)
        if enough:
            break
    out = []
    for part in PARTS:
        names = sorted(wanted[part] & {*documents})[:n_documents]
        if not names:
            raise DataError(f"there is no document of GUM's {part} part in {folder}")
        out.append(labelled([documents[name] for name in names]))
    return out


def parts(path: Path) -> dict[str, set[str]]:
    """Names of the documents of each standard part."""
    found: dict[str, set[str]] = {}
    with open_text(path) as file:
        for line in file:
            if line.startswith("## "):
                own = found.setdefault(line[3:].strip(), set())
            elif line.strip().startswith("* "):
                own.add(line.strip()[2:])
    missing = [name for name in PARTS if not found.get(name)]
    if missing:
        raise DataError(f"{path} does not say which documents are {missing[0]}")
    return found


def _documents(path: Path) -> Iterator[tuple[str, Document]]:
    corpus = read_conllu(path)
    with open_text(path) as file:
        names = [line.partition("=")[2].strip() for line in file if line.startswith("# newdoc id")]
    bounds = corpus.document_bounds
    if bounds is None or len(bounds) - 1 != len(names):
        raise DataError(f"{path}: every document must begin with '# newdoc id'")
    for number, name in enumerate(names):
        own = corpus[int(bounds[number]) : int(bounds[number + 1])]
        words = [[str(word) for word in sentence] for sentence in own.lists("word")]
        yield name, (words, _mentions(own, str(path)))


def _mentions(corpus: Corpus, where: str) -> list[list[Mention]]:
    """Mentions of a document by sentences. One may be open across sentences: it is left out."""
    out = []
    for tags, notes in zip(corpus.lists("xpos"), corpus.lists("misc"), strict=True):
        waiting: dict[str, list[tuple[int, list[str]]]] = {}
        found = []
        for token, note in enumerate(notes):
            entity = _ENTITY.search(note or "")
            for bracket in _BRACKET.finditer(entity[1] if entity else ""):
                if bracket["closed"]:
                    opened = waiting.get(bracket["closed"].partition("-")[0])
                    if opened:
                        found.append((*opened.pop(), token + 1))
                    continue
                fields = bracket["opened"].split("-")
                if len(fields) < 6:
                    raise DataError(f"{where}: {bracket['opened']!r} does not describe a mention")
                if bracket["alone"]:
                    found.append((token, fields, token + 1))
                else:
                    waiting.setdefault(fields[0], []).append((token, fields))
        heads = (_head(start, fields, end, tags) for start, fields, end in found)
        out.append([head for head in heads if head is not None])
    return out


def _head(
    start: int, fields: Sequence[str], end: int, tags: Sequence[str | None]
) -> Mention | None:
    """The words of a mention that carry it, if it is a name or a nominal of a type that counts."""
    kind, minimal = fields[1], fields[5]
    places = [start + int(number) - 1 for number in minimal.split(",") if number.isdecimal()]
    together = bool(places) and places == list(range(places[0], min(places[-1] + 1, end)))
    if kind not in TYPES or not together:
        return None
    if any(tags[place] in PROPER for place in places):
        level = "name"
    elif tags[places[0]] in PRONOUNS:
        return None
    else:
        level = "nominal"
    return Mention(places[0], places[-1] + 1, f"{TYPES[kind]} {level}")
