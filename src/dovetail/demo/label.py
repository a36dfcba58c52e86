"""``python -m dovetail.demo.label``: a project of made-up mails, opened for labelling."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import dovetail
from dovetail.cli import main
from dovetail.demo import path
from dovetail.studio.project import Project

FOLDER = "demo-talks"
LABELS = "SPEAKER,LOCATION,STIME,ETIME,DATE,TITLE"


def label(folder: str, *options: str) -> None:
    """Open the project in a folder; a new one has mails, and a tagger of names from news."""
    if Project.is_there(folder):
        main(["label", folder, *options], prog_name="dovetail")
        return
    with tempfile.TemporaryDirectory() as made:
        names = Path(made, "names.dovetail")
        dovetail.Tagger().fit(dovetail.read(path("news.conll"))).save(names)
        files = ["--import", str(path("mails.txt")), "--document", "paragraph", "--unit", "line"]
        more = [
            "--format",
            "text",
            "--labels",
            LABELS,
            "--with",
            str(names),
            "--same",
            "PER=SPEAKER",
        ]
        main(["label", folder, *files, *more, *options], prog_name="dovetail")


if __name__ == "__main__":
    label(FOLDER, *sys.argv[1:])
