"""``dovetail explain``: why a model gave a sequence its labels."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Source, input_options, unit_option
from dovetail.cli.models import load, rename_as_trained, unit_of_text
from dovetail.cli.raw_text import choose_format
from dovetail.cli.terminal import printable
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.chain.explain import Explanation
    from dovetail.pipeline import Pipeline


@click.command("explain")
@click.argument("model")
@click.argument("source", metavar="DATA")
@input_options
@unit_option("as in training, or a line")
@click.option(
    "--sequence",
    type=click.IntRange(1),
    default=1,
    metavar="N",
    help="Which sequence to explain (1).",
)
@click.option("--token", type=click.IntRange(1), metavar="N", help="Explain only this token.")
@click.option(
    "--why-not",
    metavar="LABEL",
    help="Compare with this label or span type instead of the strongest rival.",
)
@click.option("--layer", metavar="NAME", help="For a pipeline: the layer to explain (the last).")
@click.option(
    "--top", type=click.IntRange(1), default=10, metavar="K", help="Reasons for each token (10)."
)
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
def command(
    model: str,
    source: str,
    format: str | None,
    columns: str | None,
    unit: str | None,
    sequence: int,
    token: int | None,
    why_not: str | None,
    layer: str | None,
    top: int,
    as_json: bool,
) -> None:
    """Explain why a model gave one sequence of DATA its labels.

    For each token this shows its label, the strongest rival, and how much each feature and each
    neighbouring label counts for the label (+) or for the rival (-). For a pipeline it also shows
    where joint decoding and the cascade differ, and why.
    """
    opened = load(model)
    if format is None and columns is None:
        format = choose_format(source, opened)
    given = Source.of(source, format, columns, unit)
    if given.format == "text" and unit is None:
        given = replace(given, unit=unit_of_text(opened))
    if isinstance(opened, Tagger) and layer is not None:
        raise click.UsageError(f"--layer is for pipelines; {model} holds a single tagger")
    one = _pick(given, opened, sequence)
    options: dict[str, Any] = {"top": top, "why_not": why_not}
    if isinstance(opened, Tagger):
        explanation = _only(opened.explain(one, **options), token, sequence)
        _write(explanation.to_dict() if as_json else str(explanation))
        return
    name = layer or opened.names[-1]
    explained = _only(opened.explain_layer(name, one, **options), token, sequence)
    changes = opened.explain(one, top=top)
    if as_json:
        _write({"layer": name, "tokens": explained.to_dict(), "joint": changes.to_dict()})
        return
    _write(f"{name}\n\n{explained}\n\nJoint decoding and the cascade\n\n{changes}")


def _pick(given: Source, model: Tagger | Pipeline, number: int) -> Any:
    """A sequence of a file by its number."""
    sequences: Any
    if given.format == CRFSUITE:
        if not isinstance(model, Tagger):
            raise DataError("feature text holds no words, which are what a pipeline reads")
        sequences = given.read_features()[0]
    else:
        sequences = given.read()
        if given.format == "conll" and given.columns is None:
            sequences = rename_as_trained(sequences, model)
    if number > len(sequences):
        raise DataError(f"{given.path} has {len(sequences)} sequences; there is no number {number}")
    return sequences[number - 1]


def _only(explanation: Explanation, token: int | None, sequence: int) -> Explanation:
    """What is said of one token, if only that is asked for."""
    if token is None:
        return explanation
    if token > len(explanation.tokens):
        raise DataError(
            f"sequence {sequence} has {len(explanation.tokens)} tokens; there is no number {token}"
        )
    return explanation.only(token - 1)


def _write(what: str | dict[str, Any] | list[dict[str, Any]]) -> None:
    click.echo(printable(what) if isinstance(what, str) else json.dumps(what, ensure_ascii=False))
