"""From a tagger's parameters and data to a trained model."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail import __version__, _native
from dovetail.base.training import (
    Hooks,
    Position,
    run_rounds,
    training_date,
    training_seconds,
)
from dovetail.chain.constraints import (
    NOTHING,
    choose_scheme,
    infer_scheme,
    name_constraints,
    resolve,
)
from dovetail.chain.groups import ON_TRANSITIONS, FeatureGroup
from dovetail.chain.model import ChainModel
from dovetail.chain.train.checks import check_training
from dovetail.chain.train.methods import find_method
from dovetail.chain.train.objective import Objective
from dovetail.chain.train.prior import find_prior
from dovetail.chain.train.resumption import describe, guarded, identify, read_checkpoint
from dovetail.chain.train.roles import assign_roles
from dovetail.chain.train.steps import Callback, Plan, Progress, Step, Weights, report_progress
from dovetail.chain.train.warm_start import transfer_weights
from dovetail.errors import TrainingError
from dovetail.features import Dataset
from dovetail.io.files import atomic_write, check_writable
from dovetail.io.model_file import Source
from dovetail.numeric import log

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger

logger = logging.getLogger(__name__)

LOOSEN = "check the labels, or loosen the constraints"


class Fitted(NamedTuple):
    model: ChainModel
    history: list[Progress]
    stopped: str


class Fitting:
    """A training about to happen: the tagger's parameters checked, weights laid out."""

    def __init__(self, tagger: Tagger, data: Dataset) -> None:
        check_training(tagger, data)
        self.tagger = tagger
        self.data = data
        chosen = choose_scheme(tagger.constraints, data)
        self.constraints_used = name_constraints(chosen)
        self.constraints = resolve(chosen, data)
        self.method = find_method(tagger.method)
        weak = self.method.weak_penalties
        self.prior = find_prior(tagger.c1, tagger.c2, data, weak_penalties=weak)
        self.c2 = self.prior.c2
        self.roles, self.priors = assign_roles(
            data, tagger.groups, self.prior, boundaries=tagger.boundaries
        )
        self.margins = _margins(tagger.label_weights, data.labels)
        limits = self.constraints.arrays() if self.constraints else (NOTHING, NOTHING, NOTHING)
        self.limits = dict(zip(("legal", "start", "end"), limits, strict=True))
        try:
            self.problem = _native.Problem(
                data.native,
                int(tagger.min_count),
                bool(tagger.all_pairs),
                bool(tagger.all_transitions),
                self.roles,
                self.priors,
                *limits,
                self.margins,
            )
        except _native.ImpossibleSequence as error:
            raise TrainingError(f"{error}; {LOOSEN}") from None
        if tagger.min_count > 1 and not self.problem.has_features:
            raise TrainingError(f"no feature occurs {tagger.min_count} times; lower min_count")
        if not self.problem.n_parameters:
            raise TrainingError("there is nothing to learn: the data has no features")

    @property
    def dual_memory(self) -> float:
        return _native.Dual.memory(self.problem)

    def dual_obstacle(self) -> str | None:
        """Why the dual method cannot be used here, or None."""
        reasons = {
            "it needs an L2 penalty (c2 above 0)": self.c2 <= 0,
            "some labels are unknown": not self.data.native.fully_labelled,
            "sequences have weights": self.data.native.weighted,
            "labels have weights": bool(self.margins.size),
            "features weigh on transitions": bool((self.roles & ON_TRANSITIONS).any()),
            self._too_large(): self.dual_memory > self.tagger.memory_limit,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def _too_large(self) -> str:
        return f"it would take {self.dual_memory / 1e9:.1f} GB, above the memory limit"

    def memory(self) -> int:
        """An estimate of the bytes that training will take."""
        parameters = self.problem.n_parameters
        occurrences = self.data.native.n_occurrences
        own = 24 * occurrences + 60 * self.data.n_features + 160 * parameters
        uses_dual = self.method.uses_dual and not self.dual_obstacle()
        return int(own + (self.dual_memory if uses_dual else 0))

    def sizes(self) -> dict[str, Any]:
        """How large the training is, for people who want to know before it begins."""
        feature = self.problem.parameters()[0]
        return {
            "n_sequences": self.data.n_sequences,
            "n_tokens": self.data.n_tokens,
            "n_features": self.data.n_features,
            "n_features_kept": len(np.unique(feature[feature >= 0])),
            "n_labels": len(self.data.labels),
            "n_weights": self.problem.n_parameters,
            "memory_bytes": self.memory(),
            "dual_memory_bytes": int(self.dual_memory),
            "dual_obstacle": self.dual_obstacle(),
        }

    def train(
        self,
        *,
        description: Mapping[str, Any],
        held_out: Callable[[ChainModel], float] | None,
        patience: int,
        callback: Callback | None,
        checkpoint: str | os.PathLike[str] | None,
        warm_start: ChainModel | None,
        resume: Source | None,
        origin: Mapping[str, Any],
    ) -> Fitted:
        tagger = self.tagger
        objective = self.objective()

        def make_model(
            w: Weights,
            facts: Mapping[str, Any] | None = None,
            further: Mapping[str, Any] | None = None,
        ) -> ChainModel:
            arrays = {**self.problem.export(w), **self.limits, **(further or {})}
            return ChainModel.from_arrays(arrays, {**self._facts(), **description, **(facts or {})})

        def save(position: Position[Step, Progress]) -> None:
            assert checkpoint is not None
            goes_on = not position.ended and position.step.state is not None
            arrays, facts = describe(position, objective, identity) if goes_on else ({}, {})
            content = make_model(position.kept_step.weights, facts, arrays).to_bytes()
            with atomic_write(checkpoint) as file:
                file.write(content)

        if checkpoint is not None:
            check_writable(checkpoint)
        score = held_out
        hooks: Hooks[Step, Progress] = Hooks(
            callback=callback,
            held_out=(lambda step: score(make_model(step.weights))) if score else None,
            patience=patience,
            checkpoint=save if checkpoint is not None else None,
        )
        plan = Plan(
            c1=tagger.c1,
            tolerance=tagger.tolerance,
            seed=tagger.seed,
            dual_obstacle=self.dual_obstacle(),
            convex=self.data.native.fully_labelled,
        )
        identity = ""
        if checkpoint is not None or resume is not None:
            settings = {**self._facts()["training"]["settings"], "max_iterations": None}
            given = [settings, description.get("features")]
            identity = self._identify(plan, given, objective.threads)
        resumed = None if resume is None else read_checkpoint(resume, identity)
        if resumed is not None:
            objective.restore(resumed.objective)
        start = self._start(warm_start) if warm_start and not resumed else None
        try:
            outcome = run_rounds(
                guarded(
                    self.method.steps(plan, objective, start, resumed.state if resumed else None),
                    resume,
                ),
                report_progress,
                hooks,
                limit=tagger.max_iterations,
                begin=resumed.position if resumed else None,
                unit="iterations",
            )
        except _native.ImpossibleSequence as error:
            raise self._explain_failure(error) from None
        outcome.step.state = None  # lets go of the optimiser
        objective.release()
        kept = outcome.history[outcome.kept - 1]
        facts = {
            "stopped": outcome.stopped,
            "iterations": len(outcome.history),
            "kept_iteration": outcome.kept,
            "objective": kept.objective,
            "gap": kept.gap,
            "held_out": kept.held_out,
            "seconds": training_seconds(outcome.history[-1].seconds),
            "evaluations": objective.evaluations,
            "date": training_date(),
            **origin,
        }
        training = {**self._facts()["training"], **facts}
        model = make_model(outcome.step.weights, {"training": training})
        return Fitted(model, outcome.history, outcome.stopped)

    def _identify(self, plan: Plan, given: list[Any], threads: int) -> str:
        return identify(self.problem, plan, given, threads)

    def objective(self) -> Objective:
        """What training minimises."""
        tagger = self.tagger
        return Objective(self.problem, self.c2, precision=tagger.precision, threads=tagger.threads)

    def _explain_failure(self, error: Exception) -> TrainingError:
        """Known labels were compared with the constraints before: if all are known, it is numbers
        that fail."""
        if not self.data.native.fully_labelled:
            return TrainingError(f"{error}; {LOOSEN}")
        sequence = str(error).partition(" has ")[0]
        return TrainingError(
            f"{sequence} has scores beyond the range of numbers; give its features smaller values"
        )

    def _start(self, model: ChainModel) -> Weights | None:
        """Weights of an earlier model, or None where it has none that this training could use."""
        feature, previous, label = self.problem.parameters()
        scale = np.ones(len(feature))
        if self.priors.size:
            scale[feature >= 0] = self.priors[feature[feature >= 0]]
        start = transfer_weights(model, self.data, (feature, previous, label), scale)
        if start.any():
            return start
        logger.warning(
            "the model to start from shares no weight with this data; training starts afresh"
        )
        return None

    def _facts(self) -> dict[str, Any]:
        given = self.tagger.get_params(deep=False)
        plain = {k: v for k, v in given.items() if k not in ("features", "threads")}
        if given["features"] is None or isinstance(given["features"], str):
            plain["features"] = given["features"]  # a template is a fact of its own
        return {
            "labels": self.data.labels,
            "scheme": infer_scheme(self.data, lenient=True),
            "dovetail": __version__,
            "training": {
                "settings": json.loads(json.dumps(plain, default=_plain)),
                "constraints_used": self.constraints_used,
                **self.prior.facts,
                "sequences": self.data.n_sequences,
                "tokens": self.data.n_tokens,
                "features": self.data.n_features,
                "parameters": self.problem.n_parameters,
            },
        }


def _plain(setting: Any) -> Any:
    """A setting in a form that a file can hold."""
    if isinstance(setting, np.generic):
        return setting.item()
    return asdict(setting) if isinstance(setting, FeatureGroup) else str(setting)


def _margins(weights: Mapping[str, float] | None, labels: list[str]) -> Any:
    """log of the label weights, in label order."""
    if not weights:
        return np.zeros(0, np.float32)
    unknown = sorted(set(weights) - set(labels))
    if unknown:
        raise TrainingError(f"label_weights names '{unknown[0]}', which the data does not have")
    for label, weight in weights.items():
        if not (isinstance(weight, Real) and weight > 0 and np.isfinite(weight)):
            raise TrainingError(
                f"label_weights has {weight!r} for '{label}'; give a finite number above 0"
            )
    return log([weights.get(label, 1.0) for label in labels]).astype(np.float32)
