"""The file that a project is kept in: its tables, its format, and that one process alone has it."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Self

from dovetail.errors import DataError

NAME = "project.sqlite"
LOCK = "lock"
FORMAT = 1
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE annotators (name TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    format TEXT NOT NULL,
    details TEXT NOT NULL,
    content BLOB
) STRICT;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    body TEXT NOT NULL,
    source INTEGER NOT NULL REFERENCES sources (id),
    place TEXT NOT NULL
) STRICT;
CREATE TABLE journal (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    annotator TEXT NOT NULL REFERENCES annotators (name),
    document INTEGER NOT NULL REFERENCES documents (id),
    layer TEXT NOT NULL,
    kind TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    unit INTEGER,
    seconds REAL,
    key TEXT
) STRICT;
CREATE INDEX journal_by_document ON journal (document, annotator);
CREATE UNIQUE INDEX journal_by_key ON journal (annotator, key) WHERE key IS NOT NULL;
CREATE INDEX journal_by_unit ON journal (unit);
CREATE TABLE annotations (
    document INTEGER NOT NULL REFERENCES documents (id),
    layer TEXT NOT NULL,
    annotator TEXT NOT NULL REFERENCES annotators (name),
    value TEXT NOT NULL,
    done INTEGER NOT NULL,
    flag INTEGER NOT NULL,
    action INTEGER NOT NULL,
    PRIMARY KEY (annotator, layer, document)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER journal_is_not_changed BEFORE UPDATE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_not_shortened BEFORE DELETE ON journal
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
"""


class Database:
    """An open project file: one connection, which threads take in turn.

    A commit is on the disk before it returns, so that a process or machine that dies loses no
    action that was answered.
    """

    def __init__(self, folder: Path) -> None:
        self._lock_file = _take_lock(folder)
        self._lock = RLock()
        self._closed = False
        path = folder / NAME
        try:
            self._connection = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, timeout=10
            )
            self._connection.create_function("folded", 1, str.casefold, deterministic=True)
            self._prepare(path)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:  # of what it says of a name
            self._connection.close()
            os.close(self._lock_file)
            raise DataError(f"{path} is not a project of dovetail label: {error}") from None
        except BaseException:
            self._connection.close()
            os.close(self._lock_file)
            raise

    def _prepare(self, path: Path) -> None:
        execute = self._connection.execute
        execute("PRAGMA trusted_schema = OFF")
        execute("PRAGMA journal_mode = WAL")
        execute("PRAGMA synchronous = FULL")
        execute("PRAGMA foreign_keys = ON")
        found = _schema(self._connection)
        if not found:
            with self.transaction() as run:
                for statement in _statements(SCHEMA):
                    run(statement)
                run("INSERT INTO meta VALUES ('format', ?)", (str(FORMAT),))
            return
        if ("table", "meta") not in found:
            raise DataError(f"{path} is not a project of dovetail label")
        [(format,)] = execute("SELECT value FROM meta WHERE key = 'format'").fetchall() or [("0",)]
        if format != str(FORMAT):
            raise DataError(
                f"{path} has format {str(format)[:20]} where this version of Dovetail has "
                f"{FORMAT}: open it with the version that made it, and export from there"
            )
        if found != _expected_schema():
            raise DataError(f"{path} has tables, views or triggers that no project has")

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """All that is done here is done, or nothing; gives the function that executes SQL.

        One within another is part of it.
        """
        with self._lock:
            if self._connection.in_transaction:
                yield self._connection.execute
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection.execute
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def select(self, query: str, values: Any = ()) -> list[Any]:
        """All rows that a query finds."""
        try:
            with self._lock:
                return self._connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError and hasattr(error, "sqlite_errorcode"):
                raise  # what a disk, or another process, does; text that is no UTF-8 has no code
            raise DataError(f"the project's file is damaged: {error}") from None

    def note_address(self, address: str) -> None:
        """Write into the lock where this process can be reached, for whoever comes second."""
        os.ftruncate(self._lock_file, 0)
        os.pwrite(self._lock_file, address.encode(), 0)

    def close(self) -> None:
        """Close the file and give the lock back; a second time is none."""
        with self._lock:
            self._connection.close()
            if not self._closed:
                os.close(self._lock_file)
            self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _schema(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """What there is in a file, and the statement that made it."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(type, name): sql for type, name, sql in rows}


def _expected_schema() -> dict[tuple[str, str], str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(SCHEMA)
        return _schema(connection)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines():
        statement += f"{line}\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _take_lock(folder: Path) -> int:
    """The open lock file, which the system lets go of when this process ends, however it does."""
    path = folder / LOCK
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        where = os.pread(handle, 1000, 0).decode(errors="replace")
        os.close(handle)
        at = f", on {where}" if where else ""
        raise DataError(
            f"{folder} is open in another dovetail label{at}: use that one, or stop it first"
        ) from None
    os.ftruncate(handle, 0)
    return handle
