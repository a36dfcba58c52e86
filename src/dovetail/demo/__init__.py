"""A small corpus of made-up e-mail announcements, to try the toolkit on.

``train.conll`` and ``test.conll`` hold one header line or sentence a sequence, in two columns: the
word and its label for six fields (SPEAKER, LOCATION, STIME and ETIME for the start and the end,
DATE, TITLE) in IOB2. ``unlabelled.txt`` holds raw lines of the same kind. Some of the names, rooms
and titles in the last two files do not occur in the first.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from dovetail.errors import DataError

FILES = ("train.conll", "test.conll", "unlabelled.txt")


def path(name: str) -> Path:
    """Where a file of the demo is.

    >>> lines = path("train.conll").read_text(encoding="utf-8").splitlines()
    >>> lines[6].split("\\t")
    ['Dr.', 'B-SPEAKER']
    """
    if name not in FILES:
        raise DataError(f"the demo has no file {name!r}: choose one of {', '.join(FILES)}")
    return Path(str(resources.files(__name__).joinpath(name)))
