"""Linear tasks of a recipe: a tagger that decides on each token alone, with auxiliary tasks or not.

[[task]]
name = "chunk@aso"
kind = "aso"
data = "train.conll"
parts = 7
text = "unlabelled.conll"
masked = ["pos", "pos[1]"]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Corpus
from dovetail.corpus.formats import joined, read_filled
from dovetail.errors import DataError, ModelFileError
from dovetail.io.loading import load
from dovetail.pipeline.recipe_structure import masked_tasks

if TYPE_CHECKING:
    from dovetail.features import Template
    from dovetail.multitask import AuxiliaryTask, LinearTagger
    from dovetail.pipeline.recipe import Task


def trained(path: Path, threads: int | None) -> Any:
    """The tagger, linear or not, in a model file."""
    opened = load(path, threads=threads)
    if opened.kind not in ("tagger", "linear tagger"):
        raise ModelFileError(f"{path} holds a {opened.kind}, not a tagger")
    return opened


def linear_tagger(task: Task, template: Template, threads: int | None) -> LinearTagger:
    """The tagger that a task describes, not yet trained."""
    from dovetail.multitask import ASO, LinearTagger

    settings: dict[str, Any] = {"features": template, "threads": threads, **task.settings}
    if task.kind == "linear":
        return LinearTagger(**settings)
    if "parts" in settings:
        settings["n_parts"] = settings.pop("parts")
    settings.pop("masked", None)
    tasks = [_labelled(task, path) for path in settings.pop("auxiliary", ())]
    tasks += _masked(task, settings.pop("text", ()))
    return ASO(auxiliary=tasks, **settings)


def compounded(template: Template, reads: Sequence[str], columns: Sequence[str]) -> Template:
    """A template that reads tasks in compound features only. Words and parts of speech are the
    first two columns of the data that it reads already."""
    from dovetail.multitask import compound

    own = [name for name in columns if name in template.columns]
    for name in reads:
        template = compound(template, name, own[0], own[1] if len(own) > 1 else None)
    return template


def _options(task: Task) -> dict[str, Any]:
    return {} if task.columns is None else {"columns": task.columns}


def _labelled(task: Task, path: Path) -> AuxiliaryTask:
    from dovetail.multitask import labelled

    corpus = read_filled(path, task.format, **_options(task))
    label = task.label if task.label in corpus.names else corpus.names[-1]
    return labelled(corpus, label, name=path.name)


def _masked(task: Task, files: tuple[Path, ...]) -> list[AuxiliaryTask]:
    if not files:
        return []
    text = joined(_unlabelled(task, path) for path in files)
    return masked_tasks(text, task.settings["masked"])


def _unlabelled(task: Task, path: Path) -> Corpus:
    """Text with the columns of a task's data, but for the labels, which may be there as well."""
    if task.columns is None:
        return read_filled(path, task.format)
    label = task.label or task.columns[-1]
    inputs = tuple(name for name in task.columns if name != label)
    try:
        return read_filled(path, task.format, columns=inputs)
    except DataError:
        try:
            return read_filled(path, task.format, columns=task.columns).without_column(str(label))
        except DataError:
            pass
        raise
