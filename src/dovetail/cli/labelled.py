"""Labels that data has, beside those that models give to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Source
from dovetail.cli.models import label_column, rename_as_trained
from dovetail.corpus import Corpus, detect_scheme
from dovetail.corpus.schemes import write_in_scheme
from dovetail.errors import DataError

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline
    from dovetail.review import Tagged


class Labelled(NamedTuple):
    """Given and predicted labels of the same tokens, and where documents begin, if known.

    ``words`` are those of the text, if it has any. For a review of errors there is also all that
    the model says of them.
    """

    gold: list[list[str]]
    predicted: list[list[str]]
    document_bounds: Any = None
    unknown: Mapping[str, int] = MappingProxyType({})  # given labels unknown to the model: counts
    words: Sequence[Sequence[str | None]] = ()
    tagged: Sequence[Tagged] = ()


def label_by_tagger(
    tagger: Tagger, source: Source, label: str | None, decode: Any, *, for_review: bool
) -> Labelled:
    """What a tagger says of labelled data."""
    data: Corpus | list[Any]
    words: list[list[str | None]]
    bounds = None
    if source.format == CRFSUITE:
        data, gold = source.read_features()
        words = [[str(number) for number in range(1, len(labels) + 1)] for labels in gold]
    else:
        data = read_as_trained(source, tagger)
        gold = complete_labels(data, label or find_label_column(data, tagger, source))
        words, bounds = data.lists(data.names[0]), data.document_bounds
    if for_review:
        tagged = tagger.tag(data, decode=decode)
        found = Labelled(gold, [one.labels for one in tagged], bounds, words=words, tagged=tagged)
    else:
        known = () if source.format == CRFSUITE else words
        found = Labelled(gold, tagger.predict(data, decode=decode), bounds, words=known)
    found = found._replace(gold=write_in_scheme(gold, tagger.model_.facts["scheme"]))
    return found._replace(unknown=_unknown_labels(tagger.labels_, found.gold, source.path))


def label_by_layers(
    pipeline: Pipeline, source: Source, label: str | None, *, for_review: bool
) -> dict[str, Labelled]:
    """What each layer of a pipeline says that the data has a column for."""
    if source.format == CRFSUITE:
        raise DataError("feature text holds no words, which are what a pipeline reads")
    data = read_as_trained(source, pipeline)
    columns = {name: name.partition("@")[0] for name in pipeline.names}
    columns = {name: column for name, column in columns.items() if column in data.names}
    last = pipeline.names[-1]
    if label is not None:
        columns[last] = label
    elif last not in columns:
        usual = find_label_column(data, pipeline, source)
        if usual in data.names and (usual == label_column(pipeline[last]) or not columns):
            columns[last] = usual
    if not columns:
        raise DataError(
            f"{source.path} has no column of {', '.join(pipeline.names)} to compare with (it has "
            f"{', '.join(data.names)}): name its columns with --columns, or the last one's --label"
        )
    gold = {
        name: complete_labels(data, columns[name]) for name in pipeline.names if name in columns
    }
    known = {layer.name: list(layer.labels) for layer in pipeline.layers}
    if for_review:
        tagged = pipeline.tag(data)
        layers = {name: [one.layers[name] for one in tagged] for name in gold}
        found = {
            name: Labelled(
                given,
                [one.labels for one in layers[name]],
                words=data.lists(data.names[0]),
                tagged=layers[name],
            )
            for name, given in gold.items()
        }
    else:
        labels = pipeline.predict(data)
        words = data.lists(data.names[0])
        found = {name: Labelled(given, labels[name], words=words) for name, given in gold.items()}
    found = {name: _in_scheme_of_layer(one, pipeline, name) for name, one in found.items()}
    return {
        name: one._replace(
            document_bounds=data.document_bounds,
            unknown=_unknown_labels(
                known[name], one.gold, f"{source.path}, column '{columns[name]}'"
            ),
        )
        for name, one in found.items()
    }


def _in_scheme_of_layer(found: Labelled, pipeline: Pipeline, name: str) -> Labelled:
    """Given labels in the scheme of a layer; one that is no tagger shows it by what it says."""
    model: Any = pipeline[name]
    is_tagger = isinstance(model, Tagger)
    scheme = model.model_.facts["scheme"] if is_tagger else detect_scheme(found.predicted)
    return found._replace(gold=write_in_scheme(found.gold, scheme))


def read_as_trained(source: Source, model: Tagger | Pipeline) -> Corpus:
    """Data with the names of columns that a model was trained with."""
    data = source.read()
    if source.format == "conll" and source.columns is None:
        data = rename_as_trained(data, model)
    return data


def find_label_column(corpus: Corpus, model: Tagger | Pipeline | None, source: Source) -> str:
    """The column that a model was trained on; of a table without names, else the last."""
    if model is None:
        return corpus.names[-1]
    own = model.label_column_ if isinstance(model, Tagger) else label_column(model[model.names[-1]])
    has_names = source.format != "conll" or source.columns is not None
    if own is not None and (own in corpus.names or has_names):
        return own
    return corpus.names[-1]


def complete_labels(corpus: Corpus, name: str) -> list[list[str]]:
    """A column of labels, none of which may be missing."""
    labels = corpus.lists(name)
    for number, values in enumerate(labels, 1):
        if None in values:
            token = values.index(None) + 1
            raise DataError(f"sequence {number}, token {token}: column {name!r} has no label")
    return cast("list[list[str]]", labels)


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
