"""``dovetail train``: from labelled data to a model file."""

from __future__ import annotations

import json
import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dovetail import Tagger
from dovetail.base.training import was_interrupted
from dovetail.cli.clusters import cluster_option
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.inputs import CRFSUITE, Source, input_options, read_all
from dovetail.cli.label_problems import locate, refuse_doubtful_labels
from dovetail.cli.on_disk import keep_on_disk, refuse_one_column
from dovetail.cli.progress import Display, show_progress
from dovetail.cli.settings import given_settings, setting_options
from dovetail.cli.targets import check_outputs, force_option
from dovetail.cli.templates import DEFAULT, load_template, named_file, template_options
from dovetail.corpus import Corpus, Shards
from dovetail.corpus.label_checks import Malformed
from dovetail.errors import DataError
from dovetail.evaluate import Report, evaluate
from dovetail.features import Dataset
from dovetail.recipe.schema.tagger import TAGGER
from dovetail.units import format_duration, format_megabytes

RECIPE = ".toml"
COUNT = click.IntRange(1)


@click.command("train")
@click.argument("data", nargs=-1, required=True, metavar="DATA...")
@click.option("--model", "-m", metavar="OUT", help="Where to write the model.")
@click.option("--held-out", metavar="FILE", help="Labelled data; stop when the score on it falls.")
@input_options
@template_options
@click.option("--label", metavar="COLUMN", help="The label column (the last).")
@setting_options(TAGGER, "c1", "c2", "method", "tolerance", "max_iterations", "min_count")
@setting_options(TAGGER, "constraints", "all_pairs", "all_transitions")
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse labels that look like typing errors, and sequences that break their scheme.",
)
@click.option("--threads", type=COUNT, metavar="N", help="Number of threads (all cores).")
@setting_options(TAGGER, "seed")
@click.option("--warm-start", metavar="MODEL", help="Start from the weights of this model.")
@click.option("--checkpoint", metavar="FILE", help="Save a usable model here while training.")
@click.option("--resume", is_flag=True, help="Go on from the --checkpoint, if it is there.")
@click.option(
    "--on-disk",
    metavar="FOLDER",
    help="For data larger than memory: keep it and its features in parts in this folder.",
)
@cluster_option
@force_option
@click.option("--dry-run", is_flag=True, help="Only report how large the training would be.")
@click.option("--json", "as_json", is_flag=True, help="Write the summary as JSON.")
@click.pass_context
def command(ctx: click.Context, /, **options: Any) -> None:
    """Train a tagger on labelled sequences.

    DATA is one or more files, or folders of files, in any of the formats that --format lists. The
    features are those of --template, by default a set that suits the columns; CRFsuite's feature
    text brings its own. Progress goes to standard error, the summary to standard output. Ctrl-C
    ends the training and keeps the best model so far.

    DATA may also be a recipe, a .toml file, which describes a whole pipeline to train.
    """
    if any(path.endswith(RECIPE) for path in options["data"]):
        from dovetail.cli.train_recipe import train_recipe

        train_recipe(ctx, options)
        return
    job = Job(
        paths=options.pop("data"),
        model=options.pop("model"),
        held_out=options.pop("held_out"),
        format=options.pop("format"),
        columns=options.pop("columns"),
        label=options.pop("label"),
        template=options.pop("template"),
        lexicons=options.pop("lexicons"),
        tables=options.pop("tables"),
        warm_start=options.pop("warm_start"),
        checkpoint=options.pop("checkpoint"),
        resume=options.pop("resume"),
        strict=options.pop("strict"),
        force=options.pop("force"),
        on_disk=options.pop("on_disk"),
        cluster=options.pop("cluster"),
    )
    if job.cluster is not None and job.on_disk is None:
        raise click.UsageError("--cluster needs --on-disk, a folder that all workers see")
    if job.resume and job.checkpoint is None:
        raise click.UsageError("--resume goes on from a checkpoint: name it with --checkpoint")
    as_json, dry_run = options.pop("as_json"), options.pop("dry_run")
    tagger = Tagger(threads=options["threads"], **given_settings(options, TAGGER))
    if dry_run and job.on_disk is not None:
        raise click.UsageError("--dry-run goes with data in memory: leave out --on-disk")
    if dry_run:
        with _display(tagger) as display:
            data = job.read(display)
            job.choose_features(tagger, data)
            display.announce("counting features")
            facts = tagger.dry_run(data, label=job.label)
        click.echo(json.dumps(facts) if as_json else _dry_summary(facts))
        return
    if job.model is None:
        raise click.UsageError("Missing option '--model' / '-m': where to write the model.")
    summary = job.run(tagger)
    click.echo(json.dumps(summary, ensure_ascii=False) if as_json else _summary(summary))
    if summary["interrupted"]:
        ctx.exit(INTERRUPTED)


