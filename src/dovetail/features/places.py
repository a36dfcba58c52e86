"""Columns that every corpus has: where a token stands in its sequence, its document, its layout.

Their names begin with ``@``. Those about layout need raw text and offsets, and a corpus without
them has no values there. A line ends at a line feed, and so does a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dovetail.corpus import Column, Corpus
from dovetail.errors import DataError

Ints = NDArray[np.int64]

TAB = 8  # columns that a tab in the indentation stands for
LONGEST_LEAD = 3
COLONS = (ord(":"), ord("："))
ORDER = ("inside", "first", "last", "only")
COUNTS = (0, 1, 2, 3, 4, 5, 10, 20, 50, 100)
COUNT_NAMES = ("0", "1", "2", "3", "4", "5+", "10+", "20+", "50+", "100+")
INDENTS = (0, 1, 4, 8, 16)
INDENT_NAMES = ("0", "1-3", "4-7", "8-15", "16+")

# Lines of "Name: value", which more lines may continue, after a line with the mail's own address.
HEADER = re.compile(
    r"(?>(?:(?:From |<)[^\n]*+\n)?)"
    r"(?>(?:[^\W\d_][\w-]*+(?>(?:[ ][\w-]++){0,2})[ \t]*+:[^\n]*+"
    r"(?>(?:\n[ \t]++[^\s][^\n]*+)*)(?:\n|\Z))+)"
)


def place_column(corpus: Corpus, name: str) -> Column:
    """A built-in column of a corpus.

    >>> corpus = Corpus.from_texts(["Who: Ada\\n\\nAll are welcome"])
    >>> place_column(corpus, "@lead").values()
    ['who', 'who', 'who', None, None, None]
    >>> place_column(corpus, "@gap").values()
    ['', '', ' ', 'blank', ' ', ' ']
    """
    return place_columns(corpus, [name])[name]


def place_columns(corpus: Corpus, names: Iterable[str]) -> dict[str, Column]:
    """Several built-in columns of a corpus, whose layout is looked at once for all of them."""
    layout = None
    columns: dict[str, Column] = {}
    for name in names:
        if name in IN_SEQUENCE:
            columns[name] = IN_SEQUENCE[name](corpus)
        elif name not in IN_LAYOUT:
            known = ", ".join(PLACES)
            raise DataError(f"there is no built-in column {name!r}; those are: {known}")
        elif corpus.texts is None or corpus.offsets is None or not corpus.n_tokens:
            columns[name] = Column(np.full(corpus.n_tokens, -1, np.int32), ())
        else:
            layout = layout or Layout.of(corpus)
            columns[name] = IN_LAYOUT[name](layout)
    return columns


def _place(corpus: Corpus) -> Column:
    return _order(np.repeat(np.arange(len(corpus)), np.diff(corpus.bounds)))


def _number(corpus: Corpus) -> Column:
    return _bucketed(_within(corpus.bounds), COUNTS, COUNT_NAMES)


def _sentence(corpus: Corpus) -> Column:
    if corpus.document_bounds is None:
        place = np.zeros(len(corpus), np.int64)
    else:
        place = _within(corpus.document_bounds)
    return _bucketed(np.repeat(place, np.diff(corpus.bounds)), COUNTS, COUNT_NAMES)


class Layout(NamedTuple):
    """All texts of a corpus end to end, and where in them lines and tokens are."""

    text: str
    characters: NDArray[np.uint32]
    text_starts: Ints
    line_starts: Ints
    text_of_line: Ints
    starts: Ints  # of tokens
    ends: Ints
    lines: Ints  # the line of each token

    @classmethod
    def of(cls, corpus: Corpus) -> Layout:
        """The layout of a corpus that keeps its texts."""
        assert corpus.texts is not None
        assert corpus.offsets is not None
        text = "".join(corpus.texts)
        characters = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        text_starts = np.zeros(len(corpus) + 1, np.int64)
        np.cumsum([len(part) for part in corpus.texts], out=text_starts[1:])
        text_starts = text_starts[:-1]
        line_starts = np.union1d(text_starts, np.flatnonzero(characters == ord("\n")) + 1)
        line_starts = line_starts[line_starts < len(text)]  # a last line feed begins no line
        offsets = corpus.offsets + np.repeat(text_starts, np.diff(corpus.bounds))[:, None]
        return cls(
            text,
            characters,
            text_starts,
            line_starts,
            np.searchsorted(text_starts, line_starts, "right") - 1,
            offsets[:, 0],
            offsets[:, 1],
            np.searchsorted(line_starts, offsets[:, 0], "right") - 1,
        )

    def first_tokens(self) -> Ints:
        """The numbers of the tokens that begin lines."""
        return np.flatnonzero(np.diff(self.lines, prepend=-1))


def _line(layout: Layout) -> Column:
    return _order(layout.lines)


def _blank(layout: Layout) -> Column:
    blank = np.bincount(layout.lines, minlength=len(layout.line_starts)) == 0
    same_text = np.diff(layout.text_of_line) == 0
    before = np.append(False, blank[:-1] & same_text)
    after = np.append(blank[1:] & same_text, False)
    return Column((before + 2 * after)[layout.lines], ("", "before", "after", "both"))


def _indent(layout: Layout) -> Column:
    first = layout.first_tokens()
    begin, end = layout.line_starts[layout.lines[first]], layout.starts[first]
    tabs = np.flatnonzero(layout.characters == ord("\t"))
    n_tabs = np.searchsorted(tabs, end) - np.searchsorted(tabs, begin)
    width = np.zeros(len(layout.line_starts), np.int64)
    width[layout.lines[first]] = end - begin + (TAB - 1) * n_tabs
    return _bucketed(width, INDENTS, INDENT_NAMES)[layout.lines]


def _gap(layout: Layout) -> Column:
    texts = layout.text_of_line[layout.lines]
    begins_text = np.diff(texts, prepend=-1) != 0
    line_before = np.append(0, layout.lines[:-1])
    end_before = np.append(0, layout.ends[:-1])
    # Before a text's first token there is no line, so that any line above it is a blank one.
    first_line = np.searchsorted(layout.line_starts, layout.text_starts[texts], "right") - 1
    line_before = np.where(begins_text, first_line, line_before)
    end_before = np.where(begins_text, layout.text_starts[texts], end_before)
    feeds = layout.lines - line_before + (begins_text & (layout.lines > line_before))
    codes = np.where(feeds, np.minimum(feeds, 2) + 1, layout.starts > end_before)
    return Column(codes, ("", " ", "line", "blank"))


def _lead(layout: Layout) -> Column:
    first = np.full(len(layout.line_starts), -1, np.int64)
    first[layout.lines[layout.first_tokens()]] = layout.first_tokens()
    colons = np.flatnonzero(np.isin(layout.characters[layout.starts], COLONS))
    colons = colons[layout.ends[colons] - layout.starts[colons] == 1]
    rank = colons - first[layout.lines[colons]]
    colons = colons[(rank > 0) & (rank <= LONGEST_LEAD)]
    of_line: dict[int, str] = {}
    for colon, line in zip(colons.tolist(), layout.lines[colons].tolist(), strict=True):
        words = layout.text[layout.starts[first[line]] : layout.ends[colon - 1]].lower()
        if line not in of_line and words[0].isalpha():
            of_line[line] = " ".join(words.split())
    levels = {words: code for code, words in enumerate(dict.fromkeys(of_line.values()))}
    codes = np.full(len(layout.line_starts), -1, np.int32)
    codes[list(of_line)] = [levels[words] for words in of_line.values()]
    return Column(codes[layout.lines], tuple(levels))


def _elsewhere(layout: Layout) -> Column:
    """The lead of the first other line of the text that has one, and the token's word too."""
    lead = _lead(layout)
    texts = layout.text_of_line[layout.lines].tolist()
    lines, codes = layout.lines.tolist(), lead.codes.tolist()
    spans = zip(layout.starts.tolist(), layout.ends.tolist(), strict=True)
    words = [layout.text[a:b].lower() for a, b in spans]
    held: dict[tuple[int, str], dict[int, int]] = {}  # by text and word: lines, and their leads
    for text, word, line, code in zip(texts, words, lines, codes, strict=True):
        if code >= 0 and len(word) > 1 and word[0].isalpha():
            held.setdefault((text, word), {})[line] = code
    found = [
        next((code for other, code in held.get((text, word), {}).items() if other != line), -1)
        for text, word, line in zip(texts, words, lines, strict=True)
    ]
    return Column(np.array(found, np.int32), lead.levels)


