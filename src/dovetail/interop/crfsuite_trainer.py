"""python-crfsuite's ``Trainer`` on our engine."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from dovetail.chain.tagger import Tagger
from dovetail.chain.train.steps import Progress
from dovetail.errors import DataError, TrainingError
from dovetail.features import Dataset
from dovetail.interop.crfsuite_items import ItemSequence, copy_item, decode_name, read_items
from dovetail.interop.crfsuite_parameters import (
    DEFAULTS,
    MEANINGS,
    WITHOUT_EFFECT,
    convert_like,
    find_algorithm,
    first_round_evaluates,
    tagger_settings,
)
from dovetail.interop.export import export_model

OUR_SUFFIX = ".dovetail"


class TrainingLog:
    """What happened in a training: a dict for each iteration, and the lines that were shown."""

    def __init__(self) -> None:
        self.iterations: list[dict[str, Any]] = []
        self.log: list[str] = []

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        return self.iterations[-1] if self.iterations else None


class BaseTrainer:
    """Collects sequences and trains a model on them; see python-crfsuite for its methods.

    Parameters that only CRFsuite's own optimisers need are accepted, and have no effect.
    """

    def __init__(
        self,
        algorithm: str | None = None,
        params: Mapping[str, Any] | None = None,
        verbose: bool = True,
    ) -> None:
        self.verbose = verbose
        self.select(algorithm or "lbfgs")
        self._sequences: list[tuple[Any, list[str], int]] = []
        self.set_params(params or {})

    # Data

    def append(self, xseq: Iterable[Any], yseq: Iterable[str], group: int = 0) -> None:
        """Add a sequence of items with its labels; groups are for held-out evaluation."""
        items = xseq if isinstance(xseq, ItemSequence) else [copy_item(item) for item in xseq]
        labels = [decode_name(label) for label in yseq]
        if len(items) != len(labels):
            raise DataError(
                f"The numbers of items and labels differ: |x| = {len(items)}, |y| = {len(labels)}"
            )
        self._sequences.append((items, labels, group))

    def clear(self) -> None:
        """Forget all sequences."""
        self._sequences.clear()

    # Parameters

    def select(self, algorithm: str, type: str = "crf1d") -> None:
        """Choose the algorithm: ``lbfgs``, ``l2sgd``, ``ap``, ``pa`` or ``arow``."""
        if type != "crf1d":
            raise TrainingError(f"there is no graphical model '{type}'; use crf1d")
        self._algorithm = find_algorithm(algorithm)
        self._params = dict(DEFAULTS[self._algorithm])

    def params(self) -> list[str]:
        """Names of the algorithm's parameters."""
        return list(self._params)

    def get_params(self) -> dict[str, Any]:
        """All parameters by name."""
        return dict(self._params)

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Change several parameters."""
        for name, value in params.items():
            self.set(name, value)

    def get(self, name: str) -> Any:
        """The value of a parameter."""
        return self._params[self._known(name)]

    def set(self, name: str, value: Any) -> None:
        """Change a parameter."""
        default = DEFAULTS[self._algorithm][self._known(name)]
        self._params[name] = convert_like(default, name, value)

    def help(self, name: str) -> str:
        """What a parameter means."""
        return MEANINGS.get(self._known(name), WITHOUT_EFFECT)

    def _known(self, name: str) -> str:
        if name not in self._params:
            raise TrainingError(
                f"Parameter not found: {name}; {self._algorithm} has {', '.join(self._params)}"
            )
        return name

    # Training

    def train(self, model: str | os.PathLike[str], holdout: int = -1) -> None:
        """Train, and write a CRFsuite model file; our own where the name ends in ``.dovetail``.

        The sequences of the group ``holdout`` are left out. With an empty name nothing is written.
        """
        tagger = self.trained(holdout)
        if os.fspath(model).endswith(OUR_SUFFIX):
            tagger.save(model)
        elif os.fspath(model):
            export_model(tagger, model)

    def trained(self, holdout: int = -1) -> Tagger:
        """Train without writing a file."""
        self._before_train()
        data = Dataset()
        for items, labels, group in self._sequences:
            if group != holdout:
                _append(data, items, labels)
        tagger = Tagger(**tagger_settings(self._algorithm, self._params))
        tagger.fit(data, callback=self._progress)
        self._after_train(tagger, holdout)
        return tagger

    def message(self, message: str) -> None:
        """Receives what there is to say of a training; by default prints it if ``verbose``."""
        if self.verbose:
            print(message, end="")

    def _before_train(self) -> None:
        self._seconds = 0.0
        self._not_counted = int(first_round_evaluates(self._algorithm, self._params))

    def _progress(self, progress: Progress) -> None:
        number = progress.iteration - self._not_counted
        if not number:
            return
        info = {
            "num": number,
            "scores": {},
            "loss": math.nan if progress.objective is None else progress.objective,
            "active_features": progress.n_active,
            "time": progress.seconds - self._seconds,
        }
        self._seconds = progress.seconds
        log = (
            f"***** Iteration #{info['num']} *****\nLoss: {info['loss']:f}\n"
            f"Active features: {info['active_features']}\n"
            f"Seconds required for this iteration: {info['time']:.3f}\n\n"
        )
        self._iterated(log, info)

    def _iterated(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        self.message(log)

    def _after_train(self, tagger: Tagger, holdout: int) -> None:  # noqa: ARG002
        self.message(self._ending(tagger))

    def _ending(self, tagger: Tagger) -> str:
        limit = self._params["max_iterations"]
        ours = f"the limit of {limit + self._not_counted} iterations"
        why = tagger.stopped_.replace(ours, f"the limit of {limit} iterations")
        return f"Training ended: {why}\n"


class Trainer(BaseTrainer):
    """A trainer that keeps a log (``logparser``) and calls methods that can be overridden."""

    logparser: TrainingLog | None = None

    def _before_train(self) -> None:
        super()._before_train()
        self.logparser = TrainingLog()
        if self.verbose:
            self.on_start("Training\n")

    def _iterated(self, log: str, info: dict[str, Any]) -> None:
        assert self.logparser is not None
        self.logparser.log.append(log)
        self.logparser.iterations.append(info)
        if self.verbose:
            self.on_iteration(log, info)

    def _after_train(self, tagger: Tagger, holdout: int) -> None:
        assert self.logparser is not None
        held_out = [(x, y) for x, y, group in self._sequences if group == holdout]
        last = self.logparser.last_iteration
        if held_out and last is not None:
            last["item_accuracy_float"], last["instance_accuracy_float"] = _accuracies(
                tagger, held_out
            )
        if self.verbose:
            self.on_optimization_end(self._ending(tagger))
            self.on_end("")

    def on_start(self, log: str) -> None:
        print(log, end="")

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        print(log, end="")

    def on_optimization_end(self, log: str) -> None:
        print(log, end="")

    def on_end(self, log: str) -> None:
        print(log, end="")


def _append(data: Dataset, items: Any, labels: list[str]) -> None:
    """Read natively, or as python-crfsuite does where only that can read it."""
    try:
        data.append(items, labels)
    except DataError as error:
        try:
            data.append(ItemSequence(items), labels)
        except (TypeError, ValueError):
            raise error from None


def _accuracies(tagger: Tagger, held_out: list[tuple[Any, list[str]]]) -> tuple[float, float]:
    """Shares of items, and of whole sequences, that are labelled rightly."""
    found = read_items(tagger.predict, (x for x, _ in held_out))
    pairs = list(zip(found, (y for _, y in held_out), strict=True))
    items = [a == b for one, other in pairs for a, b in zip(one, other, strict=True)]
    return sum(items) / max(1, len(items)), sum(a == b for a, b in pairs) / len(pairs)
