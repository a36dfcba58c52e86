"""XML of marked fields, as AnyStyle and GROBID are trained on: elements stand over words.

``<sequence><author>A. Lovelace.</author> <date>1843.</date></sequence>``: the words of an element
are a span. Which elements are sequences, and which only group others, is told by where text is.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree.ElementTree import Element
from xml.parsers import expat

from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.span_texts import Tokens
from dovetail.corpus.table import Corpus
from dovetail.corpus.tei import (
    LINE_BREAK,
    element_label,
    element_name,
    element_records,
    parse_files,
)
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_bytes

SUFFIX = ".xml"
CLEAR_SHARE = 0.8  # of all sequences, for one element to be taken without being named
_BLOCK = 1 << 16


def read_field_xml(
    path: PathLike, *, element: str | None = None, tokens: Tokens = "words"
) -> Corpus:
    """Read a file of marked fields, or all ``.xml`` files below a folder; columns ``word`` and
    ``label`` (IOB2).

    ``element`` names the elements that are sequences; by default the outermost that hold text, or
    elements with nothing but text. Within them, elements are spans, by their names and what their
    ``level``, ``unit`` or ``type`` says; those that mostly only group others, such as an
    ``address``, are not marked. ``tokens`` are words, or what stands between "blanks".

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "core.xml")
    >>> fields = "<author>Bo, A.</author> <date>1977.</date>"
    >>> _ = path.write_text(f"<dataset><sequence>{fields}</sequence></dataset>")
    >>> corpus = read_field_xml(path, tokens="blanks")
    >>> corpus.lists("word"), corpus.lists("label")
    ([['Bo,', 'A.', '1977.']], [['B-author', 'I-author', 'B-date']])
    """
    return to_corpus(_records(path, element, tokens), ["word", "label"])


def stream_field_xml(
    path: PathLike,
    *,
    element: str | None = None,
    tokens: Tokens = "words",
    chunk_size: int = CHUNK_SIZE,
) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` sequences; files are read at once."""
    return to_chunks(_records(path, element, tokens), chunk_size, ["word", "label"])


def recognizes(path: Path) -> bool:
    """Whether an XML file has elements over several words, or words beside elements, or a folder
    any XML: parserator's have an element for each token."""
    if os.path.isdir(path):
        return any(map(_is_xml, path.rglob(f"*{SUFFIX}")))
    if not _is_xml(path) or not os.path.exists(path):
        return False
    tokens = _TokenElements()
    with open_bytes(path) as file:
        while (block := file.read(_BLOCK)) and tokens.only:
            tokens.feed(block)
    return not tokens.only


def _is_xml(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith(SUFFIX)


class _TokenElements:
    """Whether the XML that passes by has, so far, ``only`` tokens as elements, as parserator's."""

    def __init__(self) -> None:
        self.only = True
        self._depth = 0
        self._pieces: list[str] = []
        self._has_words = self._has_tokens = False  # of the string that is open
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters

    def feed(self, block: bytes) -> None:
        """Look at the next part of a file; of one that cannot be parsed the reader will tell."""
        try:
            self._parser.Parse(block)
        except (expat.ExpatError, LookupError, ValueError):
            self.only = self.only and self._depth <= 3

    def _start(self, *_: object) -> None:
        self._check()
        self._depth += 1
        self.only &= self._depth <= 3
        self._has_tokens |= self._depth == 3

    def _end(self, _: str) -> None:
        self._check()
        if self._depth == 2:
            self.only &= not (self._has_words and self._has_tokens)
            self._has_words = self._has_tokens = False
        self._depth -= 1

    def _characters(self, content: str) -> None:
        self._pieces.append(content)

    def _check(self) -> None:
        text = "".join(self._pieces)
        if self._depth == 3:
            self.only &= len(text.split()) < 2
        elif self._depth == 2:
            self._has_words |= has_words(text)
        self._pieces.clear()


def has_words(text: str | None) -> bool:
    """Whether there is more in a text than punctuation and white space."""
    return any(map(str.isalnum, text or ""))


def _records(path: PathLike, element: str | None, tokens: Tokens) -> Iterator[Record]:
    roots = list(parse_files(path))
    grouping = _grouping_names(roots)
    unit = element or _guess_unit(path, roots)

    def label(field: Element) -> str | None:
        return None if element_name(field) in grouping else element_label(field)

    return element_records(path, roots, unit, label, tokens)


def _grouping_names(roots: Iterable[Element]) -> set[str]:
    """Names of elements that more often than not only group others."""
    grouping: Counter[str] = Counter()
    for root in roots:
        for one in root.iter():
            if _children(one) or _has_own_words(one):
                only_groups = bool(_children(one)) and not _has_own_words(one)
                grouping[element_name(one)] += 1 if only_groups else -1
    return {LINE_BREAK, *(name for name, surplus in grouping.items() if surplus > 0)}


def _guess_unit(path: PathLike, roots: Iterable[Element]) -> str:
    names = Counter(element_name(one) for root in roots for one in _units(root))
    if not names:
        raise DataError(f"{os.fspath(path)} holds no elements with text")
    [(name, count), *others] = names.most_common()
    if others and count < CLEAR_SHARE * names.total():
        counted = ", ".join(f"{other} ({n})" for other, n in names.most_common(5))
        raise DataError(
            f"{os.fspath(path)}: it cannot be told which elements are sequences, of {counted}; "
            "name them: dovetail convert --element NAME, in Python read(path, element=NAME)"
        )
    return name


def _units(element: Element) -> Iterator[Element]:
    """The outermost elements that are not just there for others that have elements in them."""
    filled = [child for child in _children(element) if has_words("".join(child.itertext()))]
    nested = sum(bool(_children(child)) for child in filled)
    if not _has_own_words(element) and 2 * nested > len(filled):
        for child in filled:
            yield from _units(child)
    elif filled:
        yield element


def _children(element: Element) -> list[Element]:
    return [child for child in element if element_name(child) != LINE_BREAK]


def _has_own_words(element: Element) -> bool:
    return has_words(element.text) or any(has_words(child.tail) for child in element)
