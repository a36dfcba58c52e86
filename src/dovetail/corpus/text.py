"""Plain text: files cut into lines, paragraphs or whole documents, and these to tokens.

Raw text and the places of its tokens are kept, so that whatever is found can be shown in it, and
features can look at its layout.
"""

from __future__ import annotations

from collections.abc import Iterator

from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.table import Corpus
from dovetail.corpus.texts import Unit, check_unit, cut_lines, text_record
from dovetail.io.files import PathLike, open_text


def read_text(path: PathLike, *, unit: Unit = "line") -> Corpus:
    """Read plain text: each line, paragraph or document, which is the whole file, is a sequence.

    Blank lines divide paragraphs, and of lines and paragraphs they divide documents. The text of
    each sequence is kept as ``texts``, and the places of the tokens in it as ``offsets``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tiny.txt")
    >>> _ = path.write_text("Hello, world.\\nHere I am.\\n")
    >>> read_text(path).lists("word")
    [['Hello', ',', 'world', '.'], ['Here', 'I', 'am', '.']]
    >>> read_text(path, unit="document").texts
    ('Hello, world.\\nHere I am.',)
    """
    check_unit(unit)
    return to_corpus(_file_records(path, unit), ["word"])


def stream_text(
    path: PathLike, *, unit: Unit = "line", chunk_size: int = CHUNK_SIZE
) -> Iterator[Corpus]:
    """Read plain text as a stream of corpora of ``chunk_size`` sequences, in bounded memory."""
    check_unit(unit)
    return to_chunks(_file_records(path, unit), chunk_size, ["word"])


def _file_records(path: PathLike, unit: Unit) -> Iterator[Record]:
    started = False
    with open_text(path) as file:
        for text, after_blank in cut_lines(file, unit):
            record = text_record(text, opens_document=started and after_blank)
            if record.length:
                yield record
                started = True
