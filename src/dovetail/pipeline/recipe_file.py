"""Reading and checking the file of a recipe."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dovetail.corpus import format_of
from dovetail.errors import DataError
from dovetail.io.files import open_text
from dovetail.pipeline.recipe import Comparison, Recipe, Task
from dovetail.pipeline.recipe_keys import (
    COMPARE,
    OF_A_MODEL,
    OF_ANY_TASK,
    OF_TEXT,
    RECIPE,
    REPRESENTATIONS,
    TASK,
    TASKS,
    check_keys,
    nearest,
)
from dovetail.pipeline.recipe_representations import CONSISTENCY, Wanted

Table = dict[str, Any]
DEFAULT_SET = "default"
OF_FOLDERS = ("markup",)  # formats of which a folder is a corpus, too


def parsed(path: Path) -> Recipe:
    """The recipe in a file."""
    with open_text(path) as file:
        text = file.read()
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path} is not TOML: {error}") from None
    check_keys(given, RECIPE, str(path))
    tables = given.pop("task", [])
    if not tables:
        raise DataError(f"{path} has no task: give at least one [[task]]")
    tasks = [_task(path, number, table) for number, table in enumerate(tables, start=1)]
    _check_names(path, tasks)
    _check_reads(path, tasks)
    listed = enumerate(given.pop("representation", []), start=1)
    representations = tuple(_representation(path, number, table) for number, table in listed)
    _check_contexts(path, representations, tasks)
    comparison = given.pop("compare", None)
    compare = None if comparison is None else _comparison(path, comparison, tasks[-1])
    return Recipe(
        path=path, tasks=tuple(tasks), representations=representations, compare=compare, **given
    )


def _task(path: Path, number: int, table: Any) -> Task:
    place = f"{path}, task {number}"
    if not isinstance(table, dict):
        raise DataError(f"{place} is {table!r}; give a table, [[task]]")
    if "name" not in table:
        raise DataError(f"{place} has no name: give name = the column that it writes")
    check_keys({"name": table["name"]}, TASK, place)
    where = f"{path}, task '{table['name']}'"
    check_keys({key: value for key, value in table.items() if key == "kind"}, TASK, where)
    own_keys = TASKS[table.get("kind", "crf")]
    check_keys(table, {**OF_ANY_TASK, **own_keys}, where)
    if "data" not in table and "model" not in table:
        raise DataError(f"{where} has neither data to learn from nor a trained model: give one")
    if "model" in table:
        odd = next((key for key in table if key not in OF_A_MODEL), None)
        if odd == "data":
            raise DataError(f"{where} has both data and a trained model: give one of them")
        if odd is not None:
            raise DataError(f"{where}: {odd} is nothing that a trained model can be given")
    folder = path.parent
    values = dict(table)
    settings = {key: values.pop(key) for key in own_keys if key in values}
    for key in ("auxiliary", "text"):
        if key in settings:
            settings[key] = _files(folder, settings[key], f"{where}: {key}", values.get("format"))
    if ("text" in settings) != ("masked" in settings):
        raise DataError(f"{where}: text and masked go together: what is to be predicted, and where")
    if "data" in values:
        values["data"] = _files(folder, values["data"], f"{where}: data", values.get("format"))
        _check_format(values, where)
    if "model" in values:
        values["model"] = _file(folder, values["model"], f"{where}: model")
    for key in ("lexicons", "tables"):
        named = values.get(key, {})
        values[key] = {name: _file(folder, n, f"{where}: {key}") for name, n in named.items()}
    if "features" in values:
        values["features"] = _features(folder, values["features"], where)
    elif values["lexicons"] or values["tables"]:
        raise DataError(f"{where}: lexicons and tables belong to features: say which")
    if "columns" in values:
        values["columns"] = tuple(None if c in ("", "_") else c for c in values["columns"])
    if "reads" in values:
        values["reads"] = tuple(dict.fromkeys(values["reads"]))
    return Task(**values, settings=settings)


def _representation(path: Path, number: int, table: Any) -> Wanted:
    where = f"{path}, representation {number}"
    if not isinstance(table, dict):
        raise DataError(f"{where} is {table!r}; give a table, [[representation]]")
    if sum(key in table for key in ("kind", "model", "from")) != 1:
        raise DataError(
            f"{where}: give either the kind of what is to be learned, a model, or the name of what "
            "others have learned (from)"
        )
    check_keys({key: value for key, value in table.items() if key == "kind"}, OF_TEXT, where)
    kind = table.get("kind")
    check_keys(table, REPRESENTATIONS["ready" if "from" in table else kind], where)
    values = dict(table)
    for key, format in (("text", "format"), ("source", "format"), ("target", "target_format")):
        if key in values:
            named = _files(path.parent, values[key], f"{where}: {key}", values.get(format))
            values[key] = named
    for key in ("model", "vectors"):
        if key in values:
            values[key] = _file(path.parent, values[key], f"{where}: {key}")
    texts = [key for key in ("text", "source") if key in values]
    if kind == "vectors" and "vectors" not in values:
        raise DataError(f"{where} has no vectors: give the file that they are in")
    if len(texts) > 1:
        raise DataError(f"{where} has both text and source: give one of them")
    if kind not in (None, "vectors", CONSISTENCY) and not texts:
        wanted = "source" if kind == "biased" else "text"
        raise DataError(f"{where} needs text to learn from: give {wanted} = a file or several")
    if texts:
        values["text"] = values.pop(texts[0])
    if kind == "structure":
        for key in ("features", "masked", "h"):
            if key not in values:
                raise DataError(f"{where} has no {key}: a structure needs it")
        values["features"] = _features(path.parent, values["features"], where)
        if values["features"] is None:
            raise DataError(f"{where}: the default features are those of a task: name others")
    if "columns" in values:
        values["columns"] = tuple(None if c in ("", "_") else c for c in values["columns"])
    if "from" in values:
        values["ready"] = values.pop("from")
    if "classes" in values:
        values["states"] = values.pop("classes")
    own = {key: values.pop(key) for key in list(values) if key in Wanted.__dataclass_fields__}
    return Wanted(**own, settings=values)


def _check_contexts(path: Path, wanted: Sequence[Wanted], tasks: Sequence[Task]) -> None:
    """The context of a task needs one that is trained here."""
    trained = [task.name for task in tasks if task.data and task.kind == "crf"]
    for number, one in enumerate(wanted, start=1):
        if one.kind == CONSISTENCY and one.task not in trained:
            given = "has no task" if one.task is None else f"names the task '{one.task}'"
            raise DataError(
                f"{path}, representation {number} {given}: its first tagger is that of a task of "
                f"the kind crf which has data ({', '.join(trained) or 'there is none'})"
            )


def _check_format(values: Table, where: str) -> None:
    for data in values["data"]:
        try:
            format = format_of(data, values.get("format"))
        except DataError as error:
            raise DataError(f"{where}: {error}") from None
        if "columns" in values and format != "conll":
            raise DataError(f"{where}: columns names those of CoNLL files, and {data} is {format}")


def _features(folder: Path, given: str, where: str) -> str | Path | None:
    """A template file, or the name of a set; None for the set that suits the data."""
    from dovetail.features.sets import NAMES

    if (folder / given).is_file():
        return folder / given
    if given == DEFAULT_SET:
        return None
    if given not in NAMES:
        raise DataError(
            f"{where}: there is neither a template file nor a feature set '{given}'; "
            f"{nearest(given, NAMES)}"
        )
    return given


def _files(folder: Path, given: str | list[str], what: str, format: str | None) -> tuple[Path, ...]:
    names = [given] if isinstance(given, str) else given
    return tuple(_file(folder, name, what, format in OF_FOLDERS) for name in names)


def _file(folder: Path, name: str, what: str, may_be_folder: bool = False) -> Path:
    path = folder / name
    if path.is_dir() and not may_be_folder:
        raise DataError(f"{what} names {name}, but {path} is a directory")
    if not path.exists():
        raise DataError(f"{what} names {name}, but {path} is not there")
    return path


def _check_names(path: Path, tasks: Sequence[Task]) -> None:
    names = [task.name for task in tasks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{path}: two tasks are called '{twice}': give each a name of its own")


def _check_reads(path: Path, tasks: Sequence[Task]) -> None:
    """Tasks read those before them, so that there can be no circle."""
    names = [task.name for task in tasks]
    for place, task in enumerate(tasks):
        where = f"{path}, task '{task.name}'"
        for name in task.reads or ():
            if name not in names:
                raise DataError(
                    f"{where}: reads names '{name}', which is no task; {nearest(name, names)}"
                )
            if name not in names[:place]:
                raise DataError(f"{where}: reads names '{name}', {_not_before(task, name, tasks)}")
        reads_some = task.reads or (task.reads is None and place > 0)
        if isinstance(task.features, Path):
            reads_some = bool(task.reads)
        if (task.conjoin or task.compound) and not reads_some:
            key = "conjoin" if task.conjoin else "compound"
            raise DataError(f"{where}: {key} needs tasks before it, named in reads")
        if task.conjoin and task.compound:
            raise DataError(f"{where}: conjoin and compound do not go together: give one of them")


def _not_before(task: Task, name: str, tasks: Sequence[Task]) -> str:
    """Why a task cannot read another."""
    if name == task.name:
        return "which is itself"
    reads: Mapping[str, Sequence[str]] = {t.name: t.reads or () for t in tasks}
    circle = _path(name, task.name, reads)
    if circle:
        return f"and so they read one another in a circle: {' -> '.join([task.name, *circle])}"
    return "which comes after it: put that task before it"


def _path(start: str, end: str, reads: Mapping[str, Sequence[str]]) -> list[str]:
    """Names from one task to another, each of which reads the next; none if there is no way."""
    paths, seen = [[start]], {start}
    for path in paths:
        if path[-1] == end:
            return path
        for name in reads.get(path[-1], ()):
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []


def _comparison(path: Path, table: Table, last: Task) -> Comparison:
    where = f"{path}, compare"
    check_keys(table, COMPARE, where)
    if not last.data:
        raise DataError(f"{where}: the last task, '{last.name}', has no data to compare systems on")
    ways = [key for key in ("splits", "folds", "test") if key in table]
    if len(ways) > 1:
        raise DataError(f"{where}: {' and '.join(ways)} do not go together: give one of them")
    if "train" in table and ways not in ([], ["splits"]):
        raise DataError(
            f"{where}: train is the share of random splits; leave it out with {ways[0]}"
        )
    values = dict(table)
    if "test" in values:
        values["test"] = _files(path.parent, values["test"], f"{where}: test", last.format)
    for key in ("systems", "sizes"):
        if key in values:
            values[key] = tuple(dict.fromkeys(values[key]))
    return Comparison(**values)
