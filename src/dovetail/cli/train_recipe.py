"""``dovetail train recipe.toml``: from a recipe to the file of a pipeline."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dovetail import Tagger
from dovetail.cli.clusters import open_workers
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.signals import noticing_signals
from dovetail.cli.states import describe_aso_round, describe_briefly, summarize_representation
from dovetail.cli.targets import check_outputs
from dovetail.cli.task_progress import show_tasks
from dovetail.pipeline.layers.conversion import taggers_of
from dovetail.pipeline.layers.linear import is_linear_tagger
from dovetail.recipe import Recipe
from dovetail.units import format_duration, format_megabytes

if TYPE_CHECKING:
    from dovetail.chain.train.steps import Progress
    from dovetail.corpus import Corpus
    from dovetail.pipeline import Pipeline

OPTIONS = ("data", "model", "threads", "cluster", "force", "dry_run", "as_json")


class InterruptedTaskError(Exception):
    """Ctrl-C ended a training that others should have followed."""


def train_recipe(ctx: click.Context, options: Mapping[str, Any]) -> None:
    """Train the pipeline of a recipe, save it, and tell what came of it."""
    path = _only_recipe(ctx, options)
    recipe = Recipe.read(path)
    as_json, threads, model = options["as_json"], options["threads"], options["model"]
    if options["dry_run"]:
        sizes = recipe.sizes(threads=threads)
        click.echo(json.dumps({"tasks": sizes}) if as_json else _sizes_as_text(sizes))
        return
    if model is None:
        raise click.UsageError("Missing option '--model' / '-m': where to write the pipeline.")
    check_outputs([model], [path, *recipe.files], force=options["force"])
    with show_tasks(_limits_of(recipe)) as display, noticing_signals() as interrupted:

        def after_round(task: str, progress: Progress) -> None:
            if interrupted.is_set():
                raise InterruptedTaskError
            display(task, progress)

        display.announce(f"reading the data of {', '.join(recipe.names)}")
        corpora = recipe.corpora()
        pipeline = recipe.pipeline(corpora, threads=threads)
        display.announce("indexing features")
        try:
            with open_workers(options["cluster"]) as workers:
                recipe.train(pipeline, corpora, after_round, workers)
        except InterruptedTaskError:
            raise KeyboardInterrupt from None
        pipeline.save(model)
    facts = _facts(recipe, pipeline, corpora, model)
    facts["interrupted"] = interrupted.is_set()
    click.echo(json.dumps(facts, ensure_ascii=False) if as_json else _as_text(facts))
    if interrupted.is_set():
        ctx.exit(INTERRUPTED)


def _only_recipe(ctx: click.Context, options: Mapping[str, Any]) -> str:
    """The recipe, if it is alone and nothing is said beside it that is for a single tagger."""
    if len(options["data"]) > 1:
        raise click.UsageError("give one recipe, or files of data, but not both")
    for parameter in ctx.command.params:
        name = parameter.name or ""
        given = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and name not in OPTIONS:
            raise click.UsageError(
                f"{parameter.opts[0]} does not go with a recipe, which has settings of its own"
            )
    path: str = options["data"][0]
    return path


def _limits_of(recipe: Recipe) -> Any:
    usual = Tagger().get_params()
    given = {task.name: {**usual, **task.settings} for task in recipe.tasks}

    def limits(task: str) -> tuple[float, int | None]:
        settings = given.get(task, usual)
        return settings["tolerance"], settings["max_iterations"]

    return limits


def _facts(
    recipe: Recipe, pipeline: Pipeline, corpora: Mapping[str, Corpus], model: str
) -> dict[str, Any]:
    tasks = [_task_facts(name, pipeline[name], corpora.get(name)) for name in pipeline.names]
    return {
        "recipe": str(recipe.path),
        "model": model,
        "bytes": Path(model).stat().st_size,
        "decode": pipeline.decode,
        "training": recipe.training or ("auto" if pipeline.decode == "auto" else "cascade"),
        "notes": pipeline.notes_,
        "representations": [summarize_representation(one) for one in pipeline.representations],
        "tasks": tasks,
    }


def _task_facts(name: str, annotator: Any, corpus: Corpus | None) -> dict[str, Any]:
    if is_linear_tagger(annotator):
        return _linear_facts(name, annotator, corpus)
    taggers = taggers_of(annotator)
    facts: dict[str, Any] = {
        "name": name,
        "labels": len(annotator.labels_),
        "taggers": len(taggers),
        "features": sum(member.n_features_ for member in taggers),
        "weights": sum(member.n_weights_ for member in taggers),
        "stopped": taggers[-1].stopped_ if taggers else "labels of a task below, mapped",
    }
    if corpus is not None:
        facts |= {"sequences": len(corpus), "tokens": corpus.n_tokens}
    if corpus is not None and taggers and taggers[-1].history_:
        last = taggers[-1].history_[-1]
        facts |= {"objective": last.objective, "gap": last.gap}
        facts |= {"iterations": last.iteration, "seconds": last.seconds}
    return facts


def _linear_facts(name: str, tagger: Any, corpus: Corpus | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": name,
        "labels": len(tagger.labels_),
        "taggers": 1,
        "features": tagger.weights_.n_features,
        "weights": tagger.weights_.n_features * len(tagger.labels_),
        "stopped": f"one classifier a label, {type(tagger).__name__}",
        "rounds": tagger.training_.get("rounds", []),
    }
    if corpus is not None:
        facts |= {"sequences": len(corpus), "tokens": corpus.n_tokens}
        facts |= {"objective": tagger.training_["objective"], "gap": None}
        facts |= {"iterations": max(tagger.training_["iterations"]), "seconds": tagger.seconds_}
    return facts


def _as_text(facts: Mapping[str, Any]) -> str:
    rows = [(one["name"], describe_briefly(one)) for one in facts["representations"]]
    for task in facts["tasks"]:
        known = f"{task['labels']:,} labels, {task['features']:,} features"
        if task["taggers"] > 1:
            known += f" of {task['taggers']} taggers"
        if "sequences" in task and "iterations" not in task:
            text = (
                f"{task['sequences']:,} sequences, {task['tokens']:,} tokens; {known}; "
                f"{task['stopped']}"
            )
        elif "sequences" in task:
            text = (
                f"{task['sequences']:,} sequences, {task['tokens']:,} tokens; {known}; "
                f"{task['iterations']} iterations, {format_duration(task['seconds'])}: "
                f"{task['stopped']}"
            )
        else:
            text = f"trained before; {known}"
        rows.append((task["name"], text))
        rows += [("round", describe_aso_round(one)) for one in task.get("rounds", ())]
    rows += [("note", note) for note in facts["notes"]]
    size = format_megabytes(facts["bytes"])
    ended = ", interrupted" if facts["interrupted"] else ""
    rows += [("training", facts["training"] + ended), ("decode", facts["decode"])]
    rows.append(("model", f"{click.format_filename(facts['model'])}, {size}"))
    return _aligned(rows)


def _sizes_as_text(tasks: Mapping[str, Mapping[str, Any]]) -> str:
    rows = []
    for name, sizes in tasks.items():
        text = (
            f"{sizes['n_sequences']:,} sequences, {sizes['n_tokens']:,} tokens, "
            f"{sizes['n_features_kept']:,} features, {sizes['n_labels']:,} labels, "
            f"{sizes['n_weights']:,} weights, about {format_megabytes(sizes['memory_bytes'])}"
        )
        if sizes["not_counted"]:
            text += f" (without what {' and '.join(sizes['not_counted'])} will add)"
        rows.append((name, text))
    return _aligned(rows)


def _aligned(rows: list[tuple[str, str]]) -> str:
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
