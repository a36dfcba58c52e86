"""Training of layers one after another, each on columns that those below it wrote.

A tagger is too sure of itself on text that it was trained on. Where the training text of a layer is
also that of a layer below, the column between them is therefore cross-fitted: each part of the text
is labelled by a model that was trained on the other parts.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dovetail.base.executor import Executor, Shared
from dovetail.chain.train.prior import FLAT_STRENGTH
from dovetail.chain.train.steps import Progress
from dovetail.corpus import Column, Corpus
from dovetail.corpus.sequences import assign_folds
from dovetail.errors import DataError
from dovetail.features.resolution import resolve_corpus_features
from dovetail.pipeline.choices import Training
from dovetail.pipeline.decode.lattice import N_BEST, Lattice
from dovetail.pipeline.decode.single import best_column, soft_column
from dovetail.pipeline.layers.annotator import TrainableAnnotator
from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.representations import extend_template, find_auto_columns, find_columns
from dovetail.pipeline.tasks import name_task_in_errors
from dovetail.pipeline.train.cross_fitting import restore_order, shared_parts
from dovetail.pipeline.train.representation_values import choose_value, groups_of, reads

if TYPE_CHECKING:
    from dovetail.representation import Representation

logger = logging.getLogger(__name__)

Listener = Callable[[str, Progress], Any]
Ints = npt.NDArray[np.int64]


@dataclass
class TrainedOn:
    """What a layer was trained on: the text with all columns it read, and the label column."""

    corpus: Corpus
    label: str
    folds: list[Layer] = field(default_factory=list)  # models trained without one part each


@dataclass
class LayerwiseTraining:
    """The training of a pipeline's layers from bottom to top."""

    layers: Sequence[Layer]
    columns: Training  # what layers read of those below them
    folds: int
    lattice: int | None
    seed: int
    threads: int | None
    listener: Listener | None = None
    representations: Sequence[Representation] = ()
    same: Mapping[str, str] = field(default_factory=dict)  # types below, and what they mean above
    notes: list[str] = field(default_factory=list)
    sources: dict[str, TrainedOn] = field(default_factory=dict)
    old_text: Mapping[str, TrainedOn] = field(default_factory=dict)  # of layers not trained now
    cluster: Executor | None = None  # that trains folds

    def text_of(self, layer: Layer) -> TrainedOn | None:
        """The labelled text of a layer, where it is at hand."""
        return self.sources.get(layer.name) or self.old_text.get(layer.name)

    def fit(self, layer: Layer, corpus: Corpus, label: str) -> None:
        """Train one layer on a corpus whose lower columns are filled in first."""
        annotator = layer.annotator
        if not isinstance(annotator, TrainableAnnotator):
            raise DataError(
                f"'{layer.name}' is no Tagger, so it cannot be trained here: leave its data out"
            )
        self.check_columns(layer, corpus)
        with name_task_in_errors(layer.name):
            filled = self.annotate(corpus, self.below(layer))
            self.choose_features(layer, filled, label)
            self.choose_representation_value(layer, filled, label)
            if self.columns == "lattice" and self.below(layer):
                self._fit_lattice(layer, corpus, label)
            else:
                annotator.fit(filled, label, self.callback(layer.name))
        self.notes += [f"{layer.name}: {note}" for note in annotator.notes]
        self.sources[layer.name] = TrainedOn(filled, label)

    def _fit_lattice(self, layer: Layer, corpus: Corpus, label: str) -> None:
        """Train a tagger on the likeliest labellings below, each with its probability for a
        weight."""
        annotator = layer.annotator
        if not isinstance(annotator, TaggerLayer):
            raise DataError("only a Tagger can be trained on a lattice: let its training be soft")
        lattice = Lattice.start(corpus)
        for lower in self.below(layer):
            lattice = self._extend(lattice, lower)
        if annotator.tagger.c2 == "auto":
            annotator.tagger.set_params(c2=FLAT_STRENGTH)
            self.notes.append(
                f"{layer.name}: the penalty is {FLAT_STRENGTH:g} for all features, since several "
                "labellings of a text would mislead the graded one"
            )
        unfolded, weights = lattice.unfold()
        annotator.fit(unfolded, label, self.callback(layer.name), weights)

    def _extend(self, lattice: Lattice, lower: Layer) -> Lattice:
        """A lattice with the labellings of one more layer, cross-fitted as a column would be."""
        n = self.lattice or N_BEST
        parts = self._parts(lower, lattice.corpus)
        if parts is None:
            return lattice.extend(lower, n, None, self.threads)
        made = []
        for part in range(-1, self.folds):
            chosen = np.flatnonzero(parts == part)
            if chosen.size:
                model = lower if part < 0 else self.sources[lower.name].folds[part]
                own = lattice.select(chosen).extend(model, n, None, self.threads)
                made.append((chosen, own))
        return Lattice.join(made, lattice.corpus)

    def callback(self, task: str) -> Any:
        """What a training under this title reports to."""
        listener = self.listener
        return None if listener is None else lambda progress: listener(task, progress)

    def below(self, layer: Layer) -> list[Layer]:
        """The layers that one depends on, directly or not, in order. A tagger without a template
        yet will read all that come before it."""
        before = list(self.layers[: self.layers.index(layer)])
        if _chooses_features(layer):
            return before
        wanted = set(layer.annotator.reads_)
        for lower in reversed(before):
            if lower.name in wanted:
                wanted |= set(lower.annotator.reads_)
        return [lower for lower in before if lower.name in wanted]

    def annotate(self, corpus: Corpus, below: Sequence[Layer]) -> Corpus:
        """A corpus with the columns of lower layers as a tagger trained on it should see them."""
        for lower in below:
            gold = self._gold(lower, corpus) if self.columns == "gold" else None
            column = self._column(lower, corpus) if gold is None else gold
            corpus = corpus.with_column(lower.name, column)
        return corpus

    def _gold(self, lower: Layer, corpus: Corpus) -> Column | None:
        """The true labels of a lower layer, where a corpus has them: under its name, or, where it
        learns a column of another name from the same text, under that."""
        source = self.sources.get(lower.name)
        names = [lower.name] if source is None else [lower.name, source.label]
        found = next((name for name in names if name in corpus.names), None)
        return None if found is None else corpus.column(found)

    def _column(self, lower: Layer, corpus: Corpus) -> Column:
        parts = self._parts(lower, corpus)
        if parts is None:
            return self._write(lower, corpus)
        source = self.sources[lower.name]
        columns: list[Column] = []
        order: list[Ints] = []
        for part in range(-1, self.folds):
            chosen = np.flatnonzero(parts == part)
            if chosen.size:
                model = lower if part < 0 else source.folds[part]
                columns.append(self._write(model, corpus.select(chosen)))
                order.append(chosen)
        return restore_order(columns, np.concatenate(order), corpus)

    def shares_text(self, lower: Layer, corpus: Corpus) -> bool:
        """Whether a lower layer was trained here on text of the corpus: its column is then
        cross-fitted."""
        return self._parts(lower, corpus) is not None

    def _parts(self, lower: Layer, corpus: Corpus) -> Ints | None:
        """For each sequence the part of the lower layer's training text that it is in, or -1, the
        models without each part being trained; None where no text is shared."""
        source = self.sources.get(lower.name)
        if source is None:
            return None
        parts = shared_parts(corpus, source.corpus, self.folds, self.seed)
        if parts is not None and not source.folds:
            self._note_cross_fitting(lower, corpus, parts)
            source.folds = self._fold_models(lower, source)
        return parts

    def _write(self, layer: Layer, corpus: Corpus) -> Column:
        if self.columns == "soft":
            return soft_column(layer, corpus, self.lattice, self.threads)
        return best_column(layer, corpus, None, self.threads)

    def _fold_models(self, lower: Layer, source: TrainedOn) -> list[Layer]:
        parts = assign_folds(source.corpus, self.folds, self.seed)
        assert isinstance(lower.annotator, TrainableAnnotator)  # it was trained here
        if self.cluster is not None:
            work = Shared((lower.annotator.clone_for_fold(), source.corpus, source.label, parts))
            folds = range(self.folds)
            with name_task_in_errors(lower.name):
                found = self.cluster.each("fold", fit_without, folds, work, together=False)
                return [Layer(lower.name, annotator) for annotator in found]
        out = []
        for part in range(self.folds):
            rest = source.corpus.select(np.flatnonzero(parts != part))
            annotator = lower.annotator.clone_for_fold()
            name = f"{lower.name}, without part {part + 1} of {self.folds}"
            with name_task_in_errors(lower.name):
                annotator.fit(rest, source.label, self.callback(name))
            annotator.check_finished()
            out.append(Layer(lower.name, annotator))
        return out

    def _note_cross_fitting(self, lower: Layer, corpus: Corpus, parts: Ints) -> None:
        shared = int((parts >= 0).sum())
        note = (
            f"{shared:,} of {len(corpus):,} sequences are training text of '{lower.name}' too: "
            f"that column is cross-fitted there, in {self.folds} parts"
        )
        self.notes.append(note)
        logger.info(note)

    def choose_features(self, layer: Layer, corpus: Corpus, label: str) -> None:
        """Ready-made features of the inputs, the columns of representations, and the labels of all
        layers below."""
        annotator = layer.annotator
        if not isinstance(annotator, TrainableAnnotator) or not annotator.chooses_features:
            return
        lower = [other.name for other in self.below(layer)]
        known = {other.name for other in self.layers} | set(find_columns(self.representations))
        inputs = [name for name in corpus.names if name != label and name not in known]
        template = resolve_corpus_features(annotator.features, corpus, label, inputs)
        annotator.set_features(extend_template(template, self.representations).with_columns(*lower))

    def choose_representation_value(self, layer: Layer, corpus: Corpus, label: str) -> None:
        """What columns of representations count for a layer, where that is left open."""
        annotator = layer.annotator
        if not isinstance(annotator, TaggerLayer):
            return
        settings = annotator.settings
        columns = find_auto_columns(self.representations)
        read = [name for name in columns if reads(settings["features"], [name])]
        if read:
            choice = choose_value(settings, corpus, label, read, self.seed)
            annotator.groups = groups_of(settings["features"], read, choice.value)
            self.notes.append(f"{layer.name}: {choice.note(read)}")
            logger.info(self.notes[-1])

    def check_columns(self, layer: Layer, corpus: Corpus) -> None:
        """A task's data must have what it and the tasks below it read, unless one of them writes
        it."""
        below = self.below(layer)
        written = {lower.name for lower in below}
        for reader in (layer, *below):
            for name in reader.annotator.reads_:
                if name not in written and name not in corpus.names and name != layer.name:
                    raise DataError(
                        f"the task '{reader.name}' reads the column '{name}', which the data of "
                        f"'{layer.name}' does not have (it has {', '.join(corpus.names)}) and no "
                        "task before it writes"
                    )


def fit_without(
    part: int, work: Shared[tuple[TrainableAnnotator, Corpus, str, Ints]]
) -> TrainableAnnotator:
    """An annotator trained on all of a text but one part."""
    given, corpus, label, parts = work.value
    annotator = given.clone_for_fold()
    annotator.fit(corpus.select(np.flatnonzero(parts != part)), label)
    return annotator


def _chooses_features(layer: Layer) -> bool:
    annotator = layer.annotator
    return isinstance(annotator, TrainableAnnotator) and annotator.chooses_features
