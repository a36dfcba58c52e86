"""``dovetail tag``: labels for sequences as they stream by."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from dovetail import Tagger
from dovetail.cli.inputs import (
    CRFSUITE,
    Batch,
    Source,
    input_options,
    unit_option,
)
from dovetail.cli.layered import tag_in_layers
from dovetail.cli.models import (
    CHAIN_DECODINGS,
    has_spans,
    load,
    reads_whole_corpora,
    refuse_decoding,
    refuse_wide_table,
    rename_as_trained,
    span_types,
    unit_of_text,
)
from dovetail.cli.outputs import OUTPUTS, LayeredResult, OutputFormat, Result, best_spans
from dovetail.cli.raw_text import choose_format
from dovetail.cli.targets import check_outputs, force_option
from dovetail.cli.terminal import PrintableOutput, is_terminal, wants_colours
from dovetail.corpus import Corpus
from dovetail.corpus.label_studio import write_interface
from dovetail.errors import DataError
from dovetail.io.files import write_text
from dovetail.pipeline.choices import DECODINGS

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

CHUNK_SIZE = 1000


@click.command("tag")
@click.argument("model")
@click.argument("source", default="-", metavar="[INPUT]")
@input_options
@unit_option("as in training, or a line")
@click.option(
    "--output-format",
    type=click.Choice([*OUTPUTS]),
    help="By default that of the input, or CoNLL for CoNLL-U and feature text.",
)
@click.option(
    "--output",
    "-o",
    default="-",
    metavar="FILE",
    help="Where to write; the file is written completely or not at all.",
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
@click.option("--spans", is_flag=True, help="For JSON lines: add spans and their probabilities.")
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
@force_option
def command(
    model: str,
    source: str,
    format: str | None,
    columns: str | None,
    unit: str | None,
    output_format: str | None,
    output: str,
    interface: str | None,
    chunk_size: int | None,
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

    On a terminal, text and CoNLL are shown as text in colours, stronger where the model is surer,
    unless --output-format conll, --marginals, --nbest or the environment variable NO_COLOR is
    given.
    """
    check_outputs((output, interface), (model, source), force=force)
    tagger = load(model)
    if format is None and columns is None:
        format = choose_format(source, tagger)
    given = Source.of(source, format, columns, unit)
    name = output_format or (given.format if given.format in OUTPUTS else "conll")
    written = OUTPUTS[name]
    if written.is_text and given.format == CRFSUITE:
        raise click.UsageError(f"feature text holds no words that could be written as {name}")
    request = Request(format=written, **asked)
    request.check()
    on_terminal = is_terminal(output)
    if on_terminal and name in ("conll", "text") and output_format in (None, "text"):
        request = request.in_colours(given)
        written = request.format
    if interface is not None and name != "label-studio":
        raise click.UsageError("--interface needs --output-format label-studio")
    refuse_decoding(request.decode, tagger, model)
    if given.format == "text" and unit is None:
        given = replace(given, unit=unit_of_text(tagger))
    if chunk_size is None:
        chunk_size = 1 if source == "-" and sys.stdin.isatty() else CHUNK_SIZE
        if reads_whole_corpora(tagger) or request.uncertain_first:
            chunk_size = sys.maxsize
    elif request.uncertain_first:
        raise click.UsageError("--uncertain-first needs all sequences: leave out --chunk-size")
    write: Callable[[Corpus, Any, TextIO], None] = (
        written.write if isinstance(tagger, Tagger) else written.write_layered
    )

    def renamed(corpus: Corpus) -> Corpus:
        if given.format != "conll" or columns is not None:
            return corpus
        if given.is_guess_of_text:
            refuse_wide_table(corpus, tagger, given.path)
        return rename_as_trained(corpus, tagger)

    with write_text(output) as opened:
        in_colours = written not in OUTPUTS.values()
        file: Any = PrintableOutput(opened) if on_terminal and not in_colours else opened
        before = 0
        file.write(written.before)
        for batch in given.batches(chunk_size, renamed):
            results = _answer(tagger, batch, request, before)
            table = batch.corpus
            if request.uncertain_first:
                table, results = _sort(table, results, request)
            if before:
                file.write(written.between)
            if written.is_text and before and batch.corpus.document_bounds is not None:
                file.write("\n")
            write(table, results, file)
            file.flush()
            before += len(batch.corpus)
        file.write(written.after)
    if interface is not None:
        write_interface(span_types(tagger), interface)


