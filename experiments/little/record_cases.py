"""Cases with little text: fields of mails, addresses, references, affiliations, names and recipes.

Old taggers: names in news for mails and affiliations; fine parts of addresses for coarse ones;
names and dates for references; names of companies, which have other labels, for those of persons;
ingredients of another site, with the same labels, for ingredients.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from dovetail.compare import fingerprint
from experiments.common.code_fingerprint import reader_fingerprint
from experiments.little.case import LittleCase, Parts, halves
from experiments.little.old_taggers import OldTaggers
from experiments.readers.grobid import read_grobid
from experiments.readers.ingredients import PARTS as INGREDIENT_PARTS
from experiments.readers.ingredients import read_ingredients
from experiments.readers.labelled_strings import read_labelled_strings
from experiments.transfer.addresses import MAPS, WHOLE_STREETS

DATA = ("seminars", "usaddress", "grobid", "probablepeople", "ingredients")
Make = Callable[[str, OldTaggers], LittleCase]

MOST_MAILS = 100  # 300 would be more than a half of all
PEOPLE = Path("probablepeople", "person_labeled.xml")
INGREDIENTS = Path("ingredients", "tastecooking-ingredients-snapshot-2024.csv.gz")
OF_ADDRESSES = {
    type: type
    for type in (
        "AddressNumber",
        "CornerOf",
        "IntersectionSeparator",
        "LandmarkName",
        "NotAddress",
        "OccupancyIdentifier",
        "OccupancyType",
        "PlaceName",
        "StateName",
        "StreetName",
        "USPSBoxGroupID",
        "USPSBoxGroupType",
        "USPSBoxID",
        "USPSBoxType",
        "ZipCode",
    )
}


def record_cases() -> dict[str, Make]:
    """How each case is made, by its name."""
    return {
        "seminars": _mails,
        "usaddress streets": _whole_streets,
        "usaddress maps": _maps,
        "GROBID references": partial(_papers, "citation.tar.gz", "bibl"),
        "GROBID affiliations": partial(_papers, "affiliation-address.tar.gz", "affiliation"),
        "probablepeople": _people,
        "ingredients": _ingredients,
    }


def _mails(name: str, old: OldTaggers) -> LittleCase:
    """Each mail is a sequence; random halves."""
    folder = old.data_sets.folder / "seminars" / "tagged"

    def read() -> Parts:
        return halves(old.data_sets.mails())

    return LittleCase(name, read, fingerprint(folder), old.news, largest=MOST_MAILS)


def _whole_streets(name: str, old: OldTaggers) -> LittleCase:
    """Addresses of which the street is one span; random halves."""
    path = old.data_sets.folder / "usaddress" / WHOLE_STREETS

    def read() -> Parts:
        return halves(read_labelled_strings(path))

    return LittleCase(name, read, fingerprint(path), old.addresses, OF_ADDRESSES)


def _maps(name: str, old: OldTaggers) -> LittleCase:
    """Addresses made of OpenStreetMap's data."""
    paths = [old.data_sets.folder / "usaddress" / file for file in MAPS]

    def read() -> Parts:
        train, test = (read_labelled_strings(path) for path in paths)
        return train, test

    return LittleCase(name, read, fingerprint(*paths), old.addresses, OF_ADDRESSES)


def _papers(archive: str, unit: str, name: str, old: OldTaggers) -> LittleCase:
    path = old.data_sets.folder / "grobid" / archive

    def read() -> Parts:
        train, test = (read_grobid(path, part, unit) for part in ("corpus", "evaluation"))
        return train, test

    below = old.names_and_dates if unit == "bibl" else old.news
    return LittleCase(name, read, fingerprint(path, reader_fingerprint("grobid")), below)


def _people(name: str, old: OldTaggers) -> LittleCase:
    """Names of persons; random halves."""
    path = old.data_sets.folder / PEOPLE

    def read() -> Parts:
        return halves(read_labelled_strings(path))

    return LittleCase(name, read, fingerprint(path), old.companies)


def _ingredients(name: str, old: OldTaggers) -> LittleCase:
    """Lines of recipes; random halves."""
    path = old.data_sets.folder / INGREDIENTS

    def read() -> Parts:
        return halves(read_ingredients(path))

    digest = fingerprint(path, reader_fingerprint("ingredients"))
    same = {part: part for part in INGREDIENT_PARTS}
    return LittleCase(name, read, digest, old.ingredients, same)
