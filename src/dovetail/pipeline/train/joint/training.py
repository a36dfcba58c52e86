"""Joint training: all layers at once, as one factorial CRF.

The features are those that the layers' templates make, so that what comes out is taggers like any
others: features that read a lower layer's label at their own token tie the two chains there,
features that read it at the token before tie them across time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from dovetail.base.training import Hooks, run_rounds, training_seconds
from dovetail.chain.train.lbfgs import lbfgs
from dovetail.chain.train.steps import Progress, Step, report_progress
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.decode.decoder import Decoder
from dovetail.pipeline.train.joint.objective import JointObjective
from dovetail.pipeline.train.layerwise import LayerwiseTraining, Listener

if TYPE_CHECKING:
    from dovetail.representation import Representation

ROUNDS = 200  # at most
MEMORY = 20  # rounds are dear here, and what is kept of them is not


def fit_jointly(
    decoder: Decoder,
    corpora: Mapping[str, Corpus],
    columns: Mapping[str, str],
    representations: Sequence[Representation],
    callback: Listener | None,
) -> list[str]:
    """Train all layers of a decoder on one corpus that has labels for all of them, some of which
    may be missing. Gives notes on the training."""
    layers = decoder.layers
    first = corpora.get(layers[0].name)
    if first is None or any(corpora.get(layer.name) is not first for layer in layers):
        raise DataError("joint training needs one corpus with the labels of all tasks")
    corpus = first
    for name, column in columns.items():
        corpus = corpus.with_column(name, corpus.column(column))
    start = LayerwiseTraining(
        layers, "gold", 2, None, 0, decoder.threads, callback, representations
    )
    for layer in layers:  # each by itself, lower labels being known: a good start
        start.fit(layer, corpus, layer.name)
    objective = JointObjective(decoder, corpus)
    limits = [part.tagger.max_iterations for part in objective.parts]
    most = min([ROUNDS, *(limit for limit in limits if limit is not None)])
    rounds = lbfgs(
        objective,
        objective.start(),
        tolerance=objective.tolerance,
        convex=objective.is_convex,
        memory=MEMORY,
    )
    steps = (replace(step, phase="joint") for step in rounds)
    hooks: Hooks[Step, Progress] = Hooks(callback=start.callback("all tasks"))
    outcome = run_rounds(steps, report_progress, hooks, limit=most, unit="iterations")
    kept = outcome.history[outcome.kept - 1]
    objective.export(
        outcome.step.weights,
        {
            "joint": True,
            "objective": kept.objective,  # of all layers together
            "iterations": len(outcome.history),
            "kept_iteration": outcome.kept,
            "seconds": training_seconds(outcome.history[-1].seconds),
            "stopped": outcome.stopped,
            "gap": kept.gap,
            "evaluations": objective.evaluations,
        },
    )
    return start.notes