def _display(tagger: Tagger) -> AbstractContextManager[Display]:
    return show_progress(tagger.tolerance, tagger.max_iterations)


@dataclass(frozen=True)
class Job:
    """What to train on and where the model goes."""

    paths: tuple[str, ...]
    model: str | None
    held_out: str | None
    format: str | None
    columns: str | None
    label: str | None
    template: str | None
    lexicons: tuple[str, ...]
    tables: tuple[str, ...]
    warm_start: str | None
    checkpoint: str | None
    resume: bool
    strict: bool
    force: bool
    on_disk: str | None
    cluster: str | None

    def run(self, tagger: Tagger) -> dict[str, Any]:
        """Train, save, and tell what came of it."""
        assert self.model is not None
        read = [*self.paths, self.held_out, self.template, self.warm_start]
        read += [named_file(one)[1] for one in (*self.lexicons, *self.tables)]
        check_outputs((self.model, self.checkpoint), read, force=self.force)
        with _display(tagger) as display:
            data = self.read(display)
            self.choose_features(tagger, data)
            held_out = self.read_held_out(display)
            display.announce("indexing features")
            tagger.fit(
                data,
                label=self.label,
                held_out=held_out,
                warm_start=self.warm_start,
                checkpoint=self.checkpoint,
                resume=self._earlier(),
                callback=display,
                origin=self._origin(data),
                cluster=self.cluster,
            )
            tagger.save(self.model)
        return self._facts(tagger, data, held_out)

    def _earlier(self) -> str | None:
        """The checkpoint to go on from."""
        return self.checkpoint if self.resume and Path(self.checkpoint or "").is_file() else None

    def read(self, display: Display) -> Corpus | Dataset | Shards:
        """The training data."""
        sources = [self._source(path) for path in self.paths]
        display.announce(f"reading {', '.join(self.paths)}")
        if self.on_disk is not None:
            if any(source.format == CRFSUITE for source in sources) or self.strict:
                raise click.UsageError("--on-disk goes with neither feature text nor --strict")
            return keep_on_disk(sources, self.on_disk)
        if any(source.format == CRFSUITE for source in sources):
            other = next((source for source in sources if source.format != CRFSUITE), None)
            if other is not None:
                raise DataError(
                    f"{other.path} is read as {other.format}, but another file is feature text: "
                    "give files of one kind"
                )
            data = Dataset.from_crfsuite_text(*self.paths)
            if not data.n_sequences:
                raise DataError(f"there are no sequences in {', '.join(self.paths)}")
            return data
        corpus = read_all(sources)
        refuse_one_column(self.paths[0], corpus.names)
        if self.strict:
            refuse_doubtful_labels(sources, corpus.lists(self.label or corpus.names[-1]))
        return corpus

    def choose_features(self, tagger: Tagger, data: Corpus | Dataset | Shards) -> None:
        """Give the tagger the template that the options name, if they do."""
        if isinstance(data, Corpus | Shards):
            tagger.features = load_template(
                self.template,
                data.names,
                self.label or data.names[-1],
                self.lexicons,
                self.tables,
            )
        elif self.template or self.lexicons or self.tables:
            raise DataError(
                "feature text has its features already: leave out --template, --lexicon and --table"
            )

    def read_held_out(self, display: Display) -> Corpus | tuple[list[Any], list[list[str]]] | None:
        """The held-out data, if there is any."""
        if self.held_out is None:
            return None
        source = self._source(self.held_out)
        display.announce(f"reading {self.held_out}")
        return source.read_features() if source.format == CRFSUITE else source.read()

    def _origin(self, data: Corpus | Dataset | Shards) -> dict[str, Any]:
        """The files and the feature set, by names that tell nothing of where they were."""
        facts: dict[str, Any] = {"data": [_short_name(path) for path in self.paths]}
        if isinstance(data, Corpus | Shards):
            facts["feature_set"] = _short_name(self.template or DEFAULT)
        return facts

    def _source(self, path: str) -> Source:
        return Source.of(path, self.format, self.columns)

    def _facts(
        self, tagger: Tagger, data: Corpus | Dataset | Shards, held_out: Any
    ) -> dict[str, Any]:
        last = tagger.history_[-1]
        n_sequences = len(data) if isinstance(data, Corpus) else data.n_sequences
        facts: dict[str, Any] = {
            "model": self.model,
            "bytes": _size(self.model),
            "sequences": n_sequences,
            "tokens": data.n_tokens,
            "labels": len(tagger.labels_),
            "features": tagger.n_features_,
            "weights": tagger.n_weights_,
            "objective": last.objective,
            "gap": last.gap,
            "iterations": last.iteration,
            "seconds": last.seconds,
            "stopped": tagger.stopped_,
            "interrupted": was_interrupted(tagger.stopped_),
        }
        if tagger.constraints is not None:
            facts["constraints"] = tagger.training_["constraints_used"]
        if repaired := tagger.model_.facts.get("repaired"):
            sources = map(self._source, self.paths)
            where = locate(sources, repaired["sequence"], repaired["token"])
            facts["repaired"] = {**repaired, "where": where}
        if held_out is not None:
            facts["held_out"] = _held_out_report(tagger, held_out).to_dict()
        return facts


