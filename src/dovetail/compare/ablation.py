"""Parts of a recipe that a comparison leaves out in turn: what does each of them bring?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.decode.single import missing
from dovetail.recipe import Recipe, Task
from dovetail.recipe.description import RepresentationSpec
from dovetail.recipe.schema.representations import REPRESENTATION_KINDS
from dovetail.recipe.schema.tasks import LINEAR

ASO, BIAS = "aso", "bias"
WITHOUT = " without "
_OF_BIASES = {*REPRESENTATION_KINDS["biased"]} - {*REPRESENTATION_KINDS["hmm"]}


def ablated_systems(
    systems: Sequence[str], without: Sequence[str], below: Sequence[str]
) -> tuple[str, ...]:
    """Each system, then the same without each part; none has no tasks below to leave out.

    >>> ablated_systems(["none", "joint"], ["ner", "state"], below=["ner"])
    ('none', 'none without state', 'joint', 'joint without ner', 'joint without state')
    """
    out: list[str] = []
    for system in systems:
        parts = [part for part in without if not (system == "none" and part in below)]
        out += [system, *(f"{system}{WITHOUT}{part}" for part in parts)]
    return tuple(out)


def leave_out(recipe: Recipe, part: str, columns: Sequence[str]) -> Recipe:
    """The recipe without a task below the last, without a representation, by the name of its
    column, with plain linear tasks for those of the kind aso, or without biases."""
    assert recipe.compare is not None
    tasks, representations = list(recipe.tasks), list(recipe.representations)
    if part in recipe.names[:-1]:
        tasks = [_without_reading(task, part) for task in tasks if task.name != part]
        representations = [spec for spec in representations if spec.task != part]
    elif part in columns:
        del representations[list(columns).index(part)]
    elif part == ASO and any(task.kind == ASO for task in tasks):
        tasks = [_made_linear(task) for task in tasks]
    elif part == BIAS and any(map(_is_biased, representations)):
        representations = [_unbiased(spec) for spec in representations]
    else:
        raise DataError(f"{recipe.path}, compare: without names '{part}', {_reason(recipe, part)}")
    compare = replace(recipe.compare, without=())
    return replace(
        recipe, tasks=tuple(tasks), representations=tuple(representations), compare=compare
    )


def with_empty_columns(
    corpora: Mapping[str, Corpus], tasks: Iterable[Task], names: Iterable[str]
) -> dict[str, Corpus]:
    """Corpora in which columns are empty that template files may name."""
    out, made = dict(corpora), dict[int, Corpus]()
    for task in tasks:
        corpus = corpora.get(task.name)
        if corpus is None or not isinstance(task.features, Path):
            continue
        if id(corpus) not in made:
            filled = corpus
            for name in names:
                filled = filled.with_column(name, missing(filled))
            made[id(corpus)] = filled
        out[task.name] = made[id(corpus)]
    return out


def _reason(recipe: Recipe, part: str) -> str:
    """Why there is no such part."""
    if part == ASO:
        return "but no task is of the kind aso"
    if part == BIAS:
        return "but no representation has a bias"
    if part == recipe.names[-1]:
        return "the last task, which is the one that is compared"
    known = [*recipe.names[:-1], ASO, BIAS]
    return (
        "which is neither a task below the last nor the column of a representation; there are "
        f"{', '.join(known)}, and the columns of representations"
    )


def _without_reading(task: Task, part: str) -> Task:
    if task.reads is None:
        return task
    reads = tuple(name for name in task.reads if name != part)
    return replace(
        task,
        reads=reads,
        conjoin=task.conjoin and bool(reads),
        compound=task.compound and bool(reads),
    )


def _made_linear(task: Task) -> Task:
    if task.kind != ASO:
        return task
    settings = {key: value for key, value in task.settings.items() if key in LINEAR}
    return replace(task, kind="linear", settings=settings)


def _is_biased(spec: RepresentationSpec) -> bool:
    return spec.labels is not None or bool(_OF_BIASES & {*spec.settings})


def _unbiased(spec: RepresentationSpec) -> RepresentationSpec:
    if not _is_biased(spec):
        return spec
    settings = {key: value for key, value in spec.settings.items() if key not in _OF_BIASES}
    kind = "hmm" if spec.kind == "biased" else spec.kind
    return replace(spec, kind=kind, labels=None, settings=settings)
