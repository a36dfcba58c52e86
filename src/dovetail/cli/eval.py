"""``dovetail eval``: how good a model, or a column of predictions, is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from dovetail import Tagger, load
from dovetail.cli.inputs import CRFSUITE, Source, input_options
from dovetail.cli.models import named_as_trained
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.evaluate import Interval, Report, bootstrap, evaluate

FEWEST_DOCUMENTS = 20  # drawing among fewer says little


class Labelled(NamedTuple):
    """Given and predicted labels of the same tokens, and where documents begin, if known."""

    gold: list[list[str]]
    predicted: list[list[str]]
    document_bounds: Any = None
    unknown: Mapping[str, int] = MappingProxyType({})  # given labels unknown to the model: counts


@click.command("eval")
@click.argument("arguments", nargs=-1, required=True, metavar="[MODEL] DATA")
@input_options
@click.option("--label", metavar="COLUMN", help="The label column; by default as in training.")
@click.option("--gold", metavar="COLUMN", help="Compare this column of DATA, without a model,")
@click.option("--predicted", metavar="COLUMN", help="with this one.")
@click.option("--json", "as_json", is_flag=True, help="Write the scores as JSON.")
def command(
    arguments: tuple[str, ...],
    format: str | None,
    columns: str | None,
    label: str | None,
    gold: str | None,
    predicted: str | None,
    as_json: bool,
) -> None:
    """Score a model on labelled data, or two columns of a file.

    Labels of a span scheme are scored by spans (precision, recall and F1 of each type, as conlleval
    has them), other labels by tokens. The interval comes from a bootstrap over sequences, or over
    documents where there are many.
    """
    if (gold is None) != (predicted is None):
        raise click.UsageError("--gold and --predicted go together")
    if len(arguments) != (1 if gold else 2):
        raise click.UsageError("give MODEL and DATA, or --gold, --predicted and DATA")
    source = Source.of(arguments[-1], format, columns)
    if gold is not None and predicted is not None:
        corpus = source.read()
        found = Labelled(_column(corpus, gold), _column(corpus, predicted), corpus.document_bounds)
    else:
        found = _by_model(load(arguments[0]), source, label)
    report = evaluate(found.gold, found.predicted)
    bounds = found.document_bounds
    by_documents = bounds is not None and len(bounds) > FEWEST_DOCUMENTS
    interval = bootstrap(report, document_bounds=bounds if by_documents else None)
    unit = "documents" if by_documents else "sequences"
    if found.unknown:
        counts = ", ".join(f"{label} ({count:,})" for label, count in found.unknown.items())
        click.echo(f"note: labels that the model does not know: {counts}", err=True)
    if as_json:
        click.echo(_as_json(report, interval, unit, found.unknown))
    else:
        click.echo(_as_text(report, interval, unit))


def _by_model(tagger: Tagger, source: Source, label: str | None) -> Labelled:
    data: Corpus | list[Any]
    if source.format == CRFSUITE:
        data, gold = source.read_features()
        found = Labelled(gold, tagger.predict(data))
    else:
        data = source.read()
        if source.format == "conll" and source.columns is None:
            data = named_as_trained(data, tagger)
        gold = _column(data, label or tagger.label_column_ or data.names[-1])
        found = Labelled(gold, tagger.predict(data), data.document_bounds)
    return found._replace(unknown=_unknown_labels(tagger, found.gold, source.path))


def _column(corpus: Corpus, name: str) -> list[list[str]]:
    labels: Any = corpus.lists(name)
    for number, values in enumerate(labels, 1):
        if None in values:
            token = values.index(None) + 1
            raise DataError(f"sequence {number}, token {token}: column {name!r} has no label")
    found: list[list[str]] = labels
    return found


def _unknown_labels(tagger: Tagger, gold: list[list[str]], path: str) -> dict[str, int]:
    """How often each given label occurs that the model cannot answer; not all may be so."""
    known = set(tagger.labels_)
    given = Counter(label for labels in gold for label in labels)
    unknown = {label: given[label] for label in sorted(given) if label not in known}
    if len(unknown) == len(given):
        raise DataError(
            f"{path}: none of its labels ({_some([*unknown])}) is one of the model's "
            f"({_some(sorted(known))}); name the label column with --label"
        )
    return unknown


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")


def _as_text(report: Report, interval: Interval, unit: str) -> str:
    name = "F1" if report.kind == "spans" else "accuracy"
    score, low, high = (f"{100 * value:.2f}" for value in interval[:3])
    share = f"{100 * interval.level:.0f}%"
    return (
        f"{report.to_text()}\n\n"
        f"{name} {score}, {share} interval {low} to {high} (bootstrap over {unit})"
    )


def _as_json(
    report: Report, interval: Interval, unit: str, unknown_labels: Mapping[str, int]
) -> str:
    score = "f1" if report.kind == "spans" else "accuracy"
    drawn = {"score": score, "value": interval.score, "low": interval.low, "high": interval.high}
    drawn |= {"level": interval.level, "unit": unit}
    facts = {**report.to_dict(), "interval": drawn, "unknown_labels": dict(unknown_labels)}
    return json.dumps(facts, ensure_ascii=False)
