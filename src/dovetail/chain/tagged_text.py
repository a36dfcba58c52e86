"""Raw texts with the spans that were found in them, by characters."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from dovetail.chain.tagging_html import LabelledSequence, mark_text
from dovetail.corpus import Corpus
from dovetail.corpus.record import RecordGatherer
from dovetail.corpus.texts import Unit, check_unit, cut_lines, text_record
from dovetail.errors import DataError

OUTSIDE = "O"


class TextSpan(NamedTuple):
    """What was found in a text: characters from ``start`` up to ``end``, which are ``text``."""

    start: int
    end: int
    text: str
    label: str
    probability: float


class TaggedText(NamedTuple):
    """A text and the spans in it, in their order; of plain labels each token is one, but for O."""

    text: str
    spans: list[TextSpan]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"text": self.text, "spans": [span._asdict() for span in self.spans]}

    def to_html(self) -> str:
        """The text with its spans marked; the less probable, the paler."""
        return mark_text(self.text, self.spans)

    def _repr_html_(self) -> str:
        return self.to_html()


class CutTexts(NamedTuple):
    """Texts cut into sequences: of each the text it is of, and where in it it begins."""

    texts: list[str]
    owners: list[int]
    starts: list[int]
    corpus: Corpus

    def place(
        self, taggings: Sequence[LabelledSequence], *, by_spans: bool
    ) -> list[list[TextSpan]]:
        """What was found in each text, from what was found in the sequences."""
        out: list[list[TextSpan]] = [[] for _ in self.texts]
        pieces = zip(self.corpus, taggings, self.owners, self.starts, strict=True)
        for sequence, tagging, owner, start in pieces:
            offsets = [] if sequence.offsets is None else sequence.offsets.tolist()
            for first, after, label, probability in _spans(tagging, by_spans):
                begin, end = start + offsets[first][0], start + offsets[after - 1][1]
                text = self.texts[owner][begin:end]
                out[owner].append(TextSpan(begin, end, text, label, probability))
        return out


def cut_texts(texts: Iterable[str], unit: Unit, column: str) -> CutTexts:
    """Texts as a corpus of lines, paragraphs or whole texts, the words in a column of that name;
    each text that is not blank is a document."""
    check_unit(unit)
    if isinstance(texts, str):
        raise DataError("give a list of texts, not a single one")
    given = list(texts)
    gatherer = RecordGatherer([column])
    owners: list[int] = []
    starts: list[int] = []
    bounds = [0]
    for number, text in enumerate(given):
        if not isinstance(text, str):
            raise DataError(f"text {number + 1} is a {type(text).__name__}; give strings")
        at = 0
        for part in _cut(text, unit):
            at = text.index(part, at)  # only white space stands between parts
            gatherer.add(text_record(part, column=column))
            owners.append(number)
            starts.append(at)
            at += len(part)
        if len(owners) > bounds[-1]:
            bounds.append(len(owners))
    documents = None if unit == "document" else bounds
    corpus = Corpus(**{**gatherer.parts(), "document_bounds": documents})
    return CutTexts(given, owners, starts, corpus)


def _cut(text: str, unit: Unit) -> Iterable[str]:
    if unit == "document":
        return [text]
    if "\n" not in text and "\r" not in text:  # as most are
        return [text] if text.strip() else []
    return (part for part, _ in cut_lines(io.StringIO(text), unit))


def _spans(tagging: LabelledSequence, by_spans: bool) -> Iterable[tuple[int, int, str, float]]:
    if by_spans:
        return tagging.spans
    labels = zip(tagging.labels, tagging.confidences, strict=True)
    return ((t, t + 1, label, p) for t, (label, p) in enumerate(labels) if label != OUTSIDE)
