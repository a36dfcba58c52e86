"""The XML of parserator, usaddress and probablepeople: an element a token, its tag the label.

``<AddressString><ZipCode>60201</ZipCode>, <PlaceName>Evanston</PlaceName></AddressString>``: what
stands between tokens is part of the text and no token. Labels are plain, without a span scheme.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from typing import TextIO
from xml.parsers import expat
from xml.sax.saxutils import escape

from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.table import Corpus, Sequence
from dovetail.errors import DataError
from dovetail.io.files import PathLike, open_bytes, write_text

TAGS = ("AddressCollection", "AddressString")
AS_FIELDS = "read fields of several words as --format xml (of convert --from xml)"
_BLOCK = 1 << 16
_NAME = re.compile(r"[\w.-]+")
_log = logging.getLogger(__name__)
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_parserator(path: PathLike) -> Corpus:
    """Read labelled strings, each a sequence with the columns word and label.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labeled.xml")
    >>> _ = path.write_text("<Names><Name><Given>Ada</Given> <Last>Lopez</Last></Name></Names>")
    >>> corpus = read_parserator(path)
    >>> corpus.lists("label"), corpus.texts
    ([['Given', 'Last']], ('Ada Lopez',))
    """
    return to_corpus(_records(path), ["word", "label"])


def stream_parserator(path: PathLike, *, chunk_size: int = CHUNK_SIZE) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` sequences, in bounded memory."""
    return to_chunks(_records(path), chunk_size, ["word", "label"])


def write_parserator(
    corpus: Corpus,
    target: PathLike | TextIO,
    *,
    label: str = "label",
    tags: tuple[str, str] = TAGS,
) -> None:
    """Write the words of a corpus as elements, their labels as tags.

    ``tags`` are those of the whole and of each string: usaddress has the default, probablepeople
    ``("NameCollection", "Name")``. Between words stands what does in the text, or else a blank; a
    word without a label is text.

    >>> import sys
    >>> corpus = Corpus.from_lists({"word": [["Ada"]], "label": [["Given"]]})
    >>> write_parserator(corpus, sys.stdout, tags=("Names", "Name"))
    <Names>
      <Name><Given>Ada</Given></Name>
    </Names>
    """
    for name in (*tags, *corpus.column(label).levels):
        if not _is_tag(name):
            raise DataError(f"{name!r} cannot be the tag of an XML element: change that label")
    whole, each = tags
    with write_text(target) as file:
        file.write(f"<{whole}>\n")
        for sequence in corpus:
            if len(sequence):
                file.write(f"  <{each}>{_elements(sequence, label)}</{each}>\n")
        file.write(f"</{whole}>\n")


def parse_tags(given: str) -> tuple[str, str]:
    """Tags as the command line names them.

    >>> parse_tags("NameCollection/Name")
    ('NameCollection', 'Name')
    """
    whole, slash, each = given.partition("/")
    if not (whole and slash and each):
        raise DataError(f"--tags takes two tags, ALL/EACH, not '{given}'")
    return whole, each


def find_losses(corpus: Corpus) -> list[str]:
    """What a file does not hold of a text."""
    if any(text != text.strip() for text in corpus.texts or ()):
        return ["white space around the text is gone"]
    return []


def _is_tag(name: str) -> bool:
    try:
        expat.ParserCreate().Parse(f"<{name}/>", True)
    except expat.ExpatError:
        return False
    return _NAME.fullmatch(name) is not None


