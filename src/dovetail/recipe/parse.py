"""From the file of a recipe to its description: whatever is wrong is said in one sentence."""

from __future__ import annotations

import logging
import tomllib
from collections import ChainMap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dovetail.corpus.conll import skip_unnamed
from dovetail.corpus.formats import stream
from dovetail.errors import DataError
from dovetail.io.files import open_text
from dovetail.recipe.checks import check_contexts, check_names, check_reads
from dovetail.recipe.description import Comparison, Description, RepresentationSpec, Task
from dovetail.recipe.named_files import (
    check_format,
    resolve_features,
    resolve_file,
    resolve_files,
    resolve_texts,
)
from dovetail.recipe.schema.keys import Table, check_table, check_value
from dovetail.recipe.schema.recipe import COMPARE, RECIPE
from dovetail.recipe.schema.representations import (
    FROM_FILE,
    KIND,
    READY_MADE,
    REPRESENTATION_KINDS,
)
from dovetail.recipe.schema.tagger import TAGGER
from dovetail.recipe.schema.tasks import ANY_TASK, TASK_KINDS, TRAINED_TASK

logger = logging.getLogger(__name__)

MOST_DOTS = 1000  # in a line; the time for names such as a.b.c grows with the square of them
Values = dict[str, Any]
TABLES = {
    "[[task]]": {**ANY_TASK, **TAGGER},
    "[[representation]]": dict(ChainMap(*map(dict, REPRESENTATION_KINDS.values()))),
    "[compare]": COMPARE,
}


def parse_recipe(path: Path) -> Description:
    """What the file of a recipe says."""
    with open_text(path) as file:
        text = file.read()
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") > MOST_DOTS:
            raise DataError(f"{path}:{number} has more than {MOST_DOTS:,} dots: give fewer")
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise DataError(f"{path} has lists or tables that are nested too deeply") from None
    except ValueError as error:  # of Python's own, such as whole numbers of 5,000 digits
        raise DataError(f"{path} has a value that cannot be read: {error}") from None
    check_table(given, RECIPE, str(path), TABLES)
    tables = given.pop("task", [])
    if not tables:
        raise DataError(f"{path} has no task: give at least one [[task]]")
    tasks = [_parse_task(path, number, table) for number, table in enumerate(tables, start=1)]
    check_names(path, tasks)
    check_reads(path, tasks)
    listed = enumerate(given.pop("representation", []), start=1)
    representations = [_parse_representation(path, number, table) for number, table in listed]
    representations += _learned_from_unlabelled(path, given.pop("unlabelled", ()))
    check_contexts(path, representations, tasks)
    comparison = given.pop("compare", None)
    return Description(
        path=path,
        tasks=tuple(tasks),
        representations=tuple(representations),
        compare=None if comparison is None else _parse_comparison(path, comparison, tasks[-1]),
        **given,
    )


def _parse_task(path: Path, number: int, table: Any) -> Task:
    place = f"{path}, task {number}"
    if not isinstance(table, dict):
        raise DataError(f"{place} is {table!r}; give a table, [[task]]")
    if "name" not in table:
        raise DataError(f"{place} has no name: give name = the column that it writes")
    check_value("name", table["name"], ANY_TASK["name"].type, place)
    where = f"{path}, task '{table['name']}'"
    kind = table.get("kind", ANY_TASK["kind"].default)
    check_value("kind", kind, ANY_TASK["kind"].type, where)
    check_table(table, {**ANY_TASK, **TASK_KINDS[kind]}, where, _with_top(TASK_KINDS))
    _check_source(table, where)
    folder, values = path.parent, dict(table)
    settings = {key: values.pop(key) for key in TASK_KINDS[kind] if key in values}
    format = values.get("format")
    for key in ("auxiliary", "text"):
        if key in settings:
            settings[key] = resolve_texts(folder, settings[key], f"{where}: {key}", format)
    if ("text" in settings) != ("masked" in settings):
        raise DataError(f"{where}: text and masked go together: what is to be predicted, and where")
    if "data" in values:
        values["data"] = resolve_files(folder, values["data"], f"{where}: data", format)
        check_format(values["data"], format, "columns" in values, where)
    if "model" in values:
        values["model"] = resolve_file(folder, values["model"], f"{where}: model")
    for key in ("lexicons", "tables"):
        named = values.get(key, {})
        values[key] = {n: resolve_file(folder, f, f"{where}: {key}") for n, f in named.items()}
    if "features" in values:
        values["features"] = resolve_features(folder, values["features"], where)
    elif values["lexicons"] or values["tables"]:
        raise DataError(f"{where}: lexicons and tables belong to features: say which")
    _skip_unnamed_columns(values)
    if "reads" in values:
        values["reads"] = tuple(dict.fromkeys(values["reads"]))
    return Task(**values, settings=settings)


def _check_source(table: Values, where: str) -> None:
    """A task has data or a trained model; a trained model cannot be given anything else."""
    if "data" not in table and "model" not in table:
        raise DataError(f"{where} has neither data to learn from nor a trained model: give one")
    if "model" in table:
        extra = next((key for key in table if key not in TRAINED_TASK), None)
        if extra == "data":
            raise DataError(f"{where} has both data and a trained model: give one of them")
        if extra is not None:
            raise DataError(f"{where}: {extra} is nothing that a trained model can be given")


