"""Linear tasks of a recipe: a tagger that decides on each token alone, with auxiliary tasks or not.

[[task]]
name = "chunk@aso"
kind = "aso"
data = "train.conll"
parts = 7
text = "unlabelled.conll"
masked = ["pos", "pos[1]"]

Text of auxiliary tasks may also be a folder that holds a corpus in parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dovetail.corpus import Corpus, Shards
from dovetail.corpus.formats import concatenate_files, read_filled
from dovetail.corpus.shards import holds_shards
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.multitask import ASO, AuxiliaryTask, LinearTagger, ShardTask, compound, labelled
from dovetail.recipe.description import Task
from dovetail.recipe.structures import mask_columns


def build_linear_tagger(task: Task, template: Template, threads: int | None) -> LinearTagger:
    """The tagger that a task describes, not yet trained."""
    settings: dict[str, Any] = {"features": template, "threads": threads, **task.settings}
    if task.kind == "linear":
        return LinearTagger(**settings)
    if "parts" in settings:
        settings["n_parts"] = settings.pop("parts")
    tasks: list[AuxiliaryTask | ShardTask] = [
        _read_labelled(task, path) for path in settings.pop("auxiliary", ())
    ]
    text, columns = settings.pop("text", ()), settings.pop("masked", ())
    files = [path for path in text if not holds_shards(path)]
    if files:
        tasks += mask_columns(
            concatenate_files(_read_unlabelled(task, path) for path in files), columns
        )
    for path in text:
        if holds_shards(path):
            tasks += mask_columns(Shards(path), columns)
    return ASO(auxiliary=tasks, **settings)


def read_in_compounds(template: Template, reads: Sequence[str], columns: Sequence[str]) -> Template:
    """A template that reads tasks in compound features only. Words and parts of speech are the
    first two columns of the data that it reads already."""
    own = [name for name in columns if name in template.columns]
    for name in reads:
        template = compound(template, name, own[0], own[1] if len(own) > 1 else None)
    return template


def _read_labelled(task: Task, path: Path) -> AuxiliaryTask | ShardTask:
    if holds_shards(path):
        shards = Shards(path)
        label = task.label if task.label in shards.names else shards.names[-1]
        return labelled(shards, label, name=path.name)
    options = {} if task.columns is None else {"columns": task.columns}
    corpus = read_filled(path, task.format, **options)
    label = task.label if task.label in corpus.names else corpus.names[-1]
    return labelled(corpus, label, name=path.name)


def _read_unlabelled(task: Task, path: Path) -> Corpus:
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
