"""From the description of a recipe to a pipeline, not yet trained."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dovetail.base.representation import Representation
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.formats import concatenate_files, read_filled
from dovetail.corpus.schemes import write_in_scheme
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.features import Template
from dovetail.features.resolution import resolve_corpus_features
from dovetail.features.sets import OF_WORDS_AND_TAGS
from dovetail.features.template_file import ready_made, template_from_file
from dovetail.io.loading import load
from dovetail.pipeline.pipeline import Pipeline
from dovetail.pipeline.representations import extend_template, find_columns
from dovetail.pipeline.tasks import label_of, name_task_in_errors
from dovetail.recipe.description import Description, Task
from dovetail.recipe.linear_tasks import build_linear_tagger, read_in_compounds
from dovetail.recipe.representations import build_representation


def build_pipeline(
    recipe: Description,
    corpora: Mapping[str, Corpus],
    representations: Iterable[Representation] | None,
    threads: int | None,
) -> Pipeline:
    """The pipeline of a recipe, with its representations unless others are given."""
    if representations is None:
        representations = _build_representations(recipe, corpora, threads)
    parts: dict[str, Any] = {one.name_: one for one in representations}
    inputs = list(parts.values())
    for task in recipe.tasks:
        with name_task_in_errors(task.name, recipe.path):
            parts[task.name] = _build_tagger(recipe, task, corpora, inputs, threads)
    try:
        return Pipeline(
            parts,
            decode=recipe.decode,
            weights={task.name: task.weight for task in recipe.tasks},
            lattice=recipe.lattice,
            inference=recipe.inference,
            epsilon=recipe.epsilon,
            threads=threads,
        )
    except DovetailError as error:
        raise type(error)(f"{recipe.path}: {error}") from None


def read_task_files(task: Task, paths: Iterable[Path]) -> Corpus:
    """Files with the format and the columns of a task's data, as one corpus."""
    options = {} if task.columns is None else {"columns": task.columns}
    corpus = concatenate_files(read_filled(path, task.format, **options) for path in paths)
    if task.scheme is None:
        return corpus
    label = label_of(task.name, corpus, task.label)
    if corpus.column(label).missing.any():
        raise DataError(
            f"the column '{label}' has tokens without a label, so its scheme cannot be changed: "
            "leave out scheme"
        )
    known: list[Any] = corpus.lists(label)
    return corpus.with_column(label, write_in_scheme(known, task.scheme))


def _build_representations(
    recipe: Description, corpora: Mapping[str, Corpus], threads: int | None
) -> list[Representation]:
    built: list[Representation] = []

    def build_first(name: str) -> tuple[Tagger, str]:
        task = replace(recipe.tasks[recipe.names.index(name)], reads=())
        tagger = _build_tagger(recipe, task, corpora, built, threads)
        return tagger, label_of(name, corpora[name], task.label)

    try:
        for spec in recipe.representations:
            one = build_representation(spec, threads, recipe.seed, build_first)
            twice = {*find_columns(built)} & {*one.names_}
            if twice:
                raise DataError(
                    f"two representations write the column '{min(twice)}': give one another name"
                )
            built.append(one)
    except DovetailError as error:
        raise type(error)(f"{recipe.path}: {error}") from None
    return built


def _build_tagger(
    recipe: Description,
    task: Task,
    corpora: Mapping[str, Corpus],
    representations: Sequence[Representation],
    threads: int | None,
) -> Any:
    if task.model is not None:
        return _load_tagger(task.model, threads)
    template = _build_template(recipe, task, corpora[task.name], representations)
    if task.kind != "crf":
        return build_linear_tagger(task, template, threads)
    return Tagger(features=template, threads=threads, **{"seed": recipe.seed, **task.settings})


def _load_tagger(path: Path, threads: int | None) -> Any:
    """The tagger, linear or not, in a model file."""
    opened = load(path, threads=threads)
    if opened.kind not in ("tagger", "linear tagger"):
        raise ModelFileError(f"{path} holds a {opened.kind}, not a tagger")
    return opened


def _build_template(
    recipe: Description, task: Task, corpus: Corpus, representations: Sequence[Representation]
) -> Template:
    """What a task sees: features of its own columns, the columns of representations, and the
    labels of the tasks it reads. Where it also learns from other text, which has neither, it sees
    its own columns alone."""
    label = label_of(task.name, corpus, task.label)
    elsewhere = not {"auxiliary", "text"}.isdisjoint(task.settings)
    represented = find_columns(representations)
    before = recipe.names[: recipe.names.index(task.name)]
    files = task.lexicons, task.tables
    if isinstance(task.features, Path):
        columns = list(dict.fromkeys([*corpus.names, *represented, *before]))
        template = template_from_file(str(task.features), columns, *files, _remedy)
        reads = task.reads or ()
    else:
        reads = tuple(before if task.reads is None and not elsewhere else task.reads or ())
        labels = {label, *recipe.names, *(t.label for t in recipe.tasks if t.label)}
        inputs = [name for name in corpus.names if name not in {*labels, *represented}]
        if not inputs:
            raise DataError(f"there is no column to make features of beside '{label}'")
        if task.features is None:
            template = resolve_corpus_features(None, corpus, label, inputs)
        else:
            tagged = task.features in OF_WORDS_AND_TAGS and len(inputs) == 1
            columns = [*inputs, *reads[:1]] if tagged else inputs
            template = ready_made(task.features, columns, *files)
    if task.compound:
        own = [name for name in corpus.names if name != label]
        complete = read_in_compounds(template, reads, own)
    else:
        complete = template.with_columns(*reads, conjoined=task.conjoin)
    if elsewhere or isinstance(task.features, Path):
        return complete
    return extend_template(complete, representations)


def _remedy(kind: str, name: str) -> str:
    return f'{kind}s = {{ {name} = "FILE" }}'