def _parse_representation(path: Path, number: int, table: Any) -> RepresentationSpec:
    where = f"{path}, representation {number}"
    if not isinstance(table, dict):
        raise DataError(f"{where} is {table!r}; give a table, [[representation]]")
    keys = _keys_of_representation(table, where)
    check_table(table, keys, where, _with_top(REPRESENTATION_KINDS))
    _check_text(table, where)
    required = (name for name, key in keys.items() if key.is_required and name != "task")
    missing = next((name for name in required if name not in table), None)
    if missing is not None:  # which task there may be is checked where the tasks are known
        raise DataError(f"{where} has no {missing}: the kind {table['kind']} needs it")
    folder, values = path.parent, dict(table)
    for key, format in (("text", "format"), ("source", "format"), ("target", "target_format")):
        if key in values:
            what = f"{where}: {key}"
            values[key] = resolve_files(folder, values[key], what, values.get(format))
    for key in ("model", "vectors"):
        if key in values:
            values[key] = resolve_file(folder, values[key], f"{where}: {key}")
    if "features" in values:
        values["features"] = resolve_features(folder, values["features"], where)
        if values["features"] is None:
            raise DataError(f"{where}: the default features are those of a task: name others")
    _skip_unnamed_columns(values)
    for key, renamed in (("source", "text"), ("from", "ready"), ("classes", "states")):
        if key in values:
            values[renamed] = values.pop(key)
    fields = RepresentationSpec.__dataclass_fields__
    own = {key: values.pop(key) for key in list(values) if key in fields}
    return RepresentationSpec(**own, settings=values)


def _learned_from_unlabelled(path: Path, given: Any) -> list[RepresentationSpec]:
    """What is learned from text without labels where nothing else is said of it: files without any
    are passed over, and those called .txt hold running text."""
    where = f"{path}: unlabelled"
    text = resolve_files(path.parent, given, where, None)
    running = {".txt" in file.suffixes for file in text}
    if len(running) > 1:
        raise DataError(f"{where} names running text (.txt) and other files: give one kind of them")
    format = "text" if True in running else None
    used = tuple(file for file in text if any(part.n_tokens for part in stream(file, format)))
    for file in text:
        if file not in used:
            logger.warning("%s: nothing is learned from %s, which has no text", where, file)
    specs = [RepresentationSpec(kind=kind, text=used, format=format) for kind in ("classes", "hmm")]
    return specs if used else []


def _keys_of_representation(table: Values, where: str) -> Table:
    origins = [key for key in ("kind", "model", "from") if key in table]
    if len(origins) != 1:
        raise DataError(
            f"{where}: give either the kind of what is to be learned, a model, or the name of what "
            "others have learned (from)"
        )
    if origins == ["kind"]:
        check_value("kind", table["kind"], KIND.type, where)
        return REPRESENTATION_KINDS[table["kind"]]
    return FROM_FILE if origins == ["model"] else READY_MADE


def _check_text(table: Values, where: str) -> None:
    """Kinds that learn from text have it under one of two names."""
    if "text" in table and "source" in table:
        raise DataError(f"{where} has both text and source: give one of them")
    keys = REPRESENTATION_KINDS.get(table.get("kind", ""), {})
    wanted = next((key for key in ("text", "source") if key in keys), None)
    if wanted is not None and "text" not in table and "source" not in table:
        raise DataError(f"{where} needs text to learn from: give {wanted} = a file or several")


def _parse_comparison(path: Path, table: Values, last: Task) -> Comparison:
    where = f"{path}, compare"
    check_table(table, COMPARE, where, _with_top({}))
    if not last.data:
        raise DataError(f"{where}: the last task, '{last.name}', has no data to compare systems on")
    ways = [key for key in ("splits", "folds", "test") if key in table]
    if len(ways) > 1:
        raise DataError(f"{where}: {' and '.join(ways)} do not go together: give one of them")
    if "train" in table and ways not in ([], ["splits"]):
        raise DataError(
            f"{where}: train is the share of random splits; leave it out with {ways[0]}"
        )
    if "draws" in table and not ("test" in table and "sizes" in table):
        raise DataError(
            f"{where}: draws are samples of the training data, tested on one text: give test and "
            "sizes too"
        )
    if table.get("group_copies") and "test" in table:
        raise DataError(f"{where}: group_copies is for splits; leave it out with test")
    values = dict(table)
    if "test" in values:
        values["test"] = resolve_files(path.parent, values["test"], f"{where}: test", last.format)
    for key in ("systems", "sizes", "measures", "without"):
        if key in values:
            values[key] = tuple(dict.fromkeys(values[key]))
    return Comparison(**values)


def _with_top(kinds: Mapping[str, Table]) -> dict[str, Table]:
    """Where else a key may belong: to other kinds, or to the top, which ends at the first table."""
    top = {"the top of the recipe, before all tables": RECIPE}
    return {**{f'kind = "{kind}"': keys for kind, keys in kinds.items()}, **top}


def _skip_unnamed_columns(values: Values) -> None:
    if "columns" in values:
        values["columns"] = tuple(skip_unnamed(values["columns"]))