def _held_out_report(tagger: Tagger, held_out: Any) -> Report:
    if isinstance(held_out, Corpus):
        gold = held_out.lists(tagger.label_column_ or held_out.names[-1])
        return evaluate(gold, tagger.predict(held_out))
    features, gold = held_out
    return evaluate(gold, tagger.predict(features))


def _short_name(path: str) -> str:
    return Path(path).name if os.path.isabs(path) else path


def _size(path: str | None) -> int:
    assert path is not None
    return Path(path).stat().st_size


def _summary(facts: dict[str, Any]) -> str:
    rows = [
        ("data", f"{facts['sequences']:,} sequences, {facts['tokens']:,} tokens"),
        (
            "model",
            f"{click.format_filename(facts['model'])}: {facts['labels']:,} labels, "
            f"{facts['features']:,} features, {facts['weights']:,} weights, "
            f"{format_megabytes(facts['bytes'])}",
        ),
        ("time", f"{format_duration(facts['seconds'])} for {facts['iterations']} iterations"),
        ("stopped", facts["stopped"]),
    ]
    if "constraints" in facts:
        rows.insert(1, ("labels", _describe_constraints(facts)))
    if facts["objective"] is not None:
        rows.insert(-2, ("objective", f"{facts['objective']:,.4f}"))
    if "held_out" in facts:
        scores = facts["held_out"]
        f1 = f"F1 {100 * scores['micro']['f1']:.2f}, " if scores["kind"] == "spans" else ""
        rows.append(("held-out", f"{f1}accuracy {100 * scores['accuracy']:.2f}"))
    return "\n".join(f"{name:<10} {text}" for name, text in rows)


def _describe_constraints(facts: dict[str, Any]) -> str:
    if facts["constraints"] == "none":
        return "not constrained: they are of no span scheme"
    text = f"constrained to {facts['constraints']}"
    if "repaired" in facts:
        one = Malformed(*(facts["repaired"][name] for name in Malformed._fields))
        text += (
            f"; {facts['repaired']['sequences']:,} of {facts['sequences']:,} sequences repaired, "
            f"the first at {facts['repaired']['where']} ({one})"
        )
    return text


def _dry_summary(facts: dict[str, Any]) -> str:
    features = f"{facts['n_features_kept']:,}"
    if facts["n_features_kept"] < facts["n_features"]:
        features += f" of {facts['n_features']:,} that occur"
    rows = [
        ("sequences", f"{facts['n_sequences']:,}"),
        ("tokens", f"{facts['n_tokens']:,}"),
        ("features", features),
        ("labels", f"{facts['n_labels']:,}"),
        ("weights", f"{facts['n_weights']:,}"),
        ("memory", f"about {format_megabytes(facts['memory_bytes'])}"),
    ]
    return "\n".join(f"{name:<10} {text}" for name, text in rows)
