"""``dovetail tag``: labels for sequences as they stream by."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Batch, Source, input_options, unit_option
from dovetail.cli.models import (
    CHAIN_DECODINGS,
    has_spans,
    load,
    named_as_trained,
    reads_whole_corpora,
    refuse_decoding,
    unit_of_text,
)
from dovetail.cli.outputs import Result, Writer, write_columns, write_inline, write_json
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.io.files import write_text
from dovetail.pipeline.choices import DECODINGS

if TYPE_CHECKING:
    from dovetail.cli.layered import LayeredResult
    from dovetail.pipeline import Pipeline

WRITERS: dict[str, Writer] = {"conll": write_columns, "jsonl": write_json, "text": write_inline}
USUAL_OUTPUT = {"text": "text", "jsonl": "jsonl"}
CHUNK_SIZE = 1000


@click.command("tag")
@click.argument("model")
@click.argument("source", default="-", metavar="[INPUT]")
@input_options
@unit_option("what it was in training, or a line")
@click.option(
    "--output-format",
    type=click.Choice([*WRITERS]),
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
    **wishes: Any,
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
    kind = output_format or USUAL_OUTPUT.get(given.format, "conll")
    if kind == "text" and given.format == CRFSUITE:
        raise click.UsageError("feature text holds no words that could be written as text")
    wish = Wish(kind=kind, **wishes)
    wish.check()
    tagger = load(model)
    refuse_decoding(wish.decode, tagger, model)
    if given.format == "text" and unit is None:
        given = replace(given, unit=unit_of_text(tagger))
    if chunk_size is None:
        chunk_size = 1 if source == "-" and sys.stdin.isatty() else CHUNK_SIZE
        if reads_whole_corpora(tagger):
            chunk_size = sys.maxsize
    write = _writer(tagger, kind)

    def renamed(corpus: Corpus) -> Corpus:
        if given.format != "conll" or columns is not None:
            return corpus
        return named_as_trained(corpus, tagger)

    with write_text(output) as file:
        before = 0
        for batch in given.batches(chunk_size, renamed):
            results = _results(tagger, batch, wish, before)
            if kind == "text" and before and batch.corpus.document_bounds is not None:
                file.write("\n")
            write(batch.corpus, results, file)
            file.flush()
            before += len(batch.corpus)


@dataclass(frozen=True)
class Wish:
    """What is to be said of each sequence."""

    kind: str
    marginals: bool
    nbest: int | None
    decode: str | None
    spans: bool

    def check(self) -> None:
        """Refuse what does not go together."""
        other = self.decode not in (None, "viterbi", "joint")
        if self.nbest is not None and (self.marginals or self.spans or other):
            raise click.UsageError("--nbest does not go with --marginals, --spans or --decode")
        if self.spans and self.kind != "jsonl":
            raise click.UsageError("--spans needs --output-format jsonl")

    def wants_spans(self, corpus: Corpus) -> bool:
        """Whether spans will be shown, if the labels write any."""
        has_text = self.kind == "jsonl" and corpus.offsets is not None
        return self.kind == "text" or self.spans or has_text


def _results(
    model: Tagger | Pipeline, batch: Batch, wish: Wish, before: int
) -> Sequence[Result] | Sequence[LayeredResult]:
    try:
        if isinstance(model, Tagger):
            return _tagged(model, batch, wish)
        return _tagged_in_layers(model, batch, wish)
    except DataError as error:
        if not before:
            raise
        raise DataError(f"after {before} sequences: {error}") from None


def _writer(model: Tagger | Pipeline, kind: str) -> Callable[[Corpus, Any, TextIO], None]:
    if isinstance(model, Tagger):
        return WRITERS[kind]
    from dovetail.cli.layered import LAYERED_WRITERS

    return LAYERED_WRITERS[kind]


def _tagged(tagger: Tagger, batch: Batch, wish: Wish) -> list[Result]:
    """No more is computed than will be shown."""
    decode: Any = wish.decode or "viterbi"
    spans_too = wish.wants_spans(batch.corpus) and has_spans(tagger)
    if wish.nbest is not None:
        ranked = tagger.predict_nbest(batch.data, wish.nbest)
        return [Result(best[0][0], spans=[] if spans_too else None, nbest=best) for best in ranked]
    if not (spans_too or wish.marginals):
        return [Result(labels) for labels in tagger.predict(batch.data, decode=decode)]
    taggings = tagger.tag(batch.data, decode=decode)
    results = [
        Result(
            tagging.labels,
            confidences=tagging.confidences if wish.marginals else None,
            spans=tagging.spans if spans_too else None,
        )
        for tagging in taggings
    ]
    if wish.marginals and wish.kind == "jsonl":
        marginals = tagger.predict_marginals(batch.data)
        return [replace(r, marginals=m) for r, m in zip(results, marginals, strict=True)]
    return results


def _tagged_in_layers(pipeline: Pipeline, batch: Batch, wish: Wish) -> list[LayeredResult]:
    from dovetail.cli.layered import layered_results

    if not isinstance(batch.data, Corpus):
        raise DataError("feature text holds no words, which are what a pipeline reads")
    decode: Any = wish.decode
    return layered_results(
        pipeline,
        batch.data,
        decode=decode,
        spans=wish.kind == "text" or (wish.nbest is None and wish.wants_spans(batch.data)),
        confidences=wish.marginals,
        nbest=wish.nbest,
    )
