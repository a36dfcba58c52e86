"""GROBID's training data: references, affiliations, names and dates, in archives of TEI files."""

from __future__ import annotations

import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree.ElementTree import Element

from dovetail import Corpus, DataError
from dovetail.corpus import read_tei

SAME = {  # what the files write in several ways
    "pp": "page",
    "pages": "page",
    "vol": "volume",
    "departement": "department",
    "institute": "institution",
    "Laboratory": "laboratory",
    "lastname": "surname",
    "surename": "surname",
    "firstname": "forename",
    "forenname": "forename",
    "rolename": "roleName",
    "authors": "author",
    "publishe": "publisher",
    "pubplace": "pubPlace",
    "notes": "note",
}
WITH_KIND = ("title", "biblScope", "orgName")
NOT_MARKED = ("lb", "address", "persName", "affiliation")


def read_grobid(archive: Path, part: str, unit: str) -> Corpus:
    """Every element called ``unit`` in the files of a folder of the archive, as a sequence with the
    columns ``word`` and ``label`` (IOB2)."""
    with TemporaryDirectory() as folder:
        try:
            with tarfile.open(archive) as opened:
                for member in opened:
                    wanted = f"{part}/" in member.name and member.name.endswith(".xml")
                    if member.isfile() and wanted:
                        opened.extract(member, folder, filter="data")
        except (OSError, EOFError, tarfile.TarError) as error:
            raise DataError(f"cannot read {archive}: {error}") from None
        if not any(Path(folder).iterdir()):
            raise DataError(f"{archive} has no XML files in {part}")
        corpus = read_tei(folder, unit, label=field_label)
    return Corpus({name: corpus.column(name) for name in ("word", "label")}, corpus.bounds)


def field_label(element: Element) -> str | None:
    """The name of an element, with what it says of its kind: ``title.j``, ``orgName.department``.

    >>> field_label(Element("biblScope", unit="pp"))
    'biblScope.page'
    """
    name = element.tag.rpartition("}")[2]
    given = element.get("level") or element.get("unit") or element.get("type")
    kind = SAME.get(given or "", given)
    name = SAME.get(name, name)
    if name in NOT_MARKED:
        return None
    return f"{name}.{kind}" if kind and name in WITH_KIND else name
