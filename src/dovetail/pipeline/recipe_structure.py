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
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Corpus
from dovetail.corpus.formats import joined, read_filled
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.multitask import AuxiliaryTask, Structure
    from dovetail.pipeline.recipe_representations import Wanted

MASKED = re.compile(r"(?P<column>[^\[\]]+)(\[(?P<offset>-?\d+)\])?")
STRUCTURE = "structure"


def structure(wanted: Wanted, threads: int | None) -> Structure:
    """The structure that a recipe describes, not yet learned."""
    from dovetail.features.template_file import ready_made, template_from_file
    from dovetail.multitask import Structure

    settings: dict[str, Any] = {"threads": threads, **wanted.settings}
    settings.pop("masked")
    features, columns = settings.pop("features"), structure_text(wanted).names
    if isinstance(features, Path):
        template = template_from_file(str(features), list(columns), {}, {}, _remedy)
    else:
        template = ready_made(features, list(columns), {}, {})
    return Structure(template, settings.pop("h"), **settings)


def structure_text(wanted: Wanted) -> Corpus:
    """The text that it is learned from."""
    options = {} if wanted.columns is None else {"columns": wanted.columns}
    return joined(read_filled(path, wanted.format, **options) for path in wanted.text)


def masked_tasks(text: Corpus, names: Iterable[str]) -> list[AuxiliaryTask]:
    """Values of columns to predict, such as ``pos`` and, of the next token, ``pos[1]``."""
    from dovetail.multitask import masked

    found = []
    for name in names:
        told = MASKED.fullmatch(name)
        if told is None:
            raise DataError(f"masked has '{name}'; give columns, such as pos or pos[1]")
        found.append(masked(text, told["column"], offset=int(told["offset"] or 0)))
    return found


def _remedy(kind: str, name: str) -> str:
    return f"leave out the {kind} '{name}': that of a structure reads columns only"
