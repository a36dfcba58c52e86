"""dovetail train --on-disk: a folder with the text of some files, and of no others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

import dovetail
from dovetail.cli.on_disk import MADE_OF
from dovetail.corpus import Shards, read

Run = Callable[..., Result]
TEXT = "Ada B-PER\nspoke O\n\nhe O\nsaw O\nBob B-PER\n\n"


def write(path: Path, text: str = TEXT) -> Path:
    path.write_text(text)
    return path


def test_text_that_is_there_is_used_again(run: Run, tmp_path: Path) -> None:
    text, folder = write(tmp_path / "text.conll"), tmp_path / "text"
    run("train", text, "-m", tmp_path / "one", "--on-disk", folder)
    parts = {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*")}
    moved = text.rename(tmp_path / "moved.conll")
    run("train", moved, "-m", tmp_path / "two", "--on-disk", folder)
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("part-*")} == parts
    one, two = (dovetail.load(tmp_path / name) for name in ("one", "two"))
    assert (one.marginals(read(moved)) == two.marginals(read(moved))).all()


def test_a_folder_with_other_text_is_refused(run: Run, tmp_path: Path) -> None:
    text, folder = write(tmp_path / "text.conll"), tmp_path / "text"
    run("train", text, "-m", tmp_path / "model", "--on-disk", folder)
    other = write(tmp_path / "other.conll", TEXT.replace("Bob", "Eve"))
    for given in ([other], [text, other], [text, "--columns", "form,ner"]):
        refused = run("train", *given, "-m", tmp_path / "new", "--on-disk", folder, code=1)
        assert f"{folder} holds the text of other files, or it was read otherwise" in refused.stderr
    write(text, TEXT.replace("Bob", "Eve"))
    run("train", text, "-m", tmp_path / "new", "--on-disk", folder, code=1)
    write(folder / MADE_OF, "[")
    refused = run("train", text, "-m", tmp_path / "new", "--on-disk", folder, code=1)
    assert "sources.json is damaged" in refused.stderr
    assert not (tmp_path / "new").exists()


def test_standard_input_cannot_be_compared_with_a_folder(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "text"
    given = ("train", "-", "--format", "conll", "-m", tmp_path / "model", "--on-disk", folder)
    run(*given, text=TEXT)
    assert "holds the text of other files" in run(*given, text=TEXT, code=1).stderr


def test_a_folder_of_shards_from_elsewhere_is_used(run: Run, tmp_path: Path) -> None:
    text, folder = write(tmp_path / "text.conll"), tmp_path / "text"
    Shards.write(folder, [read(text)])
    run("train", text, "-m", tmp_path / "model", "--on-disk", folder)
    assert dovetail.load(tmp_path / "model").predict([["Ada"]]) == [["B-PER"]]


def test_nothing_is_kept_of_files_that_cannot_be_trained_on(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "text"
    command = ("-m", tmp_path / "model", "--on-disk", folder)
    empty = write(tmp_path / "empty.conll", "")
    assert "holds no sequences" in run("train", empty, *command, code=1).stderr
    words = write(tmp_path / "words.conll", "Ada\nspoke\n\n")
    assert "has one column, 'word'" in run("train", words, *command, code=1).stderr
    run("train", write(tmp_path / "text.conll"), *command)


def test_a_checkpoint_is_asked_for_before_anything_is_read(run: Run, tmp_path: Path) -> None:
    refused = run("train", tmp_path / "none.conll", "-m", tmp_path / "m", "--resume", code=2)
    assert "name it with --checkpoint" in refused.stderr
