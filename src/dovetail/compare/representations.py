"""The representations of a recipe, where the text that systems are tested on must stay unseen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.recipe import Recipe
from dovetail.pipeline.training import shared_parts

if TYPE_CHECKING:
    from dovetail.pipeline.recipe_representations import Wanted


def learned_apart(
    recipe: Recipe, corpora: Mapping[str, Corpus], tested: Corpus, threads: int | None
) -> tuple[dict[str, Any], dict[str, Corpus]]:
    """Trained representations by name, and the corpora with leak-free columns where labels of their
    own were learned from. Words of the tested text representations may see, its labels not."""
    made = recipe.pipeline(corpora, threads=threads).representations
    for wanted, one in zip(recipe.representations, made, strict=True):
        if one.biased_by_ and not wanted.text:
            raise DataError(
                f"{recipe.path}: the representation '{one.name_}' of {wanted.model} has learned "
                "from labels, perhaps those that systems are tested on: let the recipe learn it, "
                "from a source"
            )
        if one.biased_by_ and _shares_text(wanted, one.reads_[0], tested):
            raise DataError(
                f"{recipe.path}: the representation '{one.name_}' would learn from labels of the "
                "text that systems are tested on: leave out its labels"
            )
    corpora = recipe.learn(made, corpora)
    return {one.name_: one for one in made}, corpora


def _shares_text(wanted: Wanted, column: str, tested: Corpus) -> bool:
    source, _ = wanted.domains(column)
    return shared_parts(tested, source, 2, 0) is not None