@dataclass(frozen=True)
class Request:
    """What is to be said of each sequence, and in which format."""

    format: OutputFormat
    marginals: bool
    nbest: int | None
    decode: str | None
    spans: bool
    uncertain_first: bool

    def check(self) -> None:
        """Refuse what does not go together."""
        other = self.decode not in (None, "viterbi", "joint")
        if self.nbest is not None and (self.marginals or self.uncertain_first or other):
            raise click.UsageError(
                "--nbest does not go with --marginals, --uncertain-first or --decode"
            )
        if self.spans and self.format.spans != "on request":
            able = [name for name, format in OUTPUTS.items() if format.spans == "on request"]
            raise click.UsageError(f"--spans needs --output-format {' or '.join(able)}")

    def in_colours(self, source: Source) -> Request:
        """The same as text in colours, unless more is asked for than that shows."""
        more = self.marginals or self.nbest is not None or source.format == CRFSUITE
        if more or not wants_colours():
            return self
        from dovetail.cli.outputs.colours import COLOURS  # rich, which only terminals need

        return replace(self, format=COLOURS)

    @property
    def wants_confidences(self) -> bool:
        """Whether the probabilities of the labels will be used, or shown."""
        return self.marginals or self.uncertain_first or self.format.confidences

    def wants_spans(self, corpus: Corpus) -> bool:
        """Whether spans will be shown, if the labels write any."""
        has_text = self.format.spans == "on request" and corpus.offsets is not None
        return self.format.spans == "always" or self.spans or has_text


def _answer(
    model: Tagger | Pipeline, batch: Batch, request: Request, before: int
) -> Sequence[Result] | Sequence[LayeredResult]:
    try:
        if isinstance(model, Tagger):
            return _tag(model, batch, request)
        return _tag_in_layers(model, batch, request)
    except DataError as error:
        if not before:
            raise
        raise DataError(f"after {before} sequences: {error}") from None


def _sort(corpus: Corpus, results: Sequence[Any], request: Request) -> tuple[Corpus, Sequence[Any]]:
    """Sequences in the order of their certainty; confidences that were needed only for this, and
    documents, which lie scattered now, are dropped."""
    certainties = [result.certainty or 0.0 for result in results]
    order = sorted(range(len(results)), key=certainties.__getitem__)
    shown = corpus.select(order)
    table = Corpus(shown.columns, shown.bounds, texts=shown.texts, offsets=shown.offsets)
    keep = request.marginals or request.format.confidences
    return table, [results[i] if keep else results[i].without_confidences() for i in order]


def _tag(tagger: Tagger, batch: Batch, request: Request) -> list[Result]:
    """No more is computed than will be shown."""
    decode: Any = request.decode or "viterbi"
    spans_too = request.wants_spans(batch.corpus) and has_spans(tagger)
    if request.nbest is not None:
        ranked = tagger.predict_nbest(batch.data, request.nbest)
        return [
            Result(best[0][0], spans=best_spans(best[0][0]) if spans_too else None, nbest=best)
            for best in ranked
        ]
    if not (spans_too or request.wants_confidences):
        return [Result(labels) for labels in tagger.predict(batch.data, decode=decode)]
    taggings = tagger.tag(batch.data, decode=decode)
    results = [
        Result(
            tagging.labels,
            confidences=tagging.confidences if request.wants_confidences else None,
            spans=tagging.spans if spans_too else None,
        )
        for tagging in taggings
    ]
    if request.marginals and request.format.marginals:
        marginals = tagger.predict_marginals(batch.data)
        return [replace(r, marginals=m) for r, m in zip(results, marginals, strict=True)]
    return results


def _tag_in_layers(pipeline: Pipeline, batch: Batch, request: Request) -> list[LayeredResult]:
    if not isinstance(batch.data, Corpus):
        raise DataError("feature text holds no words, which are what a pipeline reads")
    decode: Any = request.decode
    return tag_in_layers(
        pipeline,
        batch.data,
        decode=decode,
        spans=request.wants_spans(batch.data),
        confidences=request.wants_confidences,
        nbest=request.nbest,
    )
