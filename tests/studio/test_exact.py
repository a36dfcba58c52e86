"""CoNLL files come out byte for byte, and only labels that were changed differ."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dovetail.corpus import read_conll, spans
from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.exact import rewrite
from dovetail.studio.importing import Reading, read_source
from dovetail.studio.project import Entry, Source

TYPES = ("PER", "LOC")
words = st.sampled_from(["Ada", "in", "K\u00f6ln", "\U0001f600", "#", "\u5317\u4eac", "a\u00a0b"])
labels = st.sampled_from(["O", "O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-LOC", "S-PER"])
bilou = st.sampled_from(["O", "B-PER", "I-PER", "L-PER", "U-LOC"])
plain = st.sampled_from(["O", "PER", "LOC"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """A CoNLL file with the oddities that such files have."""
    kind = draw(st.sampled_from([labels, bilou, plain]))
    separator = draw(st.sampled_from([" ", "\t", "  "]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    middle = draw(st.booleans())
    blocks = []
    for _ in range(draw(st.integers(1, 4))):
        lines = []
        if draw(st.booleans()):
            lines.append("-DOCSTART-" + separator + ("-X-" + separator if middle else "") + "O")
            lines.append("")
        for _ in range(draw(st.integers(1, 5))):
            fields = [draw(words), *(["NN"] if middle else []), draw(kind)]
            lines.append(separator.join(fields))
        blocks.append(end.join(lines))
    gap = end * draw(st.integers(2, 3))
    tail = draw(st.sampled_from(["", end, end * 2]))
    mark = draw(st.sampled_from(["", "\ufeff"]))
    return (mark + gap.join(blocks) + tail).encode()


Known = dict[int, dict[str, Annotation]]


def read(folder: Path, content: bytes) -> tuple[Source, Known]:
    """A file as a project would have it, and what it says of each of its documents."""
    path = folder / "in.conll"
    path.write_bytes(content)
    source = read_source(path, Reading(), ["label"])
    entries = [
        Entry(replace(one.document, id=k), one.place) for k, one in enumerate(source.entries)
    ]
    known = {k: dict(one.annotations) for k, one in enumerate(source.entries)}
    return replace(source, entries=tuple(entries)), known


@given(files())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_untouched_files_are_written_to_the_byte(tmp_path: Path, content: bytes) -> None:
    assert rewrite(*read(tmp_path, content)) == content


@given(files(), st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_only_labels_of_touched_documents_change(
    tmp_path: Path, content: bytes, data: st.DataObject
) -> None:
    source, known = read(tmp_path, content)
    entry = data.draw(st.sampled_from(source.entries))
    document = entry.document
    first, end = data.draw(st.sampled_from(document.sequences))
    old = known[document.id]["label"]
    others = [span for span in old.spans if not first <= span.start < end]
    start = data.draw(st.integers(first, end - 1))
    stop = data.draw(st.integers(start + 1, end))
    new = [Span(start, stop, data.draw(st.sampled_from(TYPES)))]
    if data.draw(st.booleans()):
        new = []
    known[document.id]["label"] = Annotation(tuple(sorted([*others, *new])), done=True)
    written = rewrite(source, known)
    assert _without_labels(written) == _without_labels(content)
    if source.details["schemes"]["label"] != "none":  # where neighbours may become one span
        _, again = read(tmp_path, written)
        assert {k: one["label"].spans for k, one in again.items()} == {
            k: one["label"].spans for k, one in known.items()
        }
    touched = {line for own in document_lines(source, document.id) for line in own}
    before, after = content.splitlines(), written.splitlines()
    for number, (one, other) in enumerate(zip(before, after, strict=True), 1):
        assert one == other or number in touched


def document_lines(source: Source, number: int) -> list[list[int]]:
    return next(one.place for one in source.entries if one.document.id == number)


def _without_labels(content: bytes) -> list[bytes]:
    separator = b"\t" if b"\t" in content else b" "
    return [line.rpartition(separator)[0] for line in content.splitlines(keepends=True)]


def test_letters_of_spans_that_stay_are_kept(tmp_path: Path) -> None:
    source, known = read(tmp_path, b"a I-PER\nb O\nc I-LOC\n")
    kept = known[0]["label"].spans
    known[0]["label"] = Annotation((*kept[:1], Span(1, 3, "LOC")), done=True)
    assert rewrite(source, known) == b"a I-PER\nb I-LOC\nc I-LOC\n"


def test_missing_labels_are_filled_when_a_document_is_done(tmp_path: Path) -> None:
    content = b"a\tB-PER\nb\t\n"
    source, known = read(tmp_path, content)
    assert rewrite(source, known) == content
    known = {0: {"label": Annotation((Span(0, 1, "PER"),), done=True)}}
    assert rewrite(source, known) == b"a\tB-PER\nb\tO\n"


def test_further_columns_and_comments_stay(tmp_path: Path) -> None:
    path = tmp_path / "in.conll"
    content = b"# id 1\nAda\tB-PER\tNNP\nran\tO\tVBD\n"
    path.write_bytes(content)
    source = read_source(path, Reading(columns="word,ner,pos"), ["ner"])
    assert source.entries[0].document.columns == {"pos": ("NNP", "VBD")}
    assert rewrite(source, {}) == content
    assert [tuple(s) for s in spans(read_conll(path, ["word", "ner", "_"]).lists("ner")[0])] == [
        (0, 1, "PER")
    ]


@pytest.mark.parametrize("tail", [b"", b"\n"])
def test_bare_carriage_returns_are_line_ends(tmp_path: Path, tail: bytes) -> None:
    content = b"a O\rb B-PER\r\rc O" + tail
    assert rewrite(*read(tmp_path, content)) == content