def _elements(sequence: Sequence, label: str) -> str:
    words, text, offsets = sequence["word"], sequence.text, sequence.offsets
    if text is None or offsets is None:
        between = ["", *[" "] * (len(words) - 1), ""]
    else:
        cuts = [0, *offsets.ravel().tolist(), len(text)]
        between = [text[a:b] for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
    pieces = [escape(between[0])]
    for number, (word, tag) in enumerate(zip(words, sequence[label], strict=True), start=1):
        if not word or not word.strip():
            raise DataError(
                f"sequence {sequence.index + 1}, token {number} has no word, which XML needs"
            )
        if len(word.split()) > 1:
            raise DataError(
                f"sequence {sequence.index + 1}, token {number} has white space in it, {word!r}, "
                "which a token of parserator's cannot have"
            )
        pieces.append(escape(word) if tag is None else f"<{tag}>{escape(word)}</{tag}>")
        pieces.append(escape(between[number]))
    line = "".join(pieces)
    if wrong := _NOT_XML.search(line):
        raise DataError(f"sequence {sequence.index + 1} has {wrong[0]!r}, which XML cannot hold")
    return line.replace("\r", "&#13;")


def _records(path: PathLike) -> Iterator[Record]:
    strings = _Strings(os.fspath(path))
    with open_bytes(path) as file:
        while block := file.read(_BLOCK):
            strings.feed(block)
            yield from strings.taken()
    strings.feed(b"", final=True)
    yield from strings.taken()
    if strings.bare:
        _log.warning("%s: %d strings without tokens were left out", os.fspath(path), strings.bare)


class _Strings:
    """Gathers labelled strings as a parser comes by them; ``bare`` ones have text and no token."""

    def __init__(self, name: str) -> None:
        self.bare = 0
        self._name = name
        self._depth = 0
        self._done: list[Record] = []
        self._pieces: list[tuple[str, str | None]] = []  # text, and the tag that it stands in
        self._tag: str | None = None
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._characters
        self._parser.EntityDeclHandler = self._refuse_entity

    def feed(self, block: bytes, *, final: bool = False) -> None:
        """Take in the next part of the file."""
        try:
            self._parser.Parse(block, final)
        except expat.ExpatError as error:
            said = expat.ErrorString(error.code)
            raise DataError(f"{self._name}:{error.lineno}: not XML: {said}") from None
        except DataError:
            raise
        except (LookupError, ValueError) as error:
            raise DataError(f"{self._name} says that it is in another encoding: {error}") from None

    def taken(self) -> list[Record]:
        """The strings that are complete, once."""
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        self._depth += 1
        if self._depth == 2:
            self._pieces = []
        elif self._depth == 3:
            self._tag = name
            self._pieces.append(("", name))
        elif self._depth > 3:
            raise DataError(
                f"{self._where}: <{name}> stands within the token <{self._tag}>; {AS_FIELDS}"
            )

    def _characters(self, content: str) -> None:
        if self._depth == 1 and content.strip():
            raise DataError(f"{self._where}: text {content.strip()[:40]!r} outside all strings")
        if self._depth == 3:
            self._pieces[-1] = (self._pieces[-1][0] + content, self._tag)
        elif self._depth == 2:
            self._pieces.append((content, None))

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._depth == 2:
            self._check_token(name, self._pieces[-1][0])
        if self._depth == 1:
            if any(tag is not None for _, tag in self._pieces):
                self._done.append(_record(self._pieces))
            else:
                self.bare += any(text.strip() for text, _ in self._pieces)

    def _check_token(self, name: str, content: str) -> None:
        words = content.split()
        if not words:
            raise DataError(f"{self._where}: the token <{name}> is empty")
        if len(words) > 1:
            raise DataError(
                f"{self._where}: <{name}> holds several words, {content.strip()[:40]!r}, and "
                f"parserator's elements are tokens; {AS_FIELDS}"
            )

    def _refuse_entity(self, name: str, *_: object) -> None:
        """Entities can make a small file a huge text, or read other files."""
        raise DataError(f"{self._where}: the file declares the entity {name!r}; write it out")

    @property
    def _where(self) -> str:
        return f"{self._name}:{self._parser.CurrentLineNumber}"


def _record(pieces: list[tuple[str, str | None]]) -> Record:
    whole = "".join(text for text, _ in pieces)
    text = whole.strip()
    at = len(whole.lstrip()) - len(whole)
    offsets: list[tuple[int, int]] = []
    labels: list[str | None] = []
    for piece, tag in pieces:
        if tag is not None:
            start = at + len(piece) - len(piece.lstrip())
            offsets.append((start, start + len(piece.strip())))
            labels.append(tag)
        at += len(piece)
    words: list[str | None] = [text[a:b] for a, b in offsets]
    return Record({"word": words, "label": labels}, len(words), text=text, offsets=offsets)
