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
from dovetail.reproduce.addresses import MAPS, WHOLE_STREETS, read_addresses
from dovetail.reproduce.ingredients import PARTS as INGREDIENT_PARTS
from dovetail.reproduce.ingredients import read_ingredients
from dovetail.reproduce.little_case import LittleCase, Parts, halves
from dovetail.reproduce.little_old import OldTaggers
from dovetail.reproduce.marks import code_of
from dovetail.reproduce.tei import named, read_tei

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
    folder = old.sources.folder / "seminars" / "tagged"

    def read() -> Parts:
        return halves(old.sources.mails())

    return LittleCase(name, read, fingerprint(folder), old.news, largest=MOST_MAILS)


def _whole_streets(name: str, old: OldTaggers) -> LittleCase:
    """Addresses of which the street is one span; random halves."""
    path = old.sources.folder / "usaddress" / WHOLE_STREETS

    def read() -> Parts:
        return halves(read_addresses(path))

    return LittleCase(name, read, fingerprint(path), old.addresses, OF_ADDRESSES)


def _maps(name: str, old: OldTaggers) -> LittleCase:
    """Addresses made of OpenStreetMap's data."""
    paths = [old.sources.folder / "usaddress" / file for file in MAPS]

    def read() -> Parts:
        train, test = (read_addresses(path) for path in paths)
        return train, test

    return LittleCase(name, read, fingerprint(*paths), old.addresses, OF_ADDRESSES)


def _papers(archive: str, unit: str, name: str, old: OldTaggers) -> LittleCase:
    path = old.sources.folder / "grobid" / archive

    def read() -> Parts:
        train, test = (read_tei(path, part, unit, named) for part in ("corpus", "evaluation"))
        return train, test

    below = old.names_and_dates if unit == "bibl" else old.news
    return LittleCase(name, read, fingerprint(path, code_of("reproduce/tei.py")), below)


def _people(name: str, old: OldTaggers) -> LittleCase:
    """Names of persons; random halves."""
    path = old.sources.folder / PEOPLE

    def read() -> Parts:
        return halves(read_addresses(path))

    return LittleCase(name, read, fingerprint(path), old.companies)


def _ingredients(name: str, old: OldTaggers) -> LittleCase:
    """Lines of recipes; random halves."""
    path = old.sources.folder / INGREDIENTS

    def read() -> Parts:
        return halves(read_ingredients(path))

    mark = fingerprint(path, code_of("reproduce/ingredients.py"))
    same = {part: part for part in INGREDIENT_PARTS}
    return LittleCase(name, read, mark, old.ingredients, same)
