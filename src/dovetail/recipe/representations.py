"""Representations in a recipe: what they learn from, or the file or package they come from.

[[representation]]
kind = "hmm"
text = ["news.conll", "novels.conll"]
states = 40
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dovetail.base.representation import Representation
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.corpus.formats import read_filled
from dovetail.errors import DovetailError
from dovetail.pipeline.representations import add_representations, has_columns, open_representation
from dovetail.recipe.description import Description, RepresentationSpec
from dovetail.recipe.structures import build_structure, mask_columns, read_structure_text
from dovetail.representation import Consistency, WordVectors, ready_made
from dovetail.representation.build import make_representation, select_text, train_representation

logger = logging.getLogger(__name__)

Select = Callable[[RepresentationSpec, Corpus], Corpus]
"""What a representation may learn from, of the text that it names."""


def build_representation(
    spec: RepresentationSpec,
    threads: int | None,
    seed: int,
    build_first: Callable[[str], tuple[Tagger, str]],
) -> Representation:
    """The representation; what is learned from text is not trained yet. ``build_first`` builds a
    tagger like that of a task, and says which column it learns."""
    if spec.model is not None:
        return open_representation(spec.model)
    if spec.task is not None:
        tagger, label = build_first(spec.task)
        return Consistency(tagger, label=label, **spec.settings)
    if spec.ready is not None:
        return ready_made(spec.ready, **spec.settings)
    if spec.kind == "structure":
        return build_structure(spec, threads)
    settings = {"seed": seed, **spec.settings}
    if spec.vectors is not None:
        return WordVectors.read(spec.vectors, **settings)
    if spec.kind != "classes":
        settings["threads"] = threads
    kind: Any = spec.kind
    return make_representation(kind, labels=spec.labels, **settings)


def read_domains(
    spec: RepresentationSpec, column: str, select: Select | None = None
) -> tuple[Corpus, Corpus | None]:
    """The text of the source, or what is selected of it, and, where there is some, of the
    target."""
    options = {} if spec.columns is None else {"columns": spec.columns}
    source = [read_filled(path, spec.format, **options) for path in spec.text]
    target = [read_filled(path, spec.target_format) for path in spec.target]
    text = select_text(source, column, spec.labels)
    own = text if select is None else select(spec, text)
    return own, select_text(target, column) if target else None


def train_representations(
    recipe: Description,
    representations: Sequence[Representation],
    corpora: Mapping[str, Corpus],
    select: Select | None = None,
) -> dict[str, Corpus]:
    """Train the representations of a recipe, and add leak-free columns to those corpora of its
    tasks whose files labels were learned from."""
    filled = dict(corpora)
    for place, spec in enumerate(recipe.representations):
        representation = representations[place]
        try:
            if spec.task is not None:
                before = representations[:place]
                filled = _add_context(representation, before, filled, spec.task, recipe)
            else:
                _train(spec, representation, select)
                filled = _add_leak_free_columns(spec, representation, filled, recipe, select)
        except DovetailError as error:
            message = f"the representation '{representation.name_}': {error}"
            raise type(error)(message) from None
    return filled


def _train(spec: RepresentationSpec, representation: Representation, select: Select | None) -> None:
    """Train it, unless it comes from a file."""
    if not spec.text:
        return
    logger.info("learning the representation '%s'", representation.name_)
    if spec.kind == "structure":
        shared: Any = representation
        shared.fit(mask_columns(read_structure_text(spec), spec.settings["masked"]))
    else:
        text = read_domains(spec, representation.reads_[0], select)
        train_representation(representation, *text)


def _add_leak_free_columns(
    spec: RepresentationSpec,
    representation: Representation,
    corpora: Mapping[str, Corpus],
    recipe: Description,
    select: Select | None,
) -> dict[str, Corpus]:
    """Give tasks whose labels it was learned from columns that have not seen these."""
    filled = dict(corpora)
    if not spec.text or not representation.biased_by_:
        return filled
    known: dict[int, Corpus] = {}
    for task in recipe.tasks:
        corpus = corpora.get(task.name)
        if corpus is None or task.data != spec.text or has_columns(corpus, representation):
            continue
        if id(corpus) not in known:
            known[id(corpus)] = _annotate_left_out(spec, representation, corpus, select)
        filled[task.name] = known[id(corpus)]
    return filled


def _annotate_left_out(
    spec: RepresentationSpec,
    representation: Representation,
    corpus: Corpus,
    select: Select | None,
) -> Corpus:
    biased: Any = representation
    left_out = biased.annotate_left_out(*read_domains(spec, representation.reads_[0], select))
    for name in representation.names_:
        corpus = corpus.with_column(name, left_out.column(name))
    return corpus


def _add_context(
    representation: Any,
    before: Sequence[Representation],
    corpora: Mapping[str, Corpus],
    task: str,
    recipe: Description,
) -> dict[str, Corpus]:
    """Train the first tagger of a task, and give all tasks on the same text its columns, which have
    not seen their own labels there."""
    logger.info("learning the document context '%s'", representation.name_)
    text = add_representations(corpora[task], before)
    representation.fit(text)
    filled = representation.annotate_cross_fitted(text, folds=recipe.folds, seed=recipe.seed)
    own = corpora[task]
    return {name: filled if corpus is own else corpus for name, corpus in corpora.items()}
