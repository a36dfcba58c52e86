"""Two small corpora, both made up, to try the toolkit on: e-mail announcements, and news.

``train.conll`` and ``test.conll`` hold one header line or sentence of an announcement a sequence,
in two columns: the word and its label for six fields (SPEAKER, LOCATION, STIME and ETIME for the
start and the end, DATE, TITLE) in IOB2. ``unlabelled.txt`` holds raw lines of the same kind. Some
of the names, rooms and titles in the last two files do not occur in the first. ``few.conll`` holds
every twelfth e-mail of the training file, for when little is labelled. ``emails.conll`` holds all
e-mails of ``train.conll`` and ``test.conll`` as documents, to be divided at random. ``mails.txt``
holds other e-mails as they are sent, to be labelled.

``news.conll`` holds sentences with the names in them (PER, ORG, LOC, MISC) in IOB2, as a related
task that there is more text for. It has most of the given names of the announcements, but few of
their family names and towns, and none of their rooms, buildings and titles.

``recipe.toml`` puts the two together and is what the demo shows; ``compare.toml`` does so on random
splits of all e-mails. ``fields.template`` has features for the fields that read the names too.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from dovetail.errors import DataError

FILES = (
    "train.conll",
    "test.conll",
    "unlabelled.txt",
    "few.conll",
    "news.conll",
    "emails.conll",
    "mails.txt",
)
RECIPES = ("recipe.toml", "compare.toml", "fields.template")


def path(name: str) -> Path:
    """Where a file of the demo is.

    >>> lines = path("train.conll").read_text(encoding="utf-8").splitlines()
    >>> lines[6].split("\\t")
    ['Dr.', 'B-SPEAKER']
    """
    known = (*FILES, *RECIPES)
    if name not in known:
        raise DataError(f"the demo has no file {name!r}: choose one of {', '.join(known)}")
    return Path(str(resources.files(__name__).joinpath(name)))
