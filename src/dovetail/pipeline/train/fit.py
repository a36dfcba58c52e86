"""The training of a pipeline: which way, on which columns of which corpora."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.choices import TRAININGS, Training, check_choice
from dovetail.pipeline.layers.linear import LinearLayer
from dovetail.pipeline.representations import all_represented, columns_of, leaks, without
from dovetail.pipeline.tasks import label_of, naming
from dovetail.pipeline.train.layerwise import Curriculum, Listener

if TYPE_CHECKING:
    from dovetail.pipeline.pipeline import Pipeline


def fit_layers(
    pipeline: Pipeline,
    data: Corpus | Mapping[str, Corpus],
    training: Training | None,
    labels: Mapping[str, str],
    same: Mapping[str, str],
    folds: int,
    seed: int,
    callback: Listener | None,
) -> None:
    """Train the layers of a pipeline; see `Pipeline.fit`."""
    if training is None:
        training = "auto" if pipeline.decode == "auto" else "cascade"
    check_choice("training", training, TRAININGS)
    if not isinstance(data, Corpus | Mapping):
        raise DataError("give a corpus, or a corpus for each task: {'name': corpus, ...}")
    corpora = dict.fromkeys(pipeline.names, data) if isinstance(data, Corpus) else dict(data)
    _check_tasks(pipeline, corpora)
    columns = {}
    written = columns_of(pipeline.representations)
    for name, corpus in corpora.items():
        with naming(name):
            columns[name] = label_of(name, without(corpus, written), labels.get(name))
    if isinstance(data, Corpus) or training == "joint":
        _check_columns(corpora, columns)
    unknown = next((name for name in labels if name not in pipeline.names), None)
    if unknown is not None:
        raise DataError(
            f"labels names '{unknown}', which is no task; there are {', '.join(pipeline.names)}"
        )
    if folds < 2:
        raise DataError(f"folds is {folds}; give a whole number of at least 2")
    if same and training != "auto":
        raise DataError("types of labels that are the same can be told to training 'auto' only")
    _check_probabilities(pipeline, training)
    pipeline.layers = [
        replace(a, annotator=pipeline._given.get(a.name, a.annotator)) if a.name in corpora else a
        for a in pipeline.layers
    ]
    pipeline.candidates_, pipeline.held_out_ = None, []
    pipeline.notes_ = leaks(pipeline.representations, corpora)
    corpora = all_represented(corpora, pipeline.representations)
    if training == "joint":
        from dovetail.pipeline.train.joint.training import fit_jointly

        return fit_jointly(pipeline, corpora, columns, callback)
    kind: Training = "soft" if training == "auto" else training
    plan = Curriculum(
        pipeline.layers,
        kind,
        folds,
        pipeline.lattice,
        seed,
        pipeline.threads,
        callback,
        pipeline.representations,
        same,
    )
    for layer in pipeline.layers:
        if layer.name in corpora:
            plan.check_columns(layer, corpora[layer.name])
    for layer in pipeline.layers:
        if layer.name not in corpora:
            continue
        if training == "auto" and layer is pipeline.layers[-1]:
            from dovetail.pipeline.train.auto.pools import fit_auto, use

            pipeline._given[layer.name] = layer.annotator
            with naming(layer.name):
                use(fit_auto(plan, layer, corpora[layer.name], columns[layer.name]), pipeline)
        else:
            plan.fit(layer, corpora[layer.name], columns[layer.name])
    pipeline.notes_ += plan.notes
    return None


def _check_probabilities(pipeline: Pipeline, training: Training) -> None:
    """Better refused now than when a model is trained that nothing can be decoded with."""
    needs = {"decode": pipeline.decode, "training": training}
    what = next((key for key, value in needs.items() if value in ("soft", "joint", "auto")), None)
    if what is None:
        return
    for layer in pipeline.layers:
        if isinstance(layer.annotator, LinearLayer) and not layer.annotator.has_probabilities:
            raise DataError(
                f"the task '{layer.name}' is not calibrated, so it has no probabilities, which "
                f"{what} {needs[what]} needs: calibrate it, or let {what} be cascade"
            )


def _check_tasks(pipeline: Pipeline, corpora: Mapping[str, Corpus]) -> None:
    for name in corpora:
        pipeline[name]  # fails if there is none
    for name in pipeline.names:
        tagger = pipeline[name]
        if name not in corpora and not getattr(tagger, "is_fitted", True):
            raise DataError(f"the task '{name}' is not trained, and there is no data for it")


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
