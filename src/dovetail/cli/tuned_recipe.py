"""A recipe that trains what a tuning found best: a representation, and the task that reads it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.cli.templates import DEFAULT, named_file
from dovetail.corpus.conll import parse_columns
from dovetail.features.template_file import is_template_file
from dovetail.representation.bias.registry import reads_labels

if TYPE_CHECKING:
    from dovetail.compare.tuning import Tuning
    from dovetail.compare.tuning_results import TuningResult


def recipe_text(options: Mapping[str, Any], tuning: Tuning, best: TuningResult) -> str:
    """The recipe of a point; files are named as seen from the folder that it is written to."""
    folder = Path(options["out"] or "x").absolute().parent

    def seen(paths: Iterable[str]) -> list[str]:
        return [os.path.relpath(path, folder) for path in paths]

    data, point = tuning.data, dict(best.point or {})
    if tuning.kind == "classes" and "states" in point:
        point["classes"] = point.pop("states")
    names = None if options["columns"] is None else parse_columns(options["columns"])
    read = {
        "format": options["format"],
        "columns": None if names is None else [name or "" for name in names],
    }
    representation = {
        "kind": tuning.kind,
        "source": seen(options["train"]),
        "target": seen(options["target"]) or None,
        **read,
        "target_format": options["target_format"],
        "column": data.column,
        "labels": data.label if reads_labels(point) else None,
        **tuning.settings,
        **point,
    }
    template = options["template"]
    is_file = template is not None and template != DEFAULT and is_template_file(template)
    task = {
        "name": data.label,
        "data": seen(options["train"]),
        **read,
        "label": data.label,
        "features": seen([template])[0] if is_file else template,
        "lexicons": _files(options["lexicons"], folder),
        "tables": _files(options["tables"], folder),
        "c2": tuning.c2,
    }
    lines = [*_table("representation", representation), "", *_table("task", task)]
    made = tuning.columns_of(best.point or {})
    if is_file and not set(made) <= set(tuning.features.columns):
        lines.append(f"# to read the representation, {template} needs the lines {', '.join(made)}")
    return "\n".join(lines) + "\n"


def _files(given: Iterable[str], folder: Path) -> dict[str, str] | None:
    found = dict(map(named_file, given))
    return {name: os.path.relpath(path, folder) for name, path in found.items()} or None


def _table(name: str, values: Mapping[str, Any]) -> list[str]:
    given = {key: value for key, value in values.items() if value is not None}
    return [f"[[{name}]]", *(f"{key} = {_toml(value)}" for key, value in given.items())]


def _toml(value: Any) -> str:
    """A value as TOML has it: as JSON, but for tables."""
    if isinstance(value, dict):
        inner = ", ".join(f"{_toml(key)} = {_toml(own)}" for key, own in value.items())
        return f"{{ {inner} }}"
    return json.dumps(value, ensure_ascii=False)
