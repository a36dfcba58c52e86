"""Corpora as spaCy's `Doc` objects and ``.spacy`` files (`DocBin`), and back.

A document is a `Doc` and its sequences are sentences; without documents each sequence is a `Doc`.
Spans are entities, plain labels are tags. The text is kept to the last blank: white space that
spaCy cannot put between two tokens is a token of its own there, and none here.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from dovetail.corpus import Corpus, add_offsets, detect_scheme, labels_from_spans, spans
from dovetail.corpus.format import Carries, Format
from dovetail.corpus.record import Record
from dovetail.corpus.records import CHUNK_SIZE, to_chunks, to_corpus
from dovetail.corpus.table import Sequence
from dovetail.errors import DataError, DovetailError
from dovetail.io.files import PathLike, atomic_write, open_bytes

if TYPE_CHECKING:
    from spacy.tokens import Doc
    from spacy.vocab import Vocab

# By columns: attributes of spaCy's tokens, names under which they are stored, arguments of Doc.
_TAGS = {
    "lemma": ("lemma_", "LEMMA", "lemmas"),
    "upos": ("pos_", "POS", "pos"),
    "xpos": ("tag_", "TAG", "tags"),
}
_STORED = ("ENT_IOB", "ENT_TYPE", "TAG", "POS", "LEMMA", "SENT_START")
_PIECE = re.compile(r"\s+|\S+")


def to_docs(corpus: Corpus, vocab: Vocab | None = None, *, label: str = "label") -> Iterator[Doc]:
    """A corpus as `Doc` objects, with the spans of a column as entities, or its plain labels as
    tags, and the columns lemma, upos and xpos. ``vocab`` is that of a pipeline, or an empty one."""
    spacy = _spacy()
    vocab = spacy.vocab.Vocab() if vocab is None else vocab
    corpus, _ = add_offsets(corpus)
    columns = {name: name for name in _TAGS if name in corpus.names}
    entities = None
    if label in corpus.names:
        if detect_scheme(corpus.lists(label)) == "none":
            columns["xpos"] = label
        else:
            entities = label
    has_documents = corpus.document_bounds is not None
    starts = range(len(corpus) + 1) if corpus.document_bounds is None else corpus.document_bounds
    for first, last in pairwise(map(int, starts)):
        pieces = [
            piece
            for k in range(first, last)
            for piece in _pieces(corpus[k], entities, columns, "\n" if k + 1 < last else "")
        ]
        tags = {_TAGS[name][2]: [p.tags.get(name, "") for p in pieces] for name in columns}
        try:
            yield spacy.tokens.Doc(
                vocab,
                words=[piece.text for piece in pieces],
                spaces=[piece.space for piece in pieces],
                ents=None if entities is None else [piece.entity for piece in pieces],
                sent_starts=[piece.opens for piece in pieces] if has_documents else None,
                **tags,
            )
        except ValueError as error:
            said = str(error).splitlines()[0]
            raise DataError(f"sequence {first + 1} is not for spaCy: {said}") from None


def from_docs(given: Iterable[Doc], columns: Mapping[str, str] | None = None) -> Corpus:
    """A corpus of `Doc` objects: a sequence a sentence or, without sentences, a `Doc`.

    It has the words and, as far as they are there, entities as IOB2 labels, and the columns lemma,
    upos and xpos. ``columns`` names others: by the names of columns, attributes of spaCy's tokens.
    """
    return to_corpus(_records(given, columns), ["word"])


def read_docbin(path: PathLike) -> Corpus:
    """Read a ``.spacy`` file."""
    return from_docs(_stored(path))


def stream_docbin(path: PathLike, *, chunk_size: int = CHUNK_SIZE) -> Iterator[Corpus]:
    """The same as a stream of corpora of ``chunk_size`` sequences; the file is read at once."""
    return to_chunks(_records(_stored(path), None), chunk_size, ["word"])


def write_docbin(corpus: Corpus, path: PathLike, *, label: str = "label") -> None:
    """Write a ``.spacy`` file, as ``spacy train`` reads it."""
    content = _spacy().tokens.DocBin(attrs=_STORED, docs=to_docs(corpus, label=label)).to_bytes()
    with atomic_write(path) as file:
        file.write(content)


SPACY = Format(
    read_docbin,
    stream_docbin,
    (".spacy",),
    write_docbin,
    Carries(("word", "lemma", "upos", "xpos", "label"), "tags", needs_text=True),
    to_stdout=False,
)


class _Piece(NamedTuple):
    """A token of spaCy's: its text, whether a blank follows, and what is known of it."""

    text: str
    space: bool
    opens: bool
    entity: str | None
    tags: dict[str, str]


