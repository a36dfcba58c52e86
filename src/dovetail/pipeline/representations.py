"""Representations in a pipeline: inputs that are added to all data before any layer reads it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dovetail.base.representation import Representation
from dovetail.data import iterate
from dovetail.errors import DataError, DovetailError, ModelFileError
from dovetail.io.loading import load
from dovetail.io.model_file import ModelFile, Source
from dovetail.pipeline.layers.layer import Layer, make_layers

if TYPE_CHECKING:
    from dovetail.corpus import Corpus
    from dovetail.features import Template

logger = logging.getLogger(__name__)


def split_representations(
    given: Mapping[str, Any] | Sequence[Any], weights: Mapping[str, float] | None
) -> tuple[list[Layer], list[Representation]]:
    """The layers and the representations that a pipeline is made of."""
    if isinstance(given, Mapping):
        for name, one in given.items():
            if isinstance(one, Representation) and name != one.name_:
                raise DataError(
                    f"the representation '{name}' calls its column '{one.name_}': use one name "
                    f"for both, by name='{name}' when it is made"
                )
        found = [one for one in given.values() if isinstance(one, Representation)]
        rest: Any = {
            name: one for name, one in given.items() if not isinstance(one, Representation)
        }
    else:
        given = list(iterate(given, "give layers by their names, or a list of them"))
        found = [one for one in given if isinstance(one, Representation)]
        rest = [one for one in given if not isinstance(one, Representation)]
    layers = make_layers(rest, weights)
    _check_columns(found, {layer.name for layer in layers})
    return layers, found


def _check_columns(representations: Sequence[Representation], tasks: set[str]) -> None:
    seen: set[str] = set()
    for one in representations:
        for name in one.names_:
            if name in tasks or name in seen:
                other = "a task" if name in tasks else "another one"
                raise DataError(
                    f"the representation '{one.name_}' and {other} both write the column "
                    f"'{name}': give it another name when it is made"
                )
        if not tasks.isdisjoint(one.reads_):
            raise DataError(
                f"the representation '{one.name_}' reads the column '{one.reads_[0]}', which a "
                "task writes: it can read only what the data has"
            )
        seen.update(one.names_)


def open_representation(source: Source | ModelFile) -> Representation:
    """The representation in a file, or in bytes; the structure that tasks share counts as one."""
    opened = load(source)
    if not isinstance(opened, Representation):
        name = source if isinstance(source, str | os.PathLike) else "the model"
        raise ModelFileError(f"{name} holds a {opened.kind}, not a representation")
    return opened


def find_columns(representations: Iterable[Representation]) -> tuple[str, ...]:
    """All columns that they write."""
    return tuple(name for one in representations for name in one.names_)


def find_auto_columns(representations: Iterable[Representation]) -> tuple[str, ...]:
    """Columns whose value is to be chosen where a tagger that reads them is trained."""
    return find_columns(one for one in representations if one.chooses_value_)


def extend_template(template: Template, representations: Iterable[Representation]) -> Template:
    """A template that also reads what representations write."""
    more = [expression for one in representations for expression in one.expressions_]
    return template.with_features(*more)


def add_representations(corpus: Corpus, representations: Iterable[Representation]) -> Corpus:
    """A corpus with the columns of all representations; those that are there stay as they are."""
    for one in representations:
        if not has_columns(corpus, one):
            try:
                corpus = one.annotate(corpus)
            except DovetailError as error:
                message = f"the representation '{one.name_}': {error}"
                raise type(error)(message) from None
    return corpus


def add_representations_to_all(
    corpora: Mapping[str, Corpus], representations: Sequence[Representation]
) -> dict[str, Corpus]:
    """The same for several corpora; what is one corpus remains one."""
    if not representations:
        return dict(corpora)
    made = {id(corpus): corpus for corpus in corpora.values()}
    made = {key: add_representations(corpus, representations) for key, corpus in made.items()}
    return {name: made[id(corpus)] for name, corpus in corpora.items()}


def find_corpus_readers(representations: Sequence[Representation]) -> Sequence[Representation]:
    """Those that must see a corpus before it is parted, and those whose columns these may read."""
    places = [place for place, one in enumerate(representations, start=1) if one.reads_corpus_]
    return representations[: max(places, default=0)]


def has_columns(corpus: Corpus, representation: Representation) -> bool:
    """Whether a corpus has all columns of a representation."""
    return set(representation.names_) <= set(corpus.names)


def find_added_columns(corpus: Corpus, representations: Iterable[Representation]) -> list[str]:
    """Columns that `add_representations` adds to a corpus."""
    return [name for name in find_columns(representations) if name not in corpus.names]


def remove_columns(corpus: Corpus, names: Iterable[str]) -> Corpus:
    """A corpus without these columns, as far as it has them."""
    for name in names:
        if name in corpus.names:
            corpus = corpus.without_column(name)
    return corpus


def note_leaks(
    representations: Sequence[Representation], corpora: Mapping[str, Corpus]
) -> list[str]:
    """Notes on representations that may have seen the labels which are to be learned."""
    notes = []
    for one in representations:
        tasks = [name for name, corpus in corpora.items() if not has_columns(corpus, one)]
        if one.biased_by_ and tasks:
            notes.append(
                f"the representation '{one.name_}' has learned from labels "
                f"({', '.join(one.biased_by_)}): if those of {' and '.join(tasks)} were among "
                "them, give that text with the columns of annotate_left_out or "
                "annotate_cross_fitted, or its tagger will trust them too much"
            )
            logger.info(notes[-1])
    return notes
