"""A project: a folder with documents, layers of labels, annotators and the journal."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, Self, get_args

from dovetail.errors import DataError
from dovetail.io.files import PathLike
from dovetail.studio.annotation import Annotation, Document
from dovetail.studio.database import NAME, Database
from dovetail.studio.journal import Current, Journal, Place
from dovetail.studio.layers import Layer, read_layers
from dovetail.studio.stored import check_stored, read_document, refuse_links

ME = "me"
SETTLED = "settled"  # whose annotations are those that differences were settled by
MODELS = "models"
CACHED = 20_000  # documents kept in memory
PREVIEW = 90  # characters
State = Literal["all", "open", "done", "flagged"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True)
class Entry:
    """A document of a file, where in the file it is, and what is labelled in each layer."""

    document: Document
    place: Any = None
    annotations: Mapping[str, Annotation] = field(default_factory=dict)


@dataclass(frozen=True)
class Source:
    """A file that documents come from; ``content`` is its bytes, compressed, where they are to be
    written again as they were, and ``details`` is what is needed for that."""

    name: str
    format: str
    entries: tuple[Entry, ...]
    details: Mapping[str, Any] = field(default_factory=dict)
    content: bytes | None = None


@dataclass(frozen=True)
class Listed:
    """A document in a list."""

    id: int
    name: str
    state: str
    flag: bool
    preview: str


class Project:
    """An open project; one process at a time has it, and its threads may all use it.

    >>> import tempfile
    >>> with Project.create(Path(tempfile.mkdtemp(), "talks"), [Layer.of("label", ["TIME"])]) as p:
    ...     p.name, [layer.names for layer in p.layers], p.count("me")
    ('talks', [('TIME',)], {'documents': 0, 'done': 0, 'open': 0})
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.database = Database(folder)
        self.journal = Journal(self.database)
        self._document = lru_cache(maxsize=CACHED)(self._read_document)

    @classmethod
    def create(
        cls, folder: PathLike, layers: Sequence[Layer], annotators: Iterable[str] = (ME,)
    ) -> Project:
        """A new project in a folder that is empty or not there yet."""
        path = Path(folder)
        if cls.is_there(path):
            raise DataError(f"{path} is a project already")
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise DataError(f"{path} is not empty: give a project a folder of its own")
        if not layers:
            raise DataError("a project needs labels: name them with --labels A,B")
        for needed in (path, path / MODELS):
            try:
                needed.mkdir(parents=True, exist_ok=True, mode=0o700)
            except OSError as error:
                raise DataError(f"cannot make {needed}: {error.strerror or error}") from None
        project = cls(path)
        with project.database.transaction():
            project.set_layers(layers)
            for name in annotators:
                project.token_of(name)
        return project

    @classmethod
    def open(cls, folder: PathLike) -> Project:
        """A project that is there."""
        path = Path(folder)
        if not cls.is_there(path):
            raise DataError(f"{path} is no project of dovetail label: make one with --import FILE")
        refuse_links(path)
        project = cls(path)
        try:
            check_stored(project.database.select, path)
            if not project.layers:
                raise DataError(
                    f"{path} is not a project of dovetail label, or the making of it was cut "
                    "short: give another folder, or remove this one"
                )
        except BaseException:
            project.close()
            raise
        return project

    @staticmethod
    def is_there(folder: PathLike) -> bool:
        """Whether a folder holds a project."""
        return Path(folder, NAME).exists()

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    def close(self) -> None:
        """Close its file, so that others may open it."""
        self.database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Settings

    def setting(self, key: str, default: Any = None) -> Any:
        """A setting, which is any JSON value."""
        rows = self.database.select("SELECT value FROM settings WHERE key = ?", (key,))
        return json.loads(rows[0][0]) if rows else default

    def set_setting(self, key: str, value: Any) -> None:
        """Keep a setting."""
        with self.database.transaction() as run:
            run("INSERT OR REPLACE INTO settings VALUES (?, ?)", (key, json.dumps(value)))

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The layers, in their order."""
        return tuple(read_layers(self.setting("layers", [])))

    def layer(self, name: str) -> Layer:
        """The layer of that name, or a `DataError` that lists those there are."""
        layers = self.layers
        for layer in layers:
            if layer.name == name:
                return layer
        known = ", ".join(layer.name for layer in layers)
        raise DataError(f"there is no layer {name!r}; the layers are: {known}")

    def set_layers(self, layers: Sequence[Layer]) -> None:
        """Keep the layers; `dovetail.studio.label_set` checks what has been labelled."""
        names = [layer.name for layer in layers]
        for name in names:
            if names.count(name) > 1:
                raise DataError(f"there are two layers called {name!r}")
        self.set_setting("layers", [layer.to_dict() for layer in layers])

    # Annotators

    @property
    def annotators(self) -> list[str]:
        """Their names, in the order they came."""
        rows = self.database.select("SELECT name FROM annotators ORDER BY rowid")
        return [name for (name,) in rows if name != SETTLED]

    def token_of(self, annotator: str) -> str:
        """The secret in an annotator's link; an annotator who is new gets one."""
        if not annotator.strip() or len(annotator) > 100:
            raise DataError(f"an annotator cannot be called {annotator!r}")
        with self.database.transaction() as run:
            run(
                "INSERT OR IGNORE INTO annotators VALUES (?, ?)",
                (annotator, secrets.token_urlsafe(24)),
            )
        [(token,)] = self.database.select(
            "SELECT token FROM annotators WHERE name = ?", (annotator,)
        )
        return str(token)

    def annotator_of(self, token: str) -> str | None:
        """Who has this token."""
        for name, known in self.database.select("SELECT name, token FROM annotators"):
            if secrets.compare_digest(token.encode(), known.encode()):
                return str(name)
        return None

    # Documents

    def add(self, sources: Iterable[Source], annotator: str = ME) -> list[int]:
        """Take in the documents of files with what is labelled in them, all or none; their
        numbers."""
        ids: list[int] = []
        known: dict[Place, Annotation] = {}
        with self.database.transaction() as run:
            for source in sources:
                number = run(
                    "INSERT INTO sources (name, format, details, content) VALUES (?, ?, ?, ?)",
                    (source.name, source.format, json.dumps(source.details), source.content),
                ).lastrowid
                for entry in source.entries:
                    id = run(
                        "INSERT INTO documents (name, text, body, source, place) "
                        "VALUES (?, ?, ?, ?, ?)",
                        (
                            entry.document.name,
                            entry.document.text,
                            _body(entry.document),
                            number,
                            json.dumps(entry.place),
                        ),
                    ).lastrowid
                    ids.append(id)
                    for layer, annotation in entry.annotations.items():
                        known[Place(annotator, id, layer)] = annotation
            self.journal.take_in(run, known)
        return ids

    def sources(self) -> list[Source]:
        """The files that the documents came from; entries have the documents' numbers and no
        annotations."""
        found = []
        for number, name, format, details, content in self.database.select(
            "SELECT id, name, format, details, content FROM sources ORDER BY id"
        ):
            rows = self.database.select(
                "SELECT id, place FROM documents WHERE source = ? ORDER BY id", (number,)
            )
            entries = tuple(Entry(self.document(id), json.loads(place)) for id, place in rows)
            found.append(Source(name, format, entries, json.loads(details), content))
        return found

    def files(self) -> set[tuple[str, str | None]]:
        """The names and digests of the files that documents came from."""
        rows = self.database.select("SELECT name, details FROM sources")
        return {(name, json.loads(details).get("digest")) for name, details in rows}

    def document(self, id: int) -> Document:
        """A document by its number, or a `DataError`."""
        return self._document(id)

    def _read_document(self, id: int) -> Document:
        rows = self.database.select("SELECT name, text, body FROM documents WHERE id = ?", (id,))
        if not rows:
            raise DataError(f"there is no document {id}")
        name, text, body = rows[0]
        return read_document(id, name, text, body)

    def document_ids(self) -> list[int]:
        """The numbers of all documents, in their order."""
        return [id for (id,) in self.database.select("SELECT id FROM documents ORDER BY id")]

    def find_text(self, text: str) -> list[int]:
        """The numbers of the documents that a text stands in."""
        rows = self.database.select(
            "SELECT id FROM documents WHERE instr(text, ?) ORDER BY id", (text,)
        )
        return [id for (id,) in rows]

    def list_documents(
        self,
        annotator: str,
        *,
        state: State = "all",
        search: str = "",
        offset: int = 0,
        limit: int = 100,
    ) -> tuple[int, list[Listed]]:
        """Some of the documents that are in a state and hold a text, and how many there are."""
        where: list[str] = ["1"]
        values: list[Any] = []
        if search:
            where.append("(instr(folded(text), ?) OR instr(folded(name), ?))")
            values += [search.casefold()] * 2
        if state == "done":
            where.append("n_done >= ?")
            values.append(len(self.layers))
        elif state == "open":
            where.append("n_done < ?")
            values.append(len(self.layers))
        elif state == "flagged":
            where.append("flagged")
        table = (
            "SELECT id, name, text, coalesce(n_done, 0) AS n_done, coalesce(flag, 0) AS flagged "
            "FROM documents LEFT JOIN (SELECT document, sum(done) AS n_done, max(flag) AS flag "
            "FROM annotations WHERE annotator = ? GROUP BY document) ON document = id"
        )
        found = f"FROM ({table}) WHERE {' AND '.join(where)}"
        [(total,)] = self.database.select(f"SELECT count(*) {found}", (annotator, *values))
        rows = self.database.select(
            f"SELECT id, name, substr(text, 1, ?), n_done, flagged {found} "
            "ORDER BY id LIMIT ? OFFSET ?",
            (2 * PREVIEW, annotator, *values, limit, offset),
        )
        n_layers = len(self.layers)
        return total, [
            Listed(
                id,
                name,
                "done" if n_done >= n_layers else "open",
                bool(flag),
                " ".join(text.split())[:PREVIEW],
            )
            for id, name, text, n_done, flag in rows
        ]

    def count(self, annotator: str) -> dict[str, int]:
        """How many documents there are, are done by an annotator, and are not."""
        [(documents,)] = self.database.select("SELECT count(*) FROM documents")
        [(done,)] = self.database.select(
            "SELECT count(*) FROM (SELECT 1 FROM annotations WHERE annotator = ? AND done "
            "GROUP BY document HAVING count(*) >= ?)",
            (annotator, len(self.layers)),
        )
        return {"documents": documents, "done": done, "open": documents - done}

    def current(self, annotator: str, document: int, layer: str) -> Current:
        """An annotation as it is now."""
        return self.journal.current(Place(annotator, document, layer))


def _body(document: Document) -> str:
    parts = {
        "tokens": document.tokens,
        "offsets": document.offsets,
        "bounds": document.bounds,
        "ranges": document.ranges,
        "columns": {name: list(values) for name, values in document.columns.items()},
    }
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
