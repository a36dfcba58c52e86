"""Representations in a recipe: what they learn from, or the file or package they come from.

[[representation]]
kind = "hmm"
text = ["news.conll", "novels.conll"]
states = 40
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail.corpus import Corpus
from dovetail.corpus.formats import read_filled
from dovetail.errors import DovetailError
from dovetail.pipeline.recipe_structure import STRUCTURE, masked_tasks, structure, structure_text
from dovetail.pipeline.representations import has_columns, opened_representation, represented

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.representation import Representation

CONSISTENCY = "consistency"
logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Wanted:
    """One representation of a recipe: ``settings`` are those of `described`, of vectors or of a
    structure."""

    kind: str | None = None
    model: Path | None = None
    vectors: Path | None = None
    ready: str | None = None
    text: tuple[Path, ...] = ()
    target: tuple[Path, ...] = ()
    labels: str | None = None
    format: str | None = None
    target_format: str | None = None
    columns: tuple[str | None, ...] | None = None
    task: str | None = None  # of document context: the task that it is for
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """All that it depends on."""
        own = [value for value in self.settings.values() if isinstance(value, Path)]
        return [*self.text, *self.target, *filter(None, (self.model, self.vectors)), *own]

    def made(
        self, threads: int | None, seed: int, first: Callable[[str], tuple[Tagger, str]]
    ) -> Representation:
        """The representation; what is learned from text is not trained yet. ``first`` makes a
        tagger like that of a task, and says which column it learns."""
        from dovetail.representation import Consistency, WordVectors, ready_made
        from dovetail.representation.described import described

        if self.model is not None:
            return opened_representation(self.model)
        if self.task is not None:
            tagger, label = first(self.task)
            return Consistency(tagger, label=label, **self.settings)
        if self.ready is not None:
            return ready_made(self.ready, **self.settings)
        if self.kind == STRUCTURE:
            return structure(self, threads)
        settings = {"seed": seed, **self.settings}
        if self.vectors is not None:
            return WordVectors.read(self.vectors, **settings)
        if self.kind != "classes":
            settings["threads"] = threads
        kind: Any = self.kind
        return described(kind, labels=self.labels, **settings)

    def domains(self, column: str) -> tuple[Corpus, Corpus | None]:
        """The text of the source and, where there is some, of the target."""
        from dovetail.representation.described import text_of

        options = {} if self.columns is None else {"columns": self.columns}
        source = [read_filled(path, self.format, **options) for path in self.text]
        target = [read_filled(path, self.target_format) for path in self.target]
        return text_of(source, column, self.labels), text_of(target, column) if target else None

    def learn(self, representation: Representation) -> None:
        """Train it, unless it comes from a file."""
        from dovetail.representation.described import learned

        if self.text:
            logger.info("learning the representation '%s'", representation.name_)
            if self.kind == STRUCTURE:
                shared: Any = representation
                shared.fit(masked_tasks(structure_text(self), self.settings["masked"]))
                return
            learned(representation, *self.domains(representation.reads_[0]))

    def unleaked(self, representation: Representation, corpus: Corpus) -> Corpus:
        """Text that labels were learned from, with columns that have not seen them."""
        found: Any = representation
        left_out = found.annotate_left_out(*self.domains(representation.reads_[0]))
        for name in representation.names_:
            corpus = corpus.with_column(name, left_out.column(name))
        return corpus


def learn(
    wanted: Iterable[Wanted],
    representations: Sequence[Representation],
    corpora: Mapping[str, Corpus],
    files: Mapping[str, tuple[Path, ...]],
    folds: int,
    seed: int,
) -> dict[str, Corpus]:
    """Train the representations of a recipe, and add leak-free columns to those corpora of its
    tasks whose files labels were learned from."""
    made = dict(corpora)
    for place, one in enumerate(wanted):
        representation = representations[place]
        try:
            if one.task is not None:
                before = representations[:place]
                made = _with_context(representation, before, made, one.task, folds, seed)
                continue
            one.learn(representation)
            known: dict[int, Corpus] = {}
            for name, corpus in list(made.items()):
                shared = one.text and files[name] == one.text
                if shared and representation.biased_by_ and not has_columns(corpus, representation):
                    if id(corpus) not in known:
                        known[id(corpus)] = one.unleaked(representation, corpus)
                    made[name] = known[id(corpus)]
        except DovetailError as error:
            message = f"the representation '{representation.name_}': {error}"
            raise type(error)(message) from None
    return made


def _with_context(
    representation: Any,
    before: Sequence[Representation],
    corpora: Mapping[str, Corpus],
    task: str,
    folds: int,
    seed: int,
) -> dict[str, Corpus]:
    """Train the first tagger of a task, and give all tasks on the same text its columns, which have
    not seen their own labels there."""
    logger.info("learning the document context '%s'", representation.name_)
    text = represented(corpora[task], before)
    representation.fit(text)
    filled = representation.annotate_cross_fitted(text, folds=folds, seed=seed)
    own = corpora[task]
    return {name: filled if corpus is own else corpus for name, corpus in corpora.items()}
