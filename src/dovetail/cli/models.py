"""What the commands need to know of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import dovetail
from dovetail import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.labels import split_label
from dovetail.errors import DataError, ModelFileError
from dovetail.pipeline.choices import DECODINGS

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

CHAIN_DECODINGS = ("viterbi", "marginal")


def load(path: str) -> Tagger | Pipeline:
    """The tagger or the pipeline in a file, or a model of another program's as a tagger; a linear
    tagger is a pipeline of its own."""
    opened: Any = dovetail.load(path)
    if isinstance(opened, Tagger) or opened.kind == "pipeline":
        return opened  # type: ignore[no-any-return]
    from dovetail.pipeline import Pipeline
    from dovetail.pipeline.layers.linear import is_linear_tagger

    if not is_linear_tagger(opened):
        raise ModelFileError(
            f"{path} holds a {opened.kind}, which gives no labels: put it before a tagger in a "
            "pipeline"
        )
    return Pipeline({opened.label_column_: opened}, decode="cascade")


def refuse_decoding(decode: str | None, model: Tagger | Pipeline, path: str) -> None:
    """Taggers and pipelines are decoded in different ways."""
    single = isinstance(model, Tagger)
    known = CHAIN_DECODINGS if single else DECODINGS
    if decode is not None and decode not in known:
        what = "a single tagger" if single else "a pipeline"
        raise DataError(f"{path} holds {what}: --decode is one of {', '.join(known)}, not {decode}")


def has_spans(tagger: Tagger) -> bool:
    """Whether the labels write spans, as B-PER does, or are plain, as NN is."""
    return bool(tagger.model_.facts["scheme"] != "none")


def span_types(model: Tagger | Pipeline) -> set[str]:
    """The types of the spans that a model, or its last layer, can find."""
    labels = model.labels_ if isinstance(model, Tagger) else list(model.layers[-1].labels)
    return {split_label(label)[1] for label in labels if label != "O"}


def reads_raw_text(model: Tagger | Pipeline) -> bool:
    """Whether a model, or its last tagger, was trained on raw text, cut as we cut it."""
    trained = [model] if isinstance(model, Tagger) else _taggers(model)[-1:]
    return any(tagger.model_.facts.get("tokens") == "words" for tagger in trained)


def unit_of_text(model: Tagger | Pipeline) -> str | None:
    """What was one sequence of the raw text that a model, or its last tagger, was trained on."""
    trained = [model] if isinstance(model, Tagger) else _taggers(model)[-1:]
    units: list[str | None] = [tagger.model_.facts.get("unit") for tagger in trained]
    return units[0] if units else None


def known_columns(model: Tagger | Pipeline) -> list[Sequence[str]]:
    """What a model reads, and then the columns that its training data had."""
    if isinstance(model, Tagger):
        return [_input_columns(model), model.model_.facts.get("columns", ())]
    return [*_pipeline_columns(model)]


def known_labels(model: Tagger | Pipeline) -> set[str]:
    """All labels that a model, or a layer of it, can give."""
    if isinstance(model, Tagger):
        return set(model.labels_)
    return {label for layer in model.layers for label in layer.labels}


def refuse_wide_table(corpus: Corpus, model: Tagger | Pipeline, path: str) -> None:
    """Refuse a table with more columns than the training data had."""
    widest = max(map(len, known_columns(model)))
    if len(corpus.names) > widest > 0:
        raise DataError(
            f"{path}, read as CoNLL, has {len(corpus.names)} columns where the training data had "
            f"{widest}: name them with --columns"
        )


def rename_as_trained(corpus: Corpus, model: Tagger | Pipeline) -> Corpus:
    """A corpus with default column names under the names that a model was trained with.

    The columns must stand in the order of the training data; the label column may be missing.
    """
    inputs, *others = known_columns(model)
    names = corpus.names
    if set(inputs) <= set(names):
        return corpus
    known = next((known for known in (inputs, *others) if len(known) == len(names)), None)
    if known is None:
        raise DataError(
            f"the data has {len(names)} columns where the model reads {', '.join(inputs)}: "
            "name them with --columns"
        )
    return Corpus(
        dict(zip(known, corpus.columns.values(), strict=True)),
        corpus.bounds,
        document_bounds=corpus.document_bounds,
        offsets=corpus.offsets,
        texts=corpus.texts,
    )


def _input_columns(tagger: Tagger) -> list[str]:
    spec = tagger.model_.facts["features"] or {}
    return list(spec.get("columns", ()))


def label_column(annotator: Any) -> str | None:
    """The column that a layer of a pipeline was trained on, if it was."""
    trained = _trained_on(annotator)
    return None if trained is None else trained[0]


def _trained_on(annotator: Any) -> tuple[str | None, list[str]] | None:
    """The label column of the data that a layer was trained on, and all its columns."""
    from dovetail.pipeline.layers.conversion import taggers_of
    from dovetail.pipeline.layers.linear import is_linear_tagger

    if is_linear_tagger(annotator):
        return annotator.label_column_, list(annotator.training_.get("columns", ()))
    for tagger in taggers_of(annotator)[-1:]:
        return tagger.label_column_, list(tagger.model_.facts.get("columns", ()))
    return None


def _taggers(pipeline: Pipeline) -> list[Tagger]:
    from dovetail.pipeline.layers.conversion import taggers_of

    return [tagger for name in pipeline.names for tagger in taggers_of(pipeline[name])]


def _pipeline_columns(pipeline: Pipeline) -> list[list[str]]:
    """The columns that nothing here writes, and those of the data that the last tagger was trained
    on: as it was, and without what the pipeline adds.
    """
    from dovetail.pipeline.decode.inputs import input_columns
    from dovetail.pipeline.representations import find_columns

    inputs = input_columns(pipeline.layers, pipeline.representations)
    known = [_trained_on(pipeline[name]) for name in pipeline.names]
    last = next((one for one in reversed(known) if one is not None), None)
    if last is None:
        return [inputs]
    label, trained = last
    others = {name for name in pipeline.names if name != label}
    others |= set(find_columns(pipeline.representations))
    while trained and trained[-1] in others:  # what the pipeline added for its training
        trained.pop()
    bare = [name for name in trained if name not in others]
    ordered = sorted(inputs, key=lambda name: bare.index(name) if name in bare else len(bare))
    return [ordered, trained, bare]


def reads_whole_corpora(model: Tagger | Pipeline) -> bool:
    """Whether what a model says of a sequence depends on others that are tagged with it."""
    return any(one.reads_corpus_ for one in getattr(model, "representations", ()))
