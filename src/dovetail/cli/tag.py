"""``dovetail tag``: labels for sequences as they stream by."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Batch, Source, input_options, unit_option
from dovetail.cli.layered import tag_in_layers
from dovetail.cli.models import (
    CHAIN_DECODINGS,
    has_spans,
    load,
    reads_whole_corpora,
    refuse_decoding,
    rename_as_trained,
    unit_of_text,
)
from dovetail.cli.outputs import OUTPUTS, LayeredResult, OutputFormat, Result
from dovetail.corpus import Corpus
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
@unit_option("what it was in training, or a line")
@click.option(
    "--output-format",
    type=click.Choice([*OUTPUTS]),
    help="By default that of the input, and CoNLL for CoNLL-U and feature text.",
)
@click.option("--output", "-o", default="-", metavar="FILE", help="Written whole or not at all.")
@click.option("--marginals", is_flag=True, help="Say how probable the labels are.")
@click.option("--nbest", type=click.IntRange(1), metavar="K", help="The K best labellings.")
@click.option(
    "--decode",
    type=click.Choice([*CHAIN_DECODINGS, *DECODINGS]),
    help="Of a tagger: the most probable labelling (viterbi, the default), or each token's most "
    "probable label. Of a pipeline: how its layers hang together; by default as it was trained.",
)
@click.option("--spans", is_flag=True, help="JSON lines: add spans, with their probabilities.")
@click.option(
    "--chunk-size",
    type=click.IntRange(1),
    metavar="N",
    help=f"Sequences tagged at a time; 1 answers each at once.  [default: {CHUNK_SIZE}]",
)
def command(
    model: str,
    source: str,
    format: str | None,
    columns: str | None,
    unit: str | None,
    output_format: str | None,
    output: str,
    chunk_size: int | None,
    **asked: Any,
) -> None:
    """Label sequences with a trained model.

    INPUT is a file or, by default, standard input. It is tagged in chunks, so it may be of any
    length. CoNLL output has the columns of the input, then the predicted labels (and with
    --marginals the probability of each). Plain text gives text with the spans in brackets, or with
    --output-format jsonl an object a sequence: its text, and of each span where it starts and ends
    in it (in characters), its label, its text and its probability.

    Of a pipeline, CoNLL output has a column for each layer and JSON lines have "layers"; text shows
    the last layer.
    """
    given = Source.of(source, format, columns, unit)
    name = output_format or (given.format if given.format in OUTPUTS else "conll")
    written = OUTPUTS[name]
    if written.is_text and given.format == CRFSUITE:
        raise click.UsageError(f"feature text holds no words that could be written as {name}")
    request = Request(format=written, **asked)
    request.check()
    tagger = load(model)
    refuse_decoding(request.decode, tagger, model)
    if given.format == "text" and unit is None:
        given = replace(given, unit=unit_of_text(tagger))
    if chunk_size is None:
        chunk_size = 1 if source == "-" and sys.stdin.isatty() else CHUNK_SIZE
        if reads_whole_corpora(tagger):
            chunk_size = sys.maxsize
    write: Callable[[Corpus, Any, TextIO], None] = (
        written.write if isinstance(tagger, Tagger) else written.write_layered
    )

    def renamed(corpus: Corpus) -> Corpus:
        if given.format != "conll" or columns is not None:
            return corpus
        return rename_as_trained(corpus, tagger)

    with write_text(output) as file:
        before = 0
        for batch in given.batches(chunk_size, renamed):
            results = _answer(tagger, batch, request, before)
            if written.is_text and before and batch.corpus.document_bounds is not None:
                file.write("\n")
            write(batch.corpus, results, file)
            file.flush()
            before += len(batch.corpus)


@dataclass(frozen=True)
class Request:
    """What is to be said of each sequence, and in which format."""

    format: OutputFormat
    marginals: bool
    nbest: int | None
    decode: str | None
    spans: bool

    def check(self) -> None:
        """Refuse what does not go together."""
        other = self.decode not in (None, "viterbi", "joint")
        if self.nbest is not None and (self.marginals or self.spans or other):
            raise click.UsageError("--nbest does not go with --marginals, --spans or --decode")
        if self.spans and self.format.spans != "on request":
            able = [name for name, format in OUTPUTS.items() if format.spans == "on request"]
            raise click.UsageError(f"--spans needs --output-format {' or '.join(able)}")

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


def _tag(tagger: Tagger, batch: Batch, request: Request) -> list[Result]:
    """No more is computed than will be shown."""
    decode: Any = request.decode or "viterbi"
    spans_too = request.wants_spans(batch.corpus) and has_spans(tagger)
    if request.nbest is not None:
        ranked = tagger.predict_nbest(batch.data, request.nbest)
        return [Result(best[0][0], spans=[] if spans_too else None, nbest=best) for best in ranked]
    if not (spans_too or request.marginals):
        return [Result(labels) for labels in tagger.predict(batch.data, decode=decode)]
    taggings = tagger.tag(batch.data, decode=decode)
    results = [
        Result(
            tagging.labels,
            confidences=tagging.confidences if request.marginals else None,
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
        spans=request.format.spans == "always"
        or (request.nbest is None and request.wants_spans(batch.data)),
        confidences=request.marginals,
        nbest=request.nbest,
    )
