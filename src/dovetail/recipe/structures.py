"""Shared structure in a recipe: directions learned from unlabelled text, as a representation.

[[representation]]
kind = "structure"
text = "unlabelled.conll"
columns = ["word", "pos"]
features = "chunking"
masked = ["word", "pos[1]"]
h = 30
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, overload

from dovetail.corpus import Corpus, Shards
from dovetail.corpus.formats import concatenate_files, read_filled
from dovetail.errors import DataError
from dovetail.features.template_file import ready_made, template_from_file
from dovetail.multitask import AuxiliaryTask, ShardTask, Structure, masked
from dovetail.recipe.description import RepresentationSpec

MASKED = re.compile(r"(?P<column>[^\[\]]+)(\[(?P<offset>-?\d+)\])?")


def build_structure(spec: RepresentationSpec, threads: int | None) -> Structure:
    """The structure that a recipe describes, not yet learned."""
    settings: dict[str, Any] = {"threads": threads, **spec.settings}
    settings.pop("masked")
    features, columns = settings.pop("features"), read_structure_text(spec).names
    if isinstance(features, Path):
        template = template_from_file(str(features), list(columns), {}, {}, _remedy)
    else:
        template = ready_made(features, list(columns), {}, {})
    return Structure(template, settings.pop("h"), **settings)


def read_structure_text(spec: RepresentationSpec) -> Corpus:
    """The text that it is learned from."""
    options = {} if spec.columns is None else {"columns": spec.columns}
    return concatenate_files(read_filled(path, spec.format, **options) for path in spec.text)


@overload
def mask_columns(text: Corpus, names: Iterable[str]) -> list[AuxiliaryTask]: ...
@overload
def mask_columns(text: Shards, names: Iterable[str]) -> list[ShardTask]: ...
def mask_columns(text: Any, names: Iterable[str]) -> list[Any]:
    """Values of columns to predict, such as ``pos`` and, of the next token, ``pos[1]``."""
    tasks = []
    for name in names:
        match = MASKED.fullmatch(name)
        if match is None:
            raise DataError(f"masked has '{name}'; give columns, such as pos or pos[1]")
        tasks.append(masked(text, match["column"], offset=int(match["offset"] or 0)))
    return tasks


def _remedy(kind: str, name: str) -> str:
    return f"leave out the {kind} '{name}': that of a structure reads columns only"
