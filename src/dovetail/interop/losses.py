"""What of a corpus a file format cannot hold, as phrases for a person."""

from __future__ import annotations

from dovetail.corpus import Corpus, Scheme, detect_scheme, spans
from dovetail.corpus.format import Carries
from dovetail.corpus.offsets import join_words
from dovetail.corpus.plain import convert_plain, find_runs
from dovetail.corpus.span_texts import find_tokens


def find_losses(corpus: Corpus, carries: Carries, *, kept: Scheme | None = None) -> list[str]:
    """What a format does not hold of a corpus; ``kept`` is a scheme that labels are put into."""
    lost = _lost_columns(corpus, carries)
    if corpus.document_bounds is not None and not carries.documents:
        lost.append("where documents begin is gone")
    if "label" in corpus.names:
        lost += _lost_labels(corpus, carries, kept)
    return lost + carries.find_other_losses(corpus) + _lost_tokens(corpus, carries)


def _lost_columns(corpus: Corpus, carries: Carries) -> list[str]:
    if carries.columns is None:
        return []
    gone = [name for name in corpus.names if name not in carries.columns and _has(corpus, name)]
    if not gone:
        return []
    hint = "" if "label" in corpus.names else " (one of them can be kept as the label)"
    return [f"the {'columns are' if len(gone) > 1 else 'column is'} gone: {', '.join(gone)}{hint}"]


def _has(corpus: Corpus, name: str) -> bool:
    return not corpus.column(name).missing.all()


def _lost_labels(corpus: Corpus, carries: Carries, kept: Scheme | None) -> list[str]:
    lists = corpus.lists("label")
    scheme = detect_scheme(lists)
    written = kept or scheme
    lost = []
    if carries.labels == "tags" and written == "none":
        lost.append(f"plain labels become tags, the column xpos{_in_place_of(corpus, 'xpos')}")
    if carries.labels == "plain" and corpus.column("label").missing.any():
        lost.append("words without a label are text, not tokens")
    if carries.labels == "spans" and _has_gaps(lists, whole=not carries.unlabelled):
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


def _lost_tokens(corpus: Corpus, carries: Carries) -> list[str]:
    if carries.labels != "spans":
        return []
    differ = between_blanks = 0
    for sequence in corpus:
        words = [word or "" for word in sequence["word"]]
        text, offsets = sequence.text, sequence.offsets
        if text is None or offsets is None:
            text, places = join_words(words)
        else:
            places = [(start, end) for start, end in offsets.tolist()]
        differ += find_tokens(text, "words") != places
        between_blanks += find_tokens(text, "blanks") != places
    if not differ:
        return []
    if not between_blanks:
        return ["tokens read back the same only if cut at blanks"]
    return [f"{differ} of {len(corpus)} sequences read back with other tokens"]
