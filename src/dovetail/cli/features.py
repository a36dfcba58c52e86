"""``dovetail features``: what a template makes of data."""

from __future__ import annotations

import json
from typing import Any

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Source, input_options, unit_option
from dovetail.cli.models import load, rename_as_trained
from dovetail.cli.templates import load_template, template_options
from dovetail.cli.terminal import printable
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.features import Template
from dovetail.features.sets import choose_feature_set


@click.command("features")
@click.argument("source", metavar="DATA")
@input_options
@unit_option("a line")
@template_options
@click.option("--model", "-m", metavar="MODEL", help="Use the template of this model.")
@click.option(
    "--label", metavar="COLUMN", help="The label column, which is not an input, as for train."
)
@click.option(
    "--sequence", type=click.IntRange(1), default=1, metavar="N", help="Which sequence to show (1)."
)
@click.option("--rows", is_flag=True, help="Show the template itself and the number of its rows.")
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
def command(
    source: str,
    format: str | None,
    columns: str | None,
    unit: str | None,
    template: str | None,
    lexicons: tuple[str, ...],
    tables: tuple[str, ...],
    model: str | None,
    label: str | None,
    sequence: int,
    rows: bool,
    as_json: bool,
) -> None:
    """Show the features of one sequence, token by token.

    DATA is a file as for train. The features are those of --template, of --model, or the ones that
    train would use without a template.
    """
    if model is not None and (template or lexicons or tables):
        raise click.UsageError(
            "--model has a template of its own: leave out --template, --lexicon and --table"
        )
    given = Source.of(source, format, columns, unit)
    if given.format == CRFSUITE:
        raise DataError("feature text has its features already: no template makes them")
    corpus = given.read()
    if model is not None:
        tagger = load(model)
        if not isinstance(tagger, Tagger):
            raise DataError(f"{model} holds a pipeline of several taggers: give the model of one")
        if (tagger.model_.facts["features"] or {}).get("kind") != "template":
            raise DataError(f"{model} was not trained with a template")
        made, corpus = tagger.model_.template, rename_as_trained(corpus, tagger)
    else:
        made = _chosen(corpus, label, template, lexicons, tables)
    if sequence > len(corpus):
        raise DataError(f"{source} has {len(corpus)} sequences; there is no number {sequence}")
    one = corpus[sequence - 1].to_corpus()
    found = made.features(corpus)[sequence - 1]
    if as_json:
        click.echo(json.dumps(_as_data(made, one, found), ensure_ascii=False))
        return
    if rows:
        about = f"# {len(made.rows):,} rows over {', '.join(made.columns)}"
        click.echo(printable(f"{made}\n\n{about}\n"))
    for number, (values, features) in enumerate(zip(_tokens(one), found, strict=True), start=1):
        click.echo(printable(f"{number}. {' '.join(values)}"))
        for name, value in features:
            click.echo(printable(f"   {name}" if value == 1.0 else f"   {name}  {value:g}"))


def _chosen(
    corpus: Corpus,
    label: str | None,
    template: str | None,
    lexicons: tuple[str, ...],
    tables: tuple[str, ...],
) -> Template:
    """The template that train would use."""
    if label is None and len(corpus.names) > 1:
        label = corpus.names[-1]
    elif label is not None:
        corpus.column(label)
    made = load_template(template, corpus.names, label, lexicons, tables)
    if made is not None and label in made.columns:
        raise DataError(f"the template reads '{label}', the column that is to be learnt")
    return made or choose_feature_set(corpus, label)


def _tokens(one: Corpus) -> list[list[str]]:
    lists = [one.lists(name)[0] for name in one.names]
    return [[value or "" for value in token] for token in zip(*lists, strict=True)]


def _as_data(made: Template, one: Corpus, found: list[list[tuple[str, float]]]) -> dict[str, Any]:
    tokens = [
        {"token": dict(zip(one.names, values, strict=True)), "features": features}
        for values, features in zip(_tokens(one), found, strict=True)
    ]
    return {"template": str(made), "rows": len(made.rows), "tokens": tokens}
