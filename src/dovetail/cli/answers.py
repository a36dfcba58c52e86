"""What a model is asked of each sequence, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Batch, Source
from dovetail.cli.layered import tag_in_layers
from dovetail.cli.models import has_spans, refuse_wide_table, rename_as_trained
from dovetail.cli.outputs import OUTPUTS, LayeredResult, OutputFormat, Result, Shown, best_spans
from dovetail.cli.terminal import wants_colours
from dovetail.corpus import Corpus
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

ON_REQUEST = ("with text", "on request")


@dataclass(frozen=True)
class Request:
    """What is to be said of each sequence, and in which format."""

    format: Shown
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
        if self.spans and self.format.spans not in ON_REQUEST:
            able = [name for name, format in OUTPUTS.items() if format.spans in ON_REQUEST]
            raise click.UsageError(f"--spans needs --output-format {' or '.join(able)}")

    def suits_colours(self, source: Source) -> bool:
        """Whether text in colours shows all that is asked for, and may be shown."""
        more = self.marginals or self.nbest is not None or source.format == CRFSUITE
        return not more and wants_colours()

    @property
    def wants_confidences(self) -> bool:
        """Whether the probabilities of the labels will be used, or shown."""
        return self.marginals or self.uncertain_first or self.format.confidences

    def wants_spans(self, corpus: Corpus) -> bool:
        """Whether spans will be shown, if the labels write any."""
        has_text = self.format.spans == "with text" and corpus.offsets is not None
        return self.format.spans == "always" or self.spans or has_text


def answer(
    model: Tagger | Pipeline, batch: Batch, request: Request, before: int
) -> Sequence[Result] | Sequence[LayeredResult]:
    """What a model says of sequences, ``before`` of which it has answered already."""
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


def write_answers(
    model: Tagger | Pipeline,
    batches: Iterable[Batch],
    request: Request,
    written: OutputFormat,
    file: TextIO,
) -> None:
    """Everything that a model says, batch after batch, as one file."""
    write: Callable[[Corpus, Any, TextIO], None] = (
        written.write if isinstance(model, Tagger) else written.write_layered
    )
    before = 0
    file.write(written.before)
    for batch in batches:
        results = answer(model, batch, request, before)
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


def read_batches(source: Source, size: int, model: Tagger | Pipeline) -> Iterator[Batch]:
    """What is in a file, as a model knows it: unnamed columns have the names of its training."""

    def rename(corpus: Corpus) -> Corpus:
        if source.format != "conll" or source.columns is not None:
            return corpus
        if source.is_guess_of_text:
            refuse_wide_table(corpus, model, source.path)
        return rename_as_trained(corpus, model)

    return source.batches(size, rename)


def _sort(corpus: Corpus, results: Sequence[Any], request: Request) -> tuple[Corpus, Sequence[Any]]:
    """Sequences in the order of their certainty; confidences that were needed only for this, and
    documents, which lie scattered now, are dropped."""
    certainties = [result.certainty or 0.0 for result in results]
    order = sorted(range(len(results)), key=certainties.__getitem__)
    shown = corpus.select(order)
    table = Corpus(shown.columns, shown.bounds, texts=shown.texts, offsets=shown.offsets)
    keep = request.marginals or request.format.confidences
    return table, [results[i] if keep else results[i].without_confidences() for i in order]
