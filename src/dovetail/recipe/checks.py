"""Whether the tasks and representations of a recipe fit one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dovetail.errors import DataError
from dovetail.recipe.description import RepresentationSpec, Task
from dovetail.recipe.schema.keys import suggest


def check_names(path: Path, tasks: Sequence[Task]) -> None:
    """No two tasks have the same name."""
    names = [task.name for task in tasks]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise DataError(f"{path}: two tasks are called '{twice}': give each a name of its own")


def check_reads(path: Path, tasks: Sequence[Task]) -> None:
    """Tasks read those before them, so that there can be no cycle."""
    names = [task.name for task in tasks]
    for place, task in enumerate(tasks):
        where = f"{path}, task '{task.name}'"
        for name in task.reads or ():
            if name not in names:
                raise DataError(
                    f"{where}: reads names '{name}', which is no task; {suggest(name, names)}"
                )
            if name not in names[:place]:
                reason = _explain_order(task, name, tasks)
                raise DataError(f"{where}: reads names '{name}', {reason}")
        reads_some = task.reads or (task.reads is None and place > 0)
        if isinstance(task.features, Path):
            reads_some = bool(task.reads)
        if (task.conjoin or task.compound) and not reads_some:
            key = "conjoin" if task.conjoin else "compound"
            raise DataError(f"{where}: {key} needs tasks before it, named in reads")
        if task.conjoin and task.compound:
            raise DataError(f"{where}: conjoin and compound do not go together: give one of them")


def check_contexts(
    path: Path, representations: Sequence[RepresentationSpec], tasks: Sequence[Task]
) -> None:
    """The document context of a task needs one that is trained here."""
    trained = [task.name for task in tasks if task.data and task.kind == "crf"]
    for number, one in enumerate(representations, start=1):
        if one.kind == "consistency" and one.task not in trained:
            given = "has no task" if one.task is None else f"names the task '{one.task}'"
            raise DataError(
                f"{path}, representation {number} {given}: its first tagger is that of a task of "
                f"the kind crf which has data ({', '.join(trained) or 'there is none'})"
            )


def _explain_order(task: Task, name: str, tasks: Sequence[Task]) -> str:
    """Why a task cannot read another."""
    if name == task.name:
        return "which is itself"
    reads: Mapping[str, Sequence[str]] = {t.name: t.reads or () for t in tasks}
    cycle = _find_path(name, task.name, reads)
    if cycle:
        return f"and so they read one another in a circle: {' -> '.join([task.name, *cycle])}"
    return "which comes after it: put that task before it"


def _find_path(start: str, end: str, reads: Mapping[str, Sequence[str]]) -> list[str]:
    """Names from one task to another, each of which reads the next; none if there is no path."""
    paths, seen = [[start]], {start}
    for path in paths:
        if path[-1] == end:
            return path
        for name in reads.get(path[-1], ()):
            if name not in seen:
                seen.add(name)
                paths.append([*path, name])
    return []
