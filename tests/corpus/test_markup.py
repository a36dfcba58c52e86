"""Text with inline marks."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from dovetail import DataError, read
from dovetail.corpus import Span, read_markup, read_markup_spans, spans, stream_markup


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_fields_become_labels_and_the_text_is_kept(tmp_path: Path) -> None:
    text = "<0.1.x+@cs.edu>\nWho: <speaker>Ada Byron</speaker>, at <stime>3:30 pm</stime>."
    corpus = read(write(tmp_path, "1.txt", text), "markup")
    assert corpus.texts == ("<0.1.x+@cs.edu>\nWho: Ada Byron, at 3:30 pm.",)
    found = [(s.label, corpus[0]["word"][s.start : s.end]) for s in spans(corpus.lists("label")[0])]
    assert found == [("speaker", ["Ada", "Byron"]), ("stime", ["3:30", "pm"])]
    offsets = corpus.offsets
    assert offsets is not None
    assert [corpus.texts[0][a:b] for a, b in offsets.tolist()] == corpus[0]["word"]


def test_ignored_marks_may_cross_fields(tmp_path: Path) -> None:
    text = "<paragraph><sentence>in <location>DH 2315</sentence></location>.</paragraph>"
    path = write(tmp_path, "1.txt", text)
    assert read_markup(path).lists("label") == [["O", "B-location", "I-location", "O"]]
    crossing = write(tmp_path, "2.txt", "<a>x <b>y</a></b>")
    with pytest.raises(DataError, match=r"2\.txt:1: <b> begins within <a>"):
        read_markup(crossing)
    assert read_markup(crossing, ignored=["b"]).lists("label") == [["B-a", "I-a"]]


def test_a_folder_is_read_in_the_order_of_numbers(tmp_path: Path) -> None:
    for number in (10, 2, 1):
        write(tmp_path, f"{number}.txt", f"message {number}")
    corpus = read_markup(tmp_path)
    assert [words[1] for words in corpus.lists("word")] == ["1", "2", "10"]
    assert corpus.document_bounds is not None
    assert corpus.document_bounds.tolist() == [0, 1, 2, 3]
    assert [len(part) for part in stream_markup(tmp_path, chunk_size=2)] == [2, 1]


def test_fields_are_widened_to_tokens_or_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = write(tmp_path, "1.txt", "by <who>Ada</who>-<where>Weh</where> 5")
    with caplog.at_level(logging.WARNING):
        assert read_markup(path).lists("label") == [["O", "B-who", "O"]]
    assert "1 fields were widened" in caplog.text
    assert "1 fields begin in another's last token" in caplog.text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\n</b>", r":2: </b> ends what did not begin"),
        ("<a>x", "<a> does not end"),
    ],
)
def test_unbalanced_marks_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_markup(write(tmp_path, "1.txt", text))


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there are no files in"):
        read_markup(tmp_path)


def test_the_seminar_announcements(shared_data: Path) -> None:
    folder = shared_data / "seminars" / "tagged"
    if not folder.is_dir():
        pytest.skip(f"no seminar announcements in {folder}")
    corpus = read_markup(folder)
    labels = [label for label in corpus.column("label").values() if label and label[0] == "B"]
    assert len(corpus) == 484
    assert len(labels) == 2806  # of 2,807: one begins within another's token


def test_fields_within_tokens_are_spans_of_characters(tmp_path: Path) -> None:
    (tmp_path / "10").write_text("at <stime>3</stime>pm")
    (tmp_path / "9").write_text("<sentence>no field</sentence>")
    assert read_markup_spans(tmp_path) == [
        ("no field", []),
        ("at 3pm", [Span(3, 4, "stime")]),
    ]
