"""The representations of a recipe, where the text that systems are tested on must stay unseen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.multitask.overlap import has_labels_of
from dovetail.pipeline.layers.linear import is_linear_tagger
from dovetail.pipeline.train.cross_fitting import shared_parts
from dovetail.recipe import Recipe
from dovetail.recipe.description import RepresentationSpec
from dovetail.recipe.representations import read_domains


@dataclass(frozen=True)
class Learned:
    """Trained representations by name, and the corpora, with leak-free columns where labels of
    their own were learned from."""

    known: Mapping[str, Any]
    corpora: Mapping[str, Corpus]


def build_unseen(
    recipe: Recipe, corpora: Mapping[str, Corpus], tested: Corpus, label: str, threads: int | None
) -> tuple[list[Any], bool]:
    """The representations, not yet trained, and whether one learns from labels of the tested text,
    so that each split needs its own. Words of that text they may see, its labels not."""
    whole = recipe.pipeline(corpora, threads=threads)
    by_split = False
    for name in whole.names:
        _check_auxiliary(recipe, name, whole[name], tested, label)
    made = whole.representations
    for spec, one in zip(recipe.representations, made, strict=True):
        if spec.task is not None:
            raise DataError(
                f"{recipe.path}: the document context '{one.name_}' would learn from labels of the "
                "text that systems are tested on: leave it out here, and train it by dovetail train"
            )
        if one.biased_by_ and not spec.text:
            raise DataError(
                f"{recipe.path}: the representation '{one.name_}' of {spec.model} has learned "
                "from labels, perhaps those that systems are tested on: let the recipe learn it, "
                "from a source"
            )
        try:
            by_split |= bool(one.biased_by_) and _shares_text(spec, one.reads_[0], tested)
        except DataError as error:
            message = f"{recipe.path}: the representation '{one.name_}': {error}"
            raise DataError(message) from None
    return list(made), by_split


def _check_auxiliary(recipe: Recipe, name: str, tagger: Any, tested: Corpus, label: str) -> None:
    """Auxiliary tasks of a linear tagger must not tell labels of the tested text either."""
    if not is_linear_tagger(tagger):
        return
    for task in getattr(tagger, "auxiliary", ()):
        if has_labels_of(task, tested, label):
            raise DataError(
                f"{recipe.path}: {task.name}, an auxiliary task of '{name}', has labels of the "
                "text that systems are tested on: leave them out"
            )


def _shares_text(spec: RepresentationSpec, column: str, tested: Corpus) -> bool:
    source, _ = read_domains(spec, column)
    return shared_parts(tested, source, 2, 0) is not None
