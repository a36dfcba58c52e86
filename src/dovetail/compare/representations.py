"""The representations of a recipe, where the text that systems are tested on must stay unseen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from dovetail.corpus import Corpus
from dovetail.corpus.sequences import sequence_keys
from dovetail.errors import DataError
from dovetail.multitask import ShardTask
from dovetail.multitask.overlap import has_labels_of
from dovetail.multitask.overlap_on_disk import has_labels_on_disk
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


class Representations:
    """The representations of a recipe in a comparison: learned once, or for each split anew, where
    one learns from labels of the text that systems are tested on.

    Words of that text they may see, its labels not. ``test`` is that text, if it is not a part of
    the last task's.
    """

    def __init__(
        self,
        recipe: Recipe,
        corpora: Mapping[str, Corpus],
        test: Corpus | None,
        label: str,
        threads: int | None,
    ) -> None:
        self.recipe, self.corpora, self.test, self.threads = recipe, corpora, test, threads
        self.task = recipe.tasks[-1]
        self.corpus = corpora[self.task.name]
        tested = self.corpus if test is None else test
        whole = recipe.pipeline(corpora, threads=threads)
        for name in whole.names:
            _check_auxiliary(recipe, name, whole[name], tested, label)
        self._built = list(whole.representations)
        pairs = zip(recipe.representations, self._built, strict=True)
        tell = {one.name_: _learns_from(recipe, spec, one, tested) for spec, one in pairs}
        self.by_split = any(tell.values())
        self._latest: tuple[list[int], Learned] | None = None

    @property
    def columns(self) -> list[str]:
        """Their names."""
        return [one.name_ for one in self._built]

    @cached_property
    def once(self) -> Learned:
        """Learned from all that they name, for all splits."""
        corpora = self.recipe.learn(self._built, self.corpora)
        return Learned({one.name_: one for one in self._built}, corpora)

    def learned_from(self, numbers: Sequence[int]) -> Learned:
        """Learned where of the last task's text these sequences alone may be seen with labels; its
        corpus has only these then."""
        if not self.by_split:
            return self.once
        if self._latest is None or self._latest[0] != numbers:
            corpora = {
                task.name: self.corpora[task.name].select(numbers)
                if task.data == self.task.data
                else self.corpora[task.name]
                for task in self.recipe.tasks
                if task.name in self.corpora
            }
            made = self.recipe.pipeline(self.corpora, threads=self.threads).representations
            corpora = self.recipe.learn(made, corpora, partial(self._select, numbers))
            self._latest = list(numbers), Learned({one.name_: one for one in made}, corpora)
        return self._latest[1]

    def _select(self, numbers: Sequence[int], spec: RepresentationSpec, source: Corpus) -> Corpus:
        if spec.text == self.task.data:
            return source.select(numbers)
        hidden = {*sequence_keys(self.corpus)} - {*sequence_keys(self.corpus.select(numbers))}
        if self.test is not None:
            hidden |= {*sequence_keys(self.test)}
        return source.select(
            [k for k, key in enumerate(sequence_keys(source)) if key not in hidden]
        )


def _learns_from(recipe: Recipe, spec: RepresentationSpec, one: Any, tested: Corpus) -> bool:
    """Whether a representation learns from labels of the tested text; refuse those of which nobody
    can know."""
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
        return bool(one.biased_by_) and _shares_text(spec, one.reads_[0], tested)
    except DataError as error:
        raise DataError(f"{recipe.path}: the representation '{one.name_}': {error}") from None


def _check_auxiliary(recipe: Recipe, name: str, tagger: Any, tested: Corpus, label: str) -> None:
    """Auxiliary tasks of a linear tagger must not tell labels of the tested text either."""
    if not is_linear_tagger(tagger):
        return
    for task in getattr(tagger, "auxiliary", ()):
        tells = has_labels_on_disk if isinstance(task, ShardTask) else has_labels_of
        if tells(task, tested, label):
            raise DataError(
                f"{recipe.path}: {task.name}, an auxiliary task of '{name}', has labels of the "
                "text that systems are tested on: leave them out"
            )


def _shares_text(spec: RepresentationSpec, column: str, tested: Corpus) -> bool:
    source, _ = read_domains(spec, column)
    return shared_parts(tested, source, 2, 0) is not None
