"""``dovetail tag``: labels for sequences as they stream by."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from dovetail.cli.answers import Request, read_batches, write_answers
from dovetail.cli.clusters import cluster_option, open_workers
from dovetail.cli.group import INTERRUPTED
from dovetail.cli.inputs import CRFSUITE, Source, input_options, unit_option
from dovetail.cli.models import (
    CHAIN_DECODINGS,
    load,
    reads_whole_corpora,
    refuse_decoding,
    span_types,
    unit_of_text,
)
from dovetail.cli.outputs import OUTPUTS, OutputFormat
from dovetail.cli.raw_text import choose_format
from dovetail.cli.tagged_folder import (
    PARQUET,
    SHOWN_IN_PARQUET,
    Order,
    Piece,
    TaggedFolder,
    expand_folders,
    find_pieces,
)
from dovetail.cli.targets import check_outputs, force_option
from dovetail.cli.terminal import PrintableOutput, is_terminal
from dovetail.corpus.label_studio import write_interface
from dovetail.errors import DataError
from dovetail.io.files import write_text
from dovetail.pipeline.choices import DECODINGS

if TYPE_CHECKING:
    from dovetail import Tagger
    from dovetail.pipeline import Pipeline

CHUNK_SIZE = 1000


@click.command("tag")
@click.argument("model")
@click.argument("sources", nargs=-1, metavar="[INPUT]...")
@input_options
@unit_option("as in training, or a line")
@click.option(
    "--output-format",
    type=click.Choice([*OUTPUTS, PARQUET]),
    help="By default that of the input, or CoNLL for CoNLL-U, feature text and a single Parquet "
    "file without --out.",
)
@click.option(
    "--output",
    "-o",
    default="-",
    metavar="FILE",
    help="Where to write; the file is written completely or not at all.",
)
@click.option(
    "--out",
    metavar="FOLDER",
    help="Tag any number of files into this folder, piece by piece; finished pieces are kept.",
)
@click.option("--marginals", is_flag=True, help="Add the probability of each label.")
@click.option("--nbest", type=click.IntRange(1), metavar="K", help="Give the K best labellings.")
@click.option(
    "--decode",
    type=click.Choice([*CHAIN_DECODINGS, *DECODINGS]),
    help="For a tagger: the most probable labelling (viterbi, the default), or the most probable "
    "label of each token (marginal). For a pipeline: how its layers are decoded, by default as it "
    "was trained.",
)
@click.option(
    "--spans", is_flag=True, help="For JSON lines and Parquet: add spans and their probabilities."
)
@click.option(
    "--uncertain-first",
    is_flag=True,
    help="Put the sequences that the model is least sure of first.",
)
@click.option(
    "--interface", metavar="FILE", help="For Label Studio: also write the labelling interface."
)
@click.option(
    "--chunk-size",
    type=click.IntRange(1),
    metavar="N",
    help=f"Sequences tagged at a time; with 1, each is answered at once.  [default: {CHUNK_SIZE}]",
)
@cluster_option
@force_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    model: str,
    sources: tuple[str, ...],
    format: str | None,
    columns: str | None,
    unit: str | None,
    output_format: str | None,
    output: str,
    out: str | None,
    interface: str | None,
    chunk_size: int | None,
    cluster: str | None,
    force: bool,
    **asked: Any,
) -> None:
    """Label sequences with a trained model.

    INPUT is a file or, by default, standard input. A .txt file is read as raw text, unless it is a
    table of tokens like the training data. Standard input is read as raw text if the model was
    trained on raw text; otherwise give --format. Input is tagged in chunks, so it may be of any
    length.

    CoNLL output has the columns of the input, then the predicted labels (with --marginals, also the
    probability of each). Raw text is written with its spans in brackets. With --output-format
    jsonl there is one object per sequence: its text and, for each span, the character offsets, the
    label, the text and the probability. With label-studio the output is tasks in which the spans
    are predictions with scores.

    For a pipeline, CoNLL output has a column for each layer and JSON lines have "layers"; text
    shows the last layer.

    With --out, any number of files is tagged into a folder: Parquet as Parquet, a file for every
    few row groups, anything else a file for each. After an interruption the same command does what
    is missing.

    On a terminal, text and CoNLL are shown as text in colours, stronger where the model is surer,
    unless --output-format conll, --marginals, --nbest or the environment variable NO_COLOR is
    given.
    """
    check_outputs((output, interface), (model, *sources), force=force)
    tagger = load(model)
    refuse_decoding(asked["decode"], tagger, model)
    paths = expand_folders(sources) if out is not None else [*sources] or ["-"]
    given = [_find_source(path, tagger, format, columns, unit) for path in paths]
    name = _find_output_format(given, output_format, out)
    if interface is not None and name != "label-studio":
        raise click.UsageError("--interface needs --output-format label-studio")
    shown = SHOWN_IN_PARQUET if name == PARQUET else OUTPUTS[name]
    if shown.is_text and any(source.format == CRFSUITE for source in given):
        raise click.UsageError(f"feature text holds no words that could be written as {name}")
    request = Request(format=shown, **asked)
    request.check()
    if cluster is not None and out is None:
        raise click.UsageError("--cluster needs --out")
    if out is not None:
        _refuse_pieces(tagger, request, paths, output)
        order = Order(model, request, name, chunk_size or CHUNK_SIZE)
        _tag_into_folder(ctx, out, order, given, cluster)
    else:
        plain = output_format in (None, "text")
        _tag_file(tagger, given[0], request, OUTPUTS[name], output, chunk_size, plain)
    if interface is not None:
        write_interface(span_types(tagger), interface)


def _find_source(
    path: str, model: Tagger | Pipeline, format: str | None, columns: str | None, unit: str | None
) -> Source:
    """A file, and how it is read for this model."""
    if format is None and columns is None:
        format = choose_format(path, model)
    source = Source.of(path, format, columns, unit)
    if source.format == "text" and unit is None:
        return replace(source, unit=unit_of_text(model))
    return source


def _find_output_format(
    sources: Sequence[Source], output_format: str | None, out: str | None
) -> str:
    formats = {source.format for source in sources}
    if out is None and len(sources) > 1:
        raise click.UsageError("several files are tagged into a folder: give --out")
    if out is None and output_format == PARQUET:
        raise click.UsageError("Parquet is written into a folder: give --out")
    if output_format is not None:
        return output_format
    if len(formats) > 1:
        raise click.UsageError(
            f"there are files of several formats, {', '.join(sorted(formats))}: give "
            "--output-format"
        )
    able = [*OUTPUTS] if out is None else [*OUTPUTS, PARQUET]
    return next((name for name in able if name in formats), "conll")


def _tag_file(
    model: Tagger | Pipeline,
    source: Source,
    request: Request,
    written: OutputFormat,
    output: str,
    chunk_size: int | None,
    colours: bool,
) -> None:
    """Tag a file or standard input; ``colours`` are wanted where a terminal shows words."""
    on_terminal = is_terminal(output)
    in_colours = colours and on_terminal and written in (OUTPUTS["conll"], OUTPUTS["text"])
    if in_colours and request.suits_colours(source):
        from dovetail.cli.outputs.colours import COLOURS  # rich, which only terminals need

        written, request = COLOURS, replace(request, format=COLOURS)
    if chunk_size is None:
        chunk_size = 1 if source.path == "-" and sys.stdin.isatty() else CHUNK_SIZE
        if reads_whole_corpora(model) or request.uncertain_first:
            chunk_size = sys.maxsize
    elif request.uncertain_first:
        raise click.UsageError("--uncertain-first needs all sequences: leave out --chunk-size")
    with write_text(output) as opened:
        safe = written not in OUTPUTS.values() or not on_terminal
        file: Any = opened if safe else PrintableOutput(opened)
        write_answers(model, read_batches(source, chunk_size, model), request, written, file)


def _refuse_pieces(
    model: Tagger | Pipeline, request: Request, paths: Sequence[str], output: str
) -> None:
    """Refuse what cannot be done piece by piece."""
    if not paths or "-" in paths:
        raise click.UsageError("--out takes files, not standard input")
    if output != "-":
        raise click.UsageError("--out and --output do not go together")
    if request.uncertain_first:
        raise click.UsageError("--uncertain-first needs all sequences: leave out --out")
    if reads_whole_corpora(model):
        raise DataError(
            "this model reads all of the text that it tags, so it cannot be tagged piece by piece: "
            "leave out --out"
        )


def _tag_into_folder(
    ctx: click.Context, out: str, order: Order, sources: Sequence[Source], cluster: str | None
) -> None:
    folder = TaggedFolder(out, order, find_pieces(sources, out, order.format))
    total = len(folder.pieces)
    done = kept = total - len(folder.waiting)

    def show(piece: Piece) -> None:
        nonlocal done
        done += 1
        click.echo(f"{done} of {total}: {click.format_filename(piece.target)}", err=True)

    try:
        with open_workers(cluster) as workers:
            folder.fill(show, workers)
    except KeyboardInterrupt:
        click.echo(
            f"dovetail: interrupted with {done} of {total} pieces done, which are kept in {out}; "
            "the same command does the rest",
            err=True,
        )
        ctx.exit(INTERRUPTED)
    folder.clean()
    again = f", {kept} of them before" if kept else ""
    click.echo(f"{out}  {order.format}, {total} pieces{again}", err=True)