def _header(layout: Layout) -> Column:
    bounds = [*layout.text_starts.tolist(), len(layout.text)]
    matches = (HEADER.match(layout.text, *bounds[i : i + 2]) for i in range(len(bounds) - 1))
    ends = np.array([0 if match is None else match.end() for match in matches], np.int64)
    in_body = layout.starts >= ends[layout.text_of_line[layout.lines]]
    return Column(in_body.astype(np.int32), ("header", "body"))


IN_SEQUENCE: dict[str, Callable[[Corpus], Column]] = {
    "@place": _place,
    "@number": _number,
    "@sentence": _sentence,
}
IN_LAYOUT: dict[str, Callable[[Layout], Column]] = {
    "@line": _line,
    "@blank": _blank,
    "@indent": _indent,
    "@gap": _gap,
    "@lead": _lead,
    "@elsewhere": _elsewhere,
    "@header": _header,
}
PLACES = (*IN_SEQUENCE, *IN_LAYOUT)


def _within(bounds: Ints) -> Ints:
    """How far each thing is from the start of the group that bounds put it in."""
    place: Ints = np.arange(bounds[-1]) - np.repeat(bounds[:-1], np.diff(bounds))
    return place


def _order(groups: Ints) -> Column:
    """Which things are first and last of their groups; the numbers of these rise."""
    first = np.diff(groups, prepend=-1) != 0
    last = np.append(first[1:], True)[: len(first)]
    return Column(first + 2 * last, ORDER)


def _bucketed(values: Ints, edges: Any, names: tuple[str, ...]) -> Column:
    codes = np.searchsorted(edges, values, "right") - 1
    return Column(codes.astype(np.int32), names)
