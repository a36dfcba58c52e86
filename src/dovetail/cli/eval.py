"""``dovetail eval``: how good a model, or a column of predictions, is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Source, input_options
from dovetail.cli.models import (
    CHAIN_DECODINGS,
    label_column,
    load,
    refuse_decoding,
    rename_as_trained,
)
from dovetail.corpus import Corpus, detect_scheme
from dovetail.corpus.schemes import write_in_scheme
from dovetail.errors import DataError
from dovetail.evaluate import Interval, Report, bootstrap, evaluate
from dovetail.pipeline.choices import DECODINGS, Decode

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

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
@click.option(
    "--decode",
    type=click.Choice([*CHAIN_DECODINGS, *DECODINGS]),
    help="As for tag; by default viterbi, or what a pipeline was trained for.",
)
@click.option("--json", "as_json", is_flag=True, help="Write the scores as JSON.")
def command(
    arguments: tuple[str, ...],
    format: str | None,
    columns: str | None,
    label: str | None,
    gold: str | None,
    predicted: str | None,
    decode: str | None,
    as_json: bool,
) -> None:
    """Score a model on labelled data, or two columns of a file.

    Labels of a span scheme are scored by spans (precision, recall and F1 of each type, as conlleval
    has them), other labels by tokens. The interval comes from a bootstrap over sequences, or over
    documents where there are many. Of a pipeline each layer is scored that DATA has a column for:
    one of its name or, for the last layer, the label column.
    """
    if (gold is None) != (predicted is None):
        raise click.UsageError("--gold and --predicted go together")
    if len(arguments) != (1 if gold else 2):
        raise click.UsageError("give MODEL and DATA, or --gold, --predicted and DATA")
    if gold is not None and decode is not None:
        raise click.UsageError("--decode needs a MODEL")
    source = Source.of(arguments[-1], format, columns)
    if gold is not None and predicted is not None:
        corpus = source.read()
        found = Labelled(_column(corpus, gold), _column(corpus, predicted), corpus.document_bounds)
        _show(Score.of(found), as_json)
        return
    model = load(arguments[0])
    refuse_decoding(decode, model, arguments[0])
    if isinstance(model, Tagger):
        _show(Score.of(_by_model(model, source, label, decode or "viterbi")), as_json)
        return
    if decode is not None:
        model.decode = cast(Decode, decode)  # one of them, as was checked
    layers = _by_layer(model, source, label)
    _show_layers({n: Score.of(y) for n, y in layers.items()}, model.decode, as_json)


class Score(NamedTuple):
    """A report, how sure it is, and what the model could not know."""

    report: Report
    interval: Interval
    unit: str
    unknown: Mapping[str, int]

    @classmethod
    def of(cls, found: Labelled) -> Score:
        """Score labels."""
        report = evaluate(found.gold, found.predicted)
        bounds = found.document_bounds
        by_documents = bounds is not None and len(bounds) > FEWEST_DOCUMENTS
        interval = bootstrap(report, document_bounds=bounds if by_documents else None)
        return cls(report, interval, "documents" if by_documents else "sequences", found.unknown)


def _show(score: Score, as_json: bool) -> None:
    _tell_unknown(score, "the model")
    click.echo(json.dumps(_facts(score), ensure_ascii=False) if as_json else _as_text(score))


def _show_layers(scores: Mapping[str, Score], decode: str, as_json: bool) -> None:
    for name, score in scores.items():
        _tell_unknown(score, f"'{name}'")
    if as_json:
        layers = {name: _facts(score) for name, score in scores.items()}
        click.echo(json.dumps({"decode": decode, "layers": layers}, ensure_ascii=False))
    else:
        texts = [f"{name} ({decode})\n\n{_as_text(score)}" for name, score in scores.items()]
        click.echo("\n\n\n".join(texts))


def _tell_unknown(score: Score, who: str) -> None:
    if score.unknown:
        counts = ", ".join(f"{label} ({count:,})" for label, count in score.unknown.items())
        click.echo(f"note: labels that {who} does not know: {counts}", err=True)


def _by_model(tagger: Tagger, source: Source, label: str | None, decode: Any) -> Labelled:
    data: Corpus | list[Any]
    if source.format == CRFSUITE:
        data, gold = source.read_features()
        found = Labelled(gold, tagger.predict(data, decode=decode))
    else:
        data = _read(source, tagger)
        gold = _column(data, label or tagger.label_column_ or data.names[-1])
        found = Labelled(gold, tagger.predict(data, decode=decode), data.document_bounds)
    found = found._replace(gold=write_in_scheme(gold, tagger.model_.facts["scheme"]))
    return found._replace(unknown=_unknown_labels(tagger.labels_, found.gold, source.path))


def _by_layer(pipeline: Pipeline, source: Source, label: str | None) -> dict[str, Labelled]:
    if source.format == CRFSUITE:
        raise DataError("feature text holds no words, which are what a pipeline reads")
    data = _read(source, pipeline)
    columns = {name: name.partition("@")[0] for name in pipeline.names}
    columns = {name: column for name, column in columns.items() if column in data.names}
    last = pipeline.names[-1]
    if label is not None:
        columns[last] = label
    elif last not in columns:
        usual = label_column(pipeline[last])
        columns |= {last: usual} if usual in data.names else {}
    if not columns:
        raise DataError(
            f"{source.path} has no column of {', '.join(pipeline.names)} to compare with (it has "
            f"{', '.join(data.names)}): name its columns with --columns, or the last one's --label"
        )
    gold = {name: _column(data, columns[name]) for name in pipeline.names if name in columns}
    found = pipeline.predict(data)
    gold = {name: _as_labelled(given, pipeline, name, found) for name, given in gold.items()}
    known = {layer.name: list(layer.labels) for layer in pipeline.layers}
    return {
        name: Labelled(
            given,
            found[name],
            data.document_bounds,
            _unknown_labels(known[name], given, f"{source.path}, column '{columns[name]}'"),
        )
        for name, given in gold.items()
    }


def _as_labelled(
    gold: list[list[str]], pipeline: Pipeline, name: str, found: Mapping[str, list[list[str]]]
) -> list[list[str]]:
    """Given labels in the scheme of a layer; one that is no tagger shows it by what it says."""
    model: Any = pipeline[name]
    if isinstance(model, Tagger):
        return write_in_scheme(gold, model.model_.facts["scheme"])
    return write_in_scheme(gold, detect_scheme(found[name]))


def _read(source: Source, model: Tagger | Pipeline) -> Corpus:
    data = source.read()
    if source.format == "conll" and source.columns is None:
        data = rename_as_trained(data, model)
    return data


def _column(corpus: Corpus, name: str) -> list[list[str]]:
    labels: Any = corpus.lists(name)
    for number, values in enumerate(labels, 1):
        if None in values:
            token = values.index(None) + 1
            raise DataError(f"sequence {number}, token {token}: column {name!r} has no label")
    found: list[list[str]] = labels
    return found


def _unknown_labels(labels: list[str], gold: list[list[str]], where: str) -> dict[str, int]:
    """How often each given label occurs that the model cannot answer; not all may be so."""
    known = set(labels)
    given = Counter(label for labels in gold for label in labels)
    unknown = {label: given[label] for label in sorted(given) if label not in known}
    if len(unknown) == len(given):
        raise DataError(
            f"{where}: none of its labels ({_some([*unknown])}) is one of the model's "
            f"({_some(sorted(known))}); name the label column with --label"
        )
    return unknown


def _some(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (", ..." if len(labels) > 5 else "")


def _as_text(score: Score) -> str:
    name = "F1" if score.report.kind == "spans" else "accuracy"
    value, low, high = (f"{100 * value:.2f}" for value in score.interval[:3])
    share = f"{100 * score.interval.level:.0f}%"
    return (
        f"{score.report.to_text()}\n\n"
        f"{name} {value}, {share} interval {low} to {high} (bootstrap over {score.unit})"
    )


def _facts(score: Score) -> dict[str, Any]:
    interval = score.interval
    name = "f1" if score.report.kind == "spans" else "accuracy"
    drawn = {"score": name, "value": interval.score, "low": interval.low, "high": interval.high}
    drawn |= {"level": interval.level, "unit": score.unit}
    facts = score.report.to_dict()
    return {**facts, "interval": drawn, "unknown_labels": dict(score.unknown)}
