"""What of a corpus a file format cannot hold, as phrases for a person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dovetail.corpus import Corpus, Scheme, detect_scheme, spans
from dovetail.corpus.brat import document_bounds
from dovetail.corpus.conllu import FIELD_COLUMNS
from dovetail.corpus.placed import joined_by_blanks
from dovetail.corpus.plain import convert_plain, find_runs
from dovetail.corpus.span_texts import find_tokens


@dataclass(frozen=True)
class Carries:
    """What a format holds beside words: of labels any, ``spans`` of a text, ``plain`` ones, or
    spans and plain ones apart, the latter as ``tags``.

    ``columns`` are those it has room for, None if any; ``text`` whether there is one, and
    ``needs_text`` whether there has to be.
    """

    columns: tuple[str, ...] | None
    labels: Literal["any", "spans", "plain", "tags"] = "any"
    text: bool = True
    needs_text: bool = False
    documents: bool = True


_WORDS = ("word", "label")
_SPANS = Carries(_WORDS, "spans", needs_text=True)
CARRIES = {
    "conll": Carries(None, text=False),
    "conllu": Carries((*FIELD_COLUMNS, "label")),
    "jsonl": Carries(None),
    "brat": _SPANS,
    "doccano": _SPANS,
    "label-studio": _SPANS,
    "parserator": Carries(_WORDS, "plain", documents=False),
    "spacy": Carries(("word", "lemma", "upos", "xpos", "label"), "tags", needs_text=True),
}


def losses(corpus: Corpus, target_format: str, *, kept: Scheme | None = None) -> list[str]:
    """What a format does not hold of a corpus; ``kept`` is a scheme that labels are put into."""
    carries = CARRIES[target_format]
    lost = _columns_lost(corpus, target_format, carries)
    if corpus.document_bounds is not None and not carries.documents:
        lost.append("where documents begin is gone")
    if "label" in corpus.names:
        lost += _labels_lost(corpus, target_format, carries, kept)
    return lost + _text_lost(corpus, target_format) + _tokens_lost(corpus, carries)


def _columns_lost(corpus: Corpus, target_format: str, carries: Carries) -> list[str]:
    if carries.columns is None:
        usual = ["word", *(f"column{n}" for n in range(2, len(corpus.names))), "label"]
        if target_format == "conll" and list(corpus.names) not in (usual, ["word"]):
            return [f"the columns lose their names, which are {', '.join(corpus.names)}"]
        return []
    gone = [name for name in corpus.names if name not in carries.columns and _has(corpus, name)]
    if not gone:
        return []
    hint = "" if "label" in corpus.names else " (one of them can be kept as the label)"
    return [f"the {'columns are' if len(gone) > 1 else 'column is'} gone: {', '.join(gone)}{hint}"]


def _has(corpus: Corpus, name: str) -> bool:
    return not corpus.column(name).missing.all()


def _labels_lost(
    corpus: Corpus, target_format: str, carries: Carries, kept: Scheme | None
) -> list[str]:
    lists = corpus.lists("label")
    scheme = detect_scheme(lists)
    written = kept or scheme
    lost = []
    if carries.labels == "tags" and written == "none":
        lost.append(f"plain labels become tags, the column xpos{_in_place_of(corpus, 'xpos')}")
    if carries.labels == "plain" and corpus.column("label").missing.any():
        lost.append("words without a label are text, not tokens")
    if carries.labels == "spans" and _has_gaps(lists, whole=target_format == "brat"):
        lost.append("missing labels read back as O")
    if carries.labels in ("spans", "tags") and written in ("IOB1", "IOBES"):
        lost.append(f"labels of the scheme {written} read back as IOB2")
    if carries.labels == "spans" and scheme == "none" and corpus.column("label").levels:
        lost.append("plain labels become spans, one for neighbours with the same label")
    becomes_plain = kept == "none" or (kept is None and carries.labels == "plain")
    if becomes_plain and carries.labels != "spans" and scheme != "none" and _joins(lists, scheme):
        lost.append("neighbouring spans with one label become one")
    return lost


def _in_place_of(corpus: Corpus, name: str) -> str:
    return " in place of the one there is" if name in corpus.names and _has(corpus, name) else ""


def _has_gaps(lists: list[list[str | None]], *, whole: bool) -> bool:
    """Whether labels are missing in sequences that have some, or with ``whole`` in any."""
    missing = [[label is None for label in labels] for labels in lists]
    return any(any(gaps) and (whole or not all(gaps)) for gaps in missing)


def _joins(lists: list[list[str | None]], scheme: Scheme) -> bool:
    """Whether plain labels would no longer tell some neighbouring spans apart."""
    return any(
        [s[:2] for s in spans(y)] != [s[:2] for s in find_runs(convert_plain(y, scheme, "none"))]
        for y in lists
    )


def _text_lost(corpus: Corpus, target_format: str) -> list[str]:
    if corpus.texts is None:
        return []
    if target_format == "conll":
        differ = any(
            sequence.text != joined_by_blanks([word or "" for word in sequence["word"]])[0]
            for sequence in corpus
        )
        return ["the text is gone: it reads back with single blanks"] if differ else []
    if target_format == "conllu" and any(t != " ".join(t.split()) for t in corpus.texts):
        return ["white space in the text becomes single blanks"]
    if target_format == "parserator" and any(t != t.strip() for t in corpus.texts):
        return ["white space around the text is gone"]
    if target_format == "brat" and any("\n" in text for text in corpus.texts):
        if len(document_bounds(corpus)) <= len(corpus):
            return ["sequences of several lines read back as others"]
        return ["sequences read back the same only by document, not by line"]
    return []


def _tokens_lost(corpus: Corpus, carries: Carries) -> list[str]:
    if carries.labels != "spans":
        return []
    differ = between_blanks = 0
    for sequence in corpus:
        words = [word or "" for word in sequence["word"]]
        text, offsets = sequence.text, sequence.offsets
        if text is None or offsets is None:
            text, places = joined_by_blanks(words)
        else:
            places = [(start, end) for start, end in offsets.tolist()]
        differ += find_tokens(text, "words") != places
        between_blanks += find_tokens(text, "blanks") != places
    if not differ:
        return []
    if not between_blanks:
        return ["tokens read back the same only if cut at blanks"]
    return [f"{differ} of {len(corpus)} sequences read back with other tokens"]
