"""``dovetail eval``: how good a model, or a column of predictions, is, and where it errs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import click

from dovetail import Tagger
from dovetail.cli.inputs import Source, input_options
from dovetail.cli.labelled import Labelled, complete_labels, label_by_layers, label_by_tagger
from dovetail.cli.models import CHAIN_DECODINGS, load, refuse_decoding
from dovetail.cli.scores import Score
from dovetail.cli.targets import check_outputs, force_option
from dovetail.cli.terminal import printable
from dovetail.pipeline.choices import DECODINGS, Decode

if TYPE_CHECKING:
    from dovetail.cli.errors import Listing

FOLDS = 5


@click.command("eval")
@click.argument("arguments", nargs=-1, required=True, metavar="[MODEL] DATA")
@input_options
@click.option("--label", metavar="COLUMN", help="The label column (as in training, or the last).")
@click.option("--gold", metavar="COLUMN", help="Without a model: the column of correct labels,")
@click.option(
    "--predicted", metavar="COLUMN", multiple=True, help="and the column of labels; repeatable."
)
@click.option("--fields", is_flag=True, help="Score one value of each field per document, too.")
@click.option(
    "--decode",
    type=click.Choice([*CHAIN_DECODINGS, *DECODINGS]),
    help="How to decode, as for tag (viterbi, or as the pipeline was trained).",
)
@click.option(
    "--errors", is_flag=True, help="List confusions, confident errors, and correct labels in doubt."
)
@click.option(
    "--suspicious",
    is_flag=True,
    help="List labels of DATA that may be wrong, since cross-validated models are sure of others.",
)
@click.option(
    "--folds", type=click.IntRange(2), metavar="N", help="Parts for cross-validation (5)."
)
@click.option(
    "--top", type=click.IntRange(1), metavar="K", help="Length of each list (20; in JSON, all)."
)
@click.option(
    "--html", metavar="FILE", help="Also write the lists, up to 100 entries each, as a page."
)
@force_option
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
def command(
    arguments: tuple[str, ...],
    format: str | None,
    columns: str | None,
    label: str | None,
    gold: str | None,
    predicted: tuple[str, ...],
    fields: bool,
    decode: str | None,
    errors: bool,
    suspicious: bool,
    folds: int | None,
    top: int | None,
    html: str | None,
    force: bool,
    as_json: bool,
) -> None:
    """Score a model on labelled data, or two columns of a file; list errors.

    Labels of a span scheme are scored by spans (precision, recall and F1 of each type, as in
    conlleval), other labels by tokens. The interval comes from a bootstrap over sequences, or over
    documents if there are many. For a pipeline, each layer is scored for which DATA has a column:
    one of the layer's name or, for the last layer, the label column.

    With --suspicious, and with --errors if there is no MODEL, each part of DATA is tagged by a
    model trained on the other parts, with the settings of MODEL or the defaults of train.
    """
    check_outputs([html], arguments, force=force)
    if errors or suspicious:
        if gold is not None or predicted or fields:
            raise click.UsageError(
                "--gold, --predicted and --fields have no probabilities: leave them out"
            )
        if len(arguments) > 2:
            raise click.UsageError("give MODEL and DATA, or DATA alone to cross-validate on it")
        cross_validated = suspicious or len(arguments) == 1
        if cross_validated and decode is not None:
            raise click.UsageError("--decode is not for cross-validation")
        if folds is not None and not cross_validated:
            raise click.UsageError("--folds is for --suspicious, or for --errors without a MODEL")
        from dovetail.cli.errors import Listing  # few calls need it

        listing = Listing(errors, suspicious, top, html, as_json)
        source = Source.of(arguments[-1], format, columns)
        _list_errors(listing, arguments[:-1], source, label, decode, folds or FOLDS)
        return
    if folds is not None or top is not None or html is not None:
        raise click.UsageError("--folds, --top and --html go with --errors or --suspicious")
    if (gold is None) == bool(predicted):
        raise click.UsageError("--gold and --predicted go together")
    if len(arguments) != (1 if gold else 2):
        raise click.UsageError("give MODEL and DATA, or --gold, --predicted and DATA")
    source = Source.of(arguments[-1], format, columns)
    if gold is not None:
        if decode is not None:
            raise click.UsageError("--decode needs a MODEL")
        corpus = source.read()
        given, words = complete_labels(corpus, gold), corpus.lists(corpus.names[0])
        labellings = {
            name: Labelled(
                given, complete_labels(corpus, name), corpus.document_bounds, words=words
            )
            for name in predicted
        }
        if len(labellings) == 1:
            _show({"": labellings[predicted[0]]}, None, as_json, fields)
        else:
            _show_several(labellings, as_json, fields)
        return
    labelled, how = _label(arguments[0], source, label, decode, for_review=False)
    _show(labelled, how, as_json, fields)


def _label(
    path: str, source: Source, label: str | None, decode: str | None, *, for_review: bool
) -> tuple[Mapping[str, Labelled], str | None]:
    """What a tagger, under the empty name, or each layer of a pipeline says, and how the latter is
    decoded."""
    model = load(path)
    refuse_decoding(decode, model, path)
    if isinstance(model, Tagger):
        how = decode or "viterbi"
        return {"": label_by_tagger(model, source, label, how, for_review=for_review)}, None
    if decode is not None:
        model.decode = cast(Decode, decode)  # one of them, as was checked
    return label_by_layers(model, source, label, for_review=for_review), model.decode


def _list_errors(
    listing: Listing,
    models: tuple[str, ...],
    source: Source,
    label: str | None,
    decode: str | None,
    folds: int,
) -> None:
    """The errors of a model, or of models that are trained for it, on labelled data."""
    from dovetail.cli.errors import label_by_cross_validation

    if models and not listing.suspicious:
        found, _ = _label(models[0], source, label, decode, for_review=True)
        listing.show(found, f"{models[0]} on {source.path}")
        return
    model = load(models[0]) if models else None
    labelled = label_by_cross_validation(model, source, label, folds)
    listing.show({"": labelled}, f"{source.path}, cross-validated")


def _show(found: Mapping[str, Labelled], decode: str | None, as_json: bool, fields: bool) -> None:
    """The scores of a tagger, or with a ``decode`` of the layers of a pipeline."""
    scores = {name: Score.of(one) for name, one in found.items()}
    for name, score in scores.items():
        score.note_unknown("the model" if decode is None else f"'{name}'")
    if as_json:
        layers = {name: _facts(score, found[name], fields) for name, score in scores.items()}
        facts = layers[""] if decode is None else {"decode": decode, "layers": layers}
        click.echo(printable(json.dumps(facts, ensure_ascii=False)))
        return
    texts = [
        ("" if decode is None else f"{name} ({decode})\n\n") + _text(score, found[name], fields)
        for name, score in scores.items()
    ]
    click.echo(printable("\n\n\n".join(texts)))


def _show_several(found: Mapping[str, Labelled], as_json: bool, fields: bool) -> None:
    """The scores of several columns, and what they find together."""
    from dovetail.cli.further_scores import show_together, together  # few calls need it

    scores = {name: Score.of(one) for name, one in found.items()}
    both = together(found)
    if as_json:
        columns = {name: _facts(score, found[name], fields) for name, score in scores.items()}
        click.echo(printable(json.dumps({"columns": columns, **both}, ensure_ascii=False)))
        return
    texts = [f"{name}\n\n{_text(one, found[name], fields)}" for name, one in scores.items()]
    click.echo(printable("\n\n\n".join([*texts, show_together(both)])))


def _text(score: Score, found: Labelled, fields: bool) -> str:
    if not fields:
        return score.to_text()
    from dovetail.cli.further_scores import count_fields, show_fields

    return f"{score.to_text()}\n\n{show_fields(count_fields(found))}"


def _facts(score: Score, found: Labelled, fields: bool) -> dict[str, Any]:
    if not fields:
        return score.to_dict()
    from dovetail.cli.further_scores import count_fields, plain_fields

    return {**score.to_dict(), "fields": plain_fields(count_fields(found))}
