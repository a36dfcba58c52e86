"""Projects of ``dovetail label`` as strangers give them: of ours, with other values."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.database import NAME
from dovetail.studio.exporting import export
from dovetail.studio.importing import Reading
from dovetail.studio.journal import Place
from dovetail.studio.label_set import count_labels
from dovetail.studio.opening import Wishes, old_taggers, open_project
from dovetail.studio.project import ME, Project
from dovetail.studio.settled import agreed_annotations, whose_labels

LABELLED = "by O\nAda B-SPEAKER\n\nat O\nnoon B-TIME\n"
TEXT = "Dr. Bo speaks\nat 3 in Köln 😀.\n"


@cache
def made_project() -> bytes:
    """The file of a project with a labelled file, a text, and some actions."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "done.conll").write_text(LABELLED)
        (folder / "note.txt").write_text(TEXT, encoding="utf-8")
        with open_project(folder / "p", Wishes(files=[folder / "done.conll"])) as project:
            pass
        more = Wishes(files=[folder / "note.txt"], reading=Reading("text"))
        with open_project(folder / "p", more) as project:
            place = Place(ME, 3, "label")
            spans = (Span(1, 2, "SPEAKER", (4, 6)), Span(4, 5, "TIME"))
            project.journal.act(place, "label", Annotation(spans))
            project.journal.act(place, "done", Annotation(spans[:1], spans[1:], done=True))
            project.journal.map_labels("label", {"OLD": "TIME"})
            shown = [{"start": 0, "end": 1, "label": "TIME", "probability": 0.5}]
            project.journal.note_suggested({place: {"spans": shown, "labelled": 1}})
        with closing(sqlite3.connect(folder / "p" / NAME)) as database:
            database.execute("PRAGMA journal_mode = DELETE")
        return (folder / "p" / NAME).read_bytes()


def use_project(folder: Path, content: bytes) -> None:
    """Open a project with this file, read all of it, undo, and export."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob(f"{NAME}*"):
        old.unlink()
    (folder / NAME).write_bytes(content)
    with Project.open(folder) as project:
        for me in project.annotators:
            project.list_documents(me, search="a")
            project.count(me)
            project.journal.seconds(me)
            for number in project.document_ids():
                for layer in project.layers:
                    project.current(me, number, layer.name)
                    project.journal.suggested(me, layer.name)
                with suppress(DataError):
                    project.journal.undo(me, number)
        project.journal.replay()
        project.journal.last_time()
        count_labels(project.journal)
        old_taggers(project)
        find = agreed_annotations(project, whose_labels(project))
        for target, format in (("o.jsonl", "jsonl"), ("o.conll", "conll"), ("o.json", "doccano")):
            with suppress(DataError):
                export(project, folder / target, format, find, what="all")
