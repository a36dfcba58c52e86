"""``dovetail label``, but for the page that it opens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dovetail.cli import main

MAIL = "Who: Ada Lopez\n\nWhen: noon\n"
LABELLED = "by O\nAda B-SPEAKER\n\nat O\nnoon B-TIME\n"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(main, ["label", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two files to label, one of which is."""
    (tmp_path / "mail.txt").write_text(MAIL)
    (tmp_path / "done.conll").write_text(LABELLED)
    return tmp_path


def refused(folder: Path, *arguments: object) -> str:
    done = run(*arguments)
    assert (done.exit_code, done.output.count("\n")) == (1, 1), done.output
    assert not (folder / "p").exists()
    said: str = done.output
    return said


def test_files_in_files_out(folder: Path) -> None:
    done = run(folder / "p", "--import", folder / "done.conll", "--export", folder / "out.jsonl")
    assert (done.exit_code, done.output) == (0, f"2 documents written to {folder / 'out.jsonl'}\n")
    for name, more in {"out.conll": ["--all"], "out": ["--export-format", "brat"]}.items():
        assert run(folder / "p", "--export", folder / name, *more).exit_code == 0
    assert (folder / "out.conll").read_text() == LABELLED


def test_an_export_replaces_neither_the_project_nor_files_of_others(folder: Path) -> None:
    done, p, notes = folder / "done.conll", folder / "p", folder / "notes"
    assert run(p, "--import", done, "--export", folder / "out.jsonl").exit_code == 0
    for target in ("project.sqlite", "lock"):
        refused = run(p, "--export", p / target, "--export-format", "conll", "--all", "--force")
        assert (refused.exit_code, refused.output.count("\n")) == (1, 1)
        assert "it is what is read" in refused.output
    assert "--force" in run(p, "--export", done, "--all").output
    assert "--force" in run(p, "--export", folder / "out.jsonl").output
    notes.mkdir()
    (notes / "done.conll").write_text("mine")
    assert "--force" in run(p, "--export", notes, "--export-format", "conll").output
    assert (notes / "done.conll").read_text() == "mine"
    assert run(p, "--export", folder / "out.jsonl", "--force").exit_code == 0
    assert run(p, done, "--export", done, "--all", "--force").exit_code == 1
    assert done.read_text() == LABELLED


def test_a_new_project_needs_files_and_labels(folder: Path) -> None:
    mail, p = folder / "mail.txt", folder / "p"
    assert "give files to label" in refused(folder, p)
    assert "name them with --labels" in refused(folder, p, mail)
    assert "cannot be called ''" in refused(folder, p, mail, "--labels", "A,,B")
    assert "'A' twice" in refused(folder, p, mail, "--labels", "A,A")
    assert "given twice" in refused(folder, p, mail, "--labels", "A", "--labels", "B")
    assert "no such file" in refused(folder, p, folder / "none.txt", "--labels", "A").lower()
    assert "'x' is not read" in refused(folder, p, mail, "--labels", "A", "--format", "x")
    assert "--same takes OLD=NEW" in refused(folder, p, mail, "--labels", "A", "--same", "PER")
    assert "spans of SPEAKER" in refused(folder, p, folder / "done.conll", "--labels", "TIME")
    assert "which project?" in refused(folder)


def test_a_folder_of_something_else_is_left_alone(folder: Path) -> None:
    done = run(folder, "--import", folder / "mail.txt", "--labels", "A")
    assert (done.exit_code, done.output.count("\n")) == (1, 1)
    assert "is not empty: give a project a folder of its own" in done.output
    assert not (folder / "project.sqlite").exists()


def test_labels_that_are_in_use_are_renamed_or_stay(folder: Path) -> None:
    p, out = folder / "p", folder / "out.conll"
    export = ["--export", out, "--all", "--force"]
    run(p, "--import", folder / "done.conll", *export)
    done = run(p, "--labels", "WHO,TIME", *export)
    assert done.exit_code == 1
    assert "1 span of the layer 'label' would lose the label SPEAKER" in done.output
    assert run(p, *export).exit_code == 0
    assert out.read_text() == LABELLED
    assert run(p, "--labels", "WHO,TIME", "--rename", "SPEAKER=WHO", *export).exit_code == 0
    assert out.read_text() == LABELLED.replace("SPEAKER", "WHO")
    assert "no label that goes" in run(p, "--labels", "WHO,TIME", "--rename", "X=WHO").output
    assert "goes with --labels" in run(p, "--rename", "TIME=WHO").output
    assert run(p, "--labels", "WHO", "--rename", "TIME=", *export).exit_code == 0
    assert out.read_text() == LABELLED.replace("SPEAKER", "WHO").replace("B-TIME", "O")


def test_taggers_are_single_ones_of_other_names(folder: Path) -> None:
    made = folder / "label.dovetail"
    train = ["train", str(folder / "done.conll"), "--model", str(made), "--c2", "0.1"]
    assert CliRunner().invoke(main, train).exit_code == 0
    given = [folder / "p", folder / "mail.txt", "--labels", "A", "--with", made]
    assert "name of a tagger and of a layer" in refused(folder, *given)
    given[-1] = folder / "mail.txt"
    assert refused(folder, *given)