def _pieces(
    sequence: Sequence, entities: str | None, columns: Mapping[str, str], ending: str
) -> list[_Piece]:
    text, offsets = sequence.text or "", sequence.offsets
    assert offsets is not None
    labels, inside = _entities(sequence, entities)
    values = {name: sequence[column] for name, column in columns.items()}
    made: list[_Piece] = []
    at = 0

    def fill(end: int, entity: str | None) -> None:
        """What stands between two tokens; one blank belongs to the token before."""
        for found in _PIECE.findall(text[at:end]):
            rest = found
            if made and found[0] == " ":
                made[-1] = made[-1]._replace(space=True)
                rest = found[1:]
            if rest:
                made.append(_Piece(rest, False, not made, entity, {}))

    for k, (start, end) in enumerate(offsets.tolist()):
        if start < at or start == end:
            raise DataError(
                f"sequence {sequence.index + 1}, token {k + 1} is empty or overlaps the one before"
            )
        fill(start, inside[k])
        tags = {name: column[k] or "" for name, column in values.items()}
        made.append(_Piece(text[start:end], False, not made, labels[k], tags))
        at = end
    fill(len(text), None if entities is None else "O")
    if ending:
        made.append(_Piece(ending, False, not made, None if entities is None else "O", {}))
    return made


def _entities(
    sequence: Sequence, entities: str | None
) -> tuple[list[str | None], list[str | None]]:
    """The labels of tokens, and those of what stands before each of them."""
    n = len(sequence)
    if entities is None:
        return [None] * n, [None] * n
    given = sequence[entities]
    found = spans(given)
    if any(not span.label for span in found):
        raise DataError(f"sequence {sequence.index + 1}: spaCy's entities need names, not just B")
    labels = labels_from_spans(found, n)
    inside: list[str | None] = ["O"] * n
    for start, end, name in found:
        inside[start + 1 : end] = [f"I-{name}"] * (end - start - 1)
    return [None if y is None else z for y, z in zip(given, labels, strict=True)], inside


def sentences(doc: Doc) -> list[tuple[str, list[Any], int]]:
    """Sequences of a `Doc`: text, tokens that are no white space, and where the text begins."""
    starts = [0]
    if doc.has_annotation("SENT_START"):
        starts = [sentence.start_char for sentence in doc.sents] or [0]
    whole = doc.text
    ends = [*(start - whole[start - 1].isspace() for start in starts[1:]), len(whole)]
    found: list[tuple[str, list[Any], int]] = [
        (whole[a:b], [], a) for a, b in zip(starts, ends, strict=True)
    ]
    at = 0
    for token in doc:
        while at + 1 < len(starts) and token.idx >= starts[at + 1]:
            at += 1
        if not token.text.isspace():  # an empty vocabulary does not know which tokens are blank
            found[at][1].append(token)
    return [one for one in found if one[1]]


def _records(given: Iterable[Doc], columns: Mapping[str, str] | None) -> Iterator[Record]:
    for doc, opens in _opening(given):
        wanted = {"word": "text", **(_annotated(doc) if columns is None else columns)}
        for text, tokens, start in sentences(doc):
            values: dict[str, list[str | None]] = {
                name: [str(getattr(token, attribute)) or None for token in tokens]
                for name, attribute in wanted.items()
            }
            if columns is None and doc.has_annotation("ENT_IOB"):
                values["label"] = [_iob(token) for token in tokens]
            offsets = [(token.idx - start, token.idx - start + len(token)) for token in tokens]
            yield Record(values, len(tokens), opens, text, offsets)
            opens = False


def _opening(given: Iterable[Doc]) -> Iterator[tuple[Doc, bool]]:
    """Whether each `Doc` is a document, as those with sentences are.

    One of a single token always says that it has sentences: what its neighbours say counts.
    """
    waiting: list[Doc] = []
    has_sentences: bool | None = None
    for doc in given:
        waiting.append(doc)
        if len(doc) > 1:
            has_sentences = doc.has_annotation("SENT_START")
        if has_sentences is not None:
            yield from ((one, has_sentences) for one in waiting)
            waiting = []
    yield from ((one, True) for one in waiting)


def _annotated(doc: Doc) -> dict[str, str]:
    return {
        name: attribute
        for name, (attribute, stored, _) in _TAGS.items()
        if doc.has_annotation(stored)
    }


def _iob(token: Any) -> str | None:
    if token.ent_iob_ in ("", "O"):
        return token.ent_iob_ or None
    return f"{token.ent_iob_}-{token.ent_type_}"


def _stored(path: PathLike) -> Iterator[Doc]:
    spacy = _spacy()
    with open_bytes(path) as file:
        content = file.read()
    try:
        yield from spacy.tokens.DocBin().from_bytes(content).get_docs(spacy.vocab.Vocab())
    except Exception as error:  # whatever its layers make of bytes that are something else
        said = f"{type(error).__name__}: {error}".splitlines()[0][:100]
        raise DataError(f"{os.fspath(path)} is no .spacy file ({said})") from None


def _spacy() -> Any:
    try:
        import spacy.tokens
        import spacy.vocab
    except ImportError:
        raise DovetailError("this needs spaCy: pip install 'dovetail[spacy]'") from None
    return spacy
