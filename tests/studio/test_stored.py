"""Projects from strangers: opened and right, or refused in a sentence."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dovetail.errors import DataError
from dovetail.studio.database import LOCK, NAME
from dovetail.studio.exporting import export
from dovetail.studio.opening import Wishes, open_project
from dovetail.studio.project import MODELS, Project
from dovetail.studio.settled import agreed_annotations

LABELLED = "by O\nAda B-SPEAKER\n\nat O\nnoon B-TIME\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A closed project of a labelled file."""
    (tmp_path / "done.conll").write_text(LABELLED)
    open_project(tmp_path / "p", Wishes(files=[tmp_path / "done.conll"])).close()
    return tmp_path / "p"


@contextmanager
def altering(folder: Path) -> Iterator[Any]:
    """A connection to the file of a project."""
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as database:
        yield database.execute


def refused(folder: Path) -> str:
    with pytest.raises(DataError) as raised:
        Project.open(folder)
    said = str(raised.value)
    assert str(folder) in said
    return said


def test_a_project_of_ours_opens(folder: Path) -> None:
    with Project.open(folder) as project:
        assert project.count("me")["done"] == 2


VALUES = {
    "settings.value": ["", "{", "[" * 100_000, '[{"name": "x"}]', '[{"name": 5}]', "9" * 5000],
    "sources.details": ["[]", '{"layers": 5}', '{"other": 1}', '{"layers": {"label": "none"}}'],
    "documents.body": ["{}", '{"tokens": 5}'],
    "documents.place": ["5", '[["a"]]', "[[1]]", "[[-1, 0]]"],
    "documents.text": ["", "a"],
    "journal.before": ["5", '{"spans": 5}', '{"done": 5}', '{"x": 5}'],
    "journal.after": ['{"spans": [{"start": 0, "end": 1000000000000, "label": "A"}]}'],
    "journal.time": ["", "yesterday"],
    "annotations.value": ["{}", "[]", '{"spans": [{}], "rejected": [], "done": true}'],
}  # fmt: skip


@pytest.mark.parametrize(("place", "value"), [(p, v) for p, all in VALUES.items() for v in all])
def test_other_values_are_refused(folder: Path, place: str, value: str) -> None:
    table, column = place.split(".")
    with altering(folder) as run:
        run("DROP TRIGGER journal_is_not_changed")
        run(f"UPDATE {table} SET {column} = ?", (value,))
        run(
            "CREATE TRIGGER journal_is_not_changed BEFORE UPDATE ON journal\n"
            "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        )
    assert "damaged, or no project of ours" in refused(folder)


def changed_body(**parts: Any) -> str:
    body = {"tokens": ["by", "Ada"], "offsets": [[0, 2], [3, 6]], "bounds": [0, 2]}
    return json.dumps({**body, "ranges": [[0, 6]], "columns": {}, **parts})


@pytest.mark.parametrize(
    "parts",
    [
        {"tokens": ["by"]},
        {"tokens": ["by", "\ud800"]},
        {"offsets": [[0, 2], [1, 6]]},
        {"offsets": [[0, 2], [3, 600]]},
        {"offsets": [[0, 2], [3]]},
        {"bounds": [0]},
        {"bounds": [0, 2, 2]},
        {"ranges": [[0, 2]]},
        {"columns": {"pos": ["A"]}},
    ],
)
def test_documents_that_do_not_fit_together_are_refused(folder: Path, parts: Any) -> None:
    with altering(folder) as run:
        run("UPDATE documents SET body = ? WHERE id = 1", (changed_body(),))
    Project.open(folder).close()
    with altering(folder) as run:
        run("UPDATE documents SET body = ? WHERE id = 1", (changed_body(**parts),))
    assert "in its documents" in refused(folder)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER more AFTER INSERT ON journal BEGIN DELETE FROM documents; END",
        "CREATE VIEW more AS SELECT 1",
        "DROP TRIGGER journal_is_not_changed",
        "ALTER TABLE settings ADD COLUMN more TEXT",
    ],
)
def test_other_tables_and_triggers_are_refused(folder: Path, statement: str) -> None:
    with altering(folder) as run:
        run(statement)
    assert "tables, views or triggers that no project has" in refused(folder)


def test_annotations_of_nothing_are_refused(folder: Path) -> None:
    with altering(folder) as run:
        run("DELETE FROM documents WHERE id = 2")
    assert "damaged" in refused(folder)


@pytest.mark.parametrize("name", [LOCK, f"{NAME}-wal", f"{MODELS}/a.dovetail", MODELS])
def test_links_are_refused(folder: Path, name: str, tmp_path: Path) -> None:
    """What a project writes would be written to where they lead."""
    other = tmp_path / "other"
    other.write_text("mine")
    path = folder / name
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    path.symlink_to(other)
    assert "is a link" in refused(folder)
    assert other.read_text() == "mine"


@pytest.mark.parametrize("name", ["../x", "a/b", "..", "/etc/x"])
def test_names_that_lead_elsewhere_are_refused(folder: Path, name: str, tmp_path: Path) -> None:
    with altering(folder) as run:
        run("INSERT INTO settings VALUES ('old taggers', ?)", (json.dumps([name]),))
    assert "in its settings" in refused(folder)
    wishes = Wishes(files=[tmp_path / "done.conll"], labels={name: ["SPEAKER", "TIME"]})
    with pytest.raises(DataError, match="files are called after it"):
        open_project(tmp_path / "q", wishes)


def test_kept_files_do_not_grow_without_end(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dovetail.studio.stored.FREE", 1000)
    with altering(folder) as run:
        run("UPDATE sources SET content = ?", (zlib.compress(bytes(10_000_000)),))
    said = export_refused(folder, tmp_path)
    assert "DOVETAIL_EXPANSION" in said


@pytest.mark.parametrize(
    "content", [b"", b"x", zlib.compress(b"a b"), zlib.compress(b"\xff\n" * 9)]
)
def test_kept_files_that_are_others_are_refused(
    folder: Path, tmp_path: Path, content: bytes
) -> None:
    with altering(folder) as run:
        run("UPDATE sources SET content = ?", (content,))
    assert "damaged" in export_refused(folder, tmp_path)


def export_refused(folder: Path, tmp_path: Path) -> str:
    with Project.open(folder) as project, pytest.raises(DataError) as raised:
        export(project, tmp_path / "o", "conll", agreed_annotations(project, "me"), what="all")
    return str(raised.value)


def test_damaged_files_are_refused(folder: Path) -> None:
    content = bytearray((folder / NAME).read_bytes())
    for at in range(4096, len(content), 512):
        content[at : at + 8] = b"\xff" * 8
    (folder / NAME).write_bytes(content)
    assert refused(folder)
