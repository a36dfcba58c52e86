"""A recipe that trains what a tuning found best: a tagger, or a representation with the task that
reads it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.cli.templates import DEFAULT, named_file
from dovetail.corpus.conll import parse_columns
from dovetail.features.template_file import is_template_file
from dovetail.io.origin import TUNED
from dovetail.representation.bias.registry import reads_labels

if TYPE_CHECKING:
    from dovetail.compare.tagger_tuning import TaggerTuning
    from dovetail.compare.tuning import Tuning
    from dovetail.compare.tuning_results import TuningResult


def recipe_text(options: Mapping[str, Any], tuning: Tuning, best: TuningResult) -> str:
    """The recipe of a point; files are named as seen from the folder that it is written to."""
    folder = _folder(options)

    def seen(paths: Iterable[str]) -> list[str]:
        return [os.path.relpath(path, folder) for path in paths]

    data, point = tuning.data, dict(best.point or {})
    if tuning.kind == "classes" and "states" in point:
        point["classes"] = point.pop("states")
    read = _reading(options)
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
    task = {**_task(options, data.label, template), "c2": tuning.c2}
    lines = [TUNED.decode(), *_table("representation", representation), "", *_table("task", task)]
    made = tuning.columns_of(best.point or {})
    if _is_file(template) and not set(made) <= set(tuning.features.columns):
        lines.append(f"# to read the representation, {template} needs the lines {', '.join(made)}")
    return "\n".join(lines) + "\n"


def tagger_recipe_text(options: Mapping[str, Any], tuning: TaggerTuning, best: TuningResult) -> str:
    """The recipe of a tagger with the parameters of a point, or with the defaults."""
    point = dict(best.point or {})
    template = point.pop("features", None)
    task = _task(options, tuning.data.label, None if template is None else str(template))
    return "\n".join([TUNED.decode(), *_table("task", {**task, **point})]) + "\n"


def _folder(options: Mapping[str, Any]) -> Path:
    return Path(options["out"] or "x").absolute().parent


def _reading(options: Mapping[str, Any]) -> dict[str, Any]:
    names = None if options["columns"] is None else parse_columns(options["columns"])
    columns = None if names is None else [name or "" for name in names]
    return {"format": options["format"], "columns": columns}


def _task(options: Mapping[str, Any], label: str, template: str | None) -> dict[str, Any]:
    """The task whose tagger is trained; lexicons and tables only where there are features that
    use them."""
    folder = _folder(options)
    uses_files = template is not None and template != DEFAULT
    features = os.path.relpath(str(template), folder) if _is_file(template) else template
    return {
        "name": label,
        "data": [os.path.relpath(path, folder) for path in options["train"]],
        **_reading(options),
        "label": label,
        "features": features,
        "lexicons": _files(options["lexicons"], folder) if uses_files else None,
        "tables": _files(options["tables"], folder) if uses_files else None,
    }


def _is_file(template: str | None) -> bool:
    return template is not None and template != DEFAULT and is_template_file(template)


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
