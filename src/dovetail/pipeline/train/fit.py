"""The training of a pipeline: which way, on which columns of which corpora."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dovetail.base.executor import Executor
from dovetail.base.training import training_date
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.choices import PROBABILISTIC, TRAININGS, Decode, Training, check_choice
from dovetail.pipeline.decode.decoder import Decoder
from dovetail.pipeline.layers.annotator import LayerAnnotator, TrainableAnnotator
from dovetail.pipeline.layers.layer import Layer, layer_named, sort_layers
from dovetail.pipeline.representations import (
    add_representations_to_all,
    find_columns,
    note_leaks,
    remove_columns,
)
from dovetail.pipeline.tasks import label_of, name_task_in_errors
from dovetail.pipeline.train.auto.interruption import best_member
from dovetail.pipeline.train.auto.members import Member, fit_members
from dovetail.pipeline.train.auto.pools import Candidates
from dovetail.pipeline.train.held_out import HeldOut
from dovetail.pipeline.train.joint.training import fit_jointly
from dovetail.pipeline.train.layerwise import LayerwiseTraining, Listener, TrainedOn
from dovetail.pipeline.train.result import TrainingResult

if TYPE_CHECKING:
    from dovetail.representation import Representation


@dataclass(frozen=True)
class Trainer:
    """How layers are trained; the arguments are those of `Pipeline.fit`.

    ``given`` has the annotators as the user gave them, by name: clones of these are trained, and
    they stay as they are. ``decoder`` has the layers as they are now, which layers without data
    remain.
    """

    decoder: Decoder
    given: Mapping[str, LayerAnnotator]
    representations: Sequence[Representation]
    decode: Decode
    training: Training | None = None
    labels: Mapping[str, str] | None = None
    same: Mapping[str, str] | None = None
    old_text: Mapping[str, Corpus] | None = None
    folds: int = 5
    seed: int = 0
    callback: Listener | None = None
    cluster: Executor | None = None

    def fit(self, data: Corpus | Mapping[str, Corpus]) -> TrainingResult:
        """Train on a corpus for each task, or on one for all."""
        training = self._training()
        if not isinstance(data, Corpus | Mapping):
            raise DataError("give a corpus, or a corpus for each task: {'name': corpus, ...}")
        names = [layer.name for layer in self.decoder.layers]
        corpora = dict.fromkeys(names, data) if isinstance(data, Corpus) else dict(data)
        columns = self._label_columns(corpora)
        if isinstance(data, Corpus) or training == "joint":
            _check_columns(corpora, columns)
        self._check_settings(names, training)
        self._check_old_text(corpora, training)
        layers = [
            self._untrained(layer) if layer.name in corpora else layer for layer in self._layers
        ]
        _check_probabilities(layers, self.decode, training)
        notes = note_leaks(self.representations, corpora)
        corpora = add_representations_to_all(corpora, self.representations)
        if training == "joint":
            notes += fit_jointly(
                replace(self.decoder, layers=layers),
                corpora,
                columns,
                self.representations,
                self.callback,
            )
            result = TrainingResult(
                sort_layers(layers), notes, interrupted=_is_interrupted(layers[-1])
            )
        else:
            result = self._fit_layerwise(layers, corpora, columns, training, notes)
        return replace(result, facts=self._facts(corpora, columns, training, result.facts))

    def _facts(
        self,
        corpora: Mapping[str, Corpus],
        columns: Mapping[str, str],
        training: Training,
        more: Mapping[str, Mapping[str, Any]],
    ) -> dict[str, dict[str, Any]]:
        """What files say of the training of each layer."""
        return {
            name: {
                "training": training,
                "label": columns[name],
                "sequences": len(corpus),
                "tokens": corpus.n_tokens,
                "folds": self.folds,
                "seed": self.seed,
                "date": training_date(),
                **more.get(name, {}),
            }
            for name, corpus in corpora.items()
        }

    @property
    def _layers(self) -> Sequence[Layer]:
        return self.decoder.layers

    def _training(self) -> Training:
        training = self.training
        if training is None:
            training = "auto" if self.decode == "auto" else "cascade"
        check_choice("training", training, TRAININGS)
        return training

    def _untrained(self, layer: Layer) -> Layer:
        annotator = self.given[layer.name]
        if isinstance(annotator, TrainableAnnotator):
            annotator = annotator.clone()
        return replace(layer, annotator=annotator)

    def _label_columns(self, corpora: Mapping[str, Corpus]) -> dict[str, str]:
        """The column that each task learns."""
        for name in corpora:
            layer_named(name, self._layers)  # fails if there is none
        for layer in self._layers:
            if layer.name not in corpora and not layer.annotator.is_fitted:
                raise DataError(
                    f"the task '{layer.name}' is not trained, and there is no data for it"
                )
        columns = {}
        written = find_columns(self.representations)
        for name, corpus in corpora.items():
            with name_task_in_errors(name):
                label = (self.labels or {}).get(name)
                columns[name] = label_of(name, remove_columns(corpus, written), label)
        return columns

    def _check_settings(self, names: Sequence[str], training: Training) -> None:
        unknown = next((name for name in self.labels or {} if name not in names), None)
        if unknown is not None:
            raise DataError(
                f"labels names '{unknown}', which is no task; there are {', '.join(names)}"
            )
        if self.folds < 2:
            raise DataError(f"folds is {self.folds}; give a whole number of at least 2")
        if self.cluster is not None and training == "joint":
            raise DataError(
                "a cluster trains the folds of layers, of which joint training has none: leave it "
                "out"
            )
        if self.same and training != "auto":
            raise DataError("types of labels that are the same can be told to training 'auto' only")

    def _check_old_text(self, data: Mapping[str, Corpus], training: Training) -> None:
        """Old text is of tasks below that are not trained now, and only ``auto`` learns from it."""
        below = [layer.name for layer in self._layers[:-1]]
        for name, corpus in (self.old_text or {}).items():
            if training != "auto":
                raise DataError("only training 'auto' learns from old text")
            if name not in below:
                listed = f"; there are {', '.join(below)}" if below else ", of which there are none"
                raise DataError(f"old_text names '{name}', which is no task below{listed}")
            if name in data:
                raise DataError(
                    f"the task '{name}' is trained on its data, which is learnt from anyway: leave "
                    "it out of old_text"
                )
            if not isinstance(corpus, Corpus):
                raise DataError(f"the old text of '{name}' is no corpus")

    def _fit_layerwise(
        self,
        layers: Sequence[Layer],
        corpora: Mapping[str, Corpus],
        columns: Mapping[str, str],
        training: Training,
        notes: list[str],
    ) -> TrainingResult:
        layerwise = LayerwiseTraining(
            layers,
            "soft" if training == "auto" else training,
            self.folds,
            self.decoder.lattice,
            self.seed,
            self.decoder.threads,
            self.callback,
            self.representations,
            self.same or {},
            old_text=self._old_text(),
            cluster=self.cluster,
        )
        for layer in layers:
            if layer.name in corpora:
                layerwise.check_columns(layer, corpora[layer.name])
        with_data = [layer for layer in layers if layer.name in corpora]
        last = layers[-1]
        by_auto = training == "auto" and last.name in corpora
        for layer in with_data[:-1] if by_auto else with_data:
            layerwise.fit(layer, corpora[layer.name], columns[layer.name])
            if layer is not with_data[-1] and _is_interrupted(layer):
                raise KeyboardInterrupt  # the next task should not begin
        if by_auto:
            return self._fit_by_auto(layerwise, corpora[last.name], columns[last.name], notes)
        return TrainingResult(
            sort_layers(layers),
            notes + layerwise.notes,
            interrupted=any(_is_interrupted(layer) for layer in with_data[-1:]),
        )

    def _old_text(self) -> dict[str, TrainedOn]:
        """Old text with the columns of representations, and which column has its labels."""
        old = self.old_text or {}
        labels = {}
        for name, corpus in old.items():
            with name_task_in_errors(name):
                labels[name] = label_of(name, corpus, (self.labels or {}).get(name))
        extended = add_representations_to_all(dict(old), self.representations)
        return {name: TrainedOn(corpus, labels[name]) for name, corpus in extended.items()}

    def _fit_by_auto(
        self, layerwise: LayerwiseTraining, corpus: Corpus, label: str, notes: list[str]
    ) -> TrainingResult:
        """Train the last layer, those below it being trained."""
        *below, last = layerwise.layers
        members: list[Member] = []
        held_out: Sequence[HeldOut]
        annotator: LayerAnnotator
        candidates = None
        with name_task_in_errors(last.name):
            try:
                fit_members(layerwise, last, corpus, label, members)
                candidates = Candidates(members, self.decoder.threads)
                annotator, held_out, note, selected, scores = candidates.select_pool()
            except KeyboardInterrupt:
                candidates = None
                kept, note, scores = best_member(members, self.decoder.threads)
                annotator, held_out, selected = kept.annotator, kept.parts, kept.kind
        facts = {
            "candidates": scores,
            "selected": selected,
            "same": dict(self.same or {}),
            "interrupted": candidates is None,
        }
        return TrainingResult(
            sort_layers([*below, replace(last, annotator=annotator)]),
            [*notes, f"{last.name}: {note}", *layerwise.notes],
            list(held_out),
            candidates,
            interrupted=candidates is None,
            facts={last.name: facts},
        )


def _is_interrupted(layer: Layer) -> bool:
    annotator = layer.annotator
    return isinstance(annotator, TrainableAnnotator) and annotator.is_interrupted


def _check_probabilities(layers: Sequence[Layer], decode: Decode, training: Training) -> None:
    """Better refused now than when a model is trained that nothing can be decoded with."""
    needs = {"decode": decode, "training": training}
    what = next((key for key, value in needs.items() if value in PROBABILISTIC), None)
    if what is None:
        return
    for layer in layers:
        if not layer.annotator.has_probabilities:
            raise DataError(
                f"the task '{layer.name}' is not calibrated, so it has no probabilities, which "
                f"{what} {needs[what]} needs: calibrate it, or let {what} be cascade"
            )


def _check_columns(corpora: Mapping[str, Corpus], columns: Mapping[str, str]) -> None:
    """Two tasks that would learn one column of one corpus are a slip."""
    seen: dict[tuple[int, str], str] = {}
    for name, column in columns.items():
        key = (id(corpora[name]), column)
        other = seen.setdefault(key, name)
        if other.partition("@")[0] != name.partition("@")[0]:
            raise DataError(
                f"the tasks '{other}' and '{name}' would both learn the column '{column}': call "
                "the columns of the data as the tasks, or say which is which by labels"
            )
