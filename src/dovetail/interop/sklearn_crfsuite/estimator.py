"""sklearn-crfsuite's ``CRF``: a scikit-learn estimator for sequences.

Predictions are lists of lists of strings, and there are no temporary files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from sklearn.base import BaseEstimator

from dovetail.chain.tagger import Tagger as OurTagger
from dovetail.errors import DataError
from dovetail.interop.crfsuite_items import read_items
from dovetail.interop.crfsuite_tagger import ParsedDump, Tagger
from dovetail.interop.crfsuite_trainer import Trainer
from dovetail.interop.export import export_model, to_crfsuite
from dovetail.interop.models import import_model

PARAMETERS = {
    "min_freq": "feature.minfreq",
    "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions",
    "pa_type": "type",
}  # others have CRFsuite's own names, with a dot after "calibration"
NO_PARAMETERS = {"algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls"}
HELD_OUT = 1
Sequences = Iterable[Iterable[Any]]


class LinePerIterationTrainer(Trainer):
    """Shows a line for each round of training."""

    def on_start(self, log: str) -> None:
        pass

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:  # noqa: ARG002
        print("Iter {num:<3} time={time:<5.2f} loss={loss:<8.2f}".format(**info).strip())


class CRF(BaseEstimator):  # type: ignore[misc]
    """A linear-chain CRF with the parameters of sklearn-crfsuite's ``CRF``.

    ``algorithm`` is ``lbfgs`` (also by default), ``l2sgd``, ``ap``, ``pa`` or ``arow``; the last
    three are all trained as averaged perceptrons. Parameters that training does not need here are
    accepted and have no effect. ``model_filename`` names a CRFsuite model to use, and to write when
    trained.

    >>> X = [[{"word": "the"}, {"word": "dog"}], [{"word": "the"}]]
    >>> crf = CRF(c2=0.01).fit(X, [["DET", "NOUN"], ["DET"]])
    >>> crf.predict(X)
    [['DET', 'NOUN'], ['DET']]
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: float | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: str | os.PathLike[str] | None = None,
        keep_tempfiles: bool = False,
        trainer_cls: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_") or self.model_filename is not None

    # Training

    def fit(
        self,
        X: Sequences,
        y: Iterable[Sequence[str]],
        X_dev: Sequences | None = None,
        y_dev: Iterable[Sequence[str]] | None = None,
    ) -> CRF:
        """Train on feature dicts or lists with their labels; ``training_log_`` has the course of
        it, and at its end the accuracy on ``X_dev``, ``y_dev``."""
        if (X_dev is None) != (y_dev is None):
            raise DataError("Pass both X_dev and y_dev to use the holdout data")
        trainer = (self.trainer_cls or LinePerIterationTrainer)(
            algorithm=self.algorithm, params=self._crfsuite_parameters(), verbose=self.verbose
        )
        if not isinstance(trainer, Trainer):
            raise DataError("trainer_cls is no subclass of dovetail.interop.pycrfsuite.Trainer")
        _append(trainer, X, y, group=0)
        if X_dev is not None and y_dev is not None:
            _append(trainer, X_dev, y_dev, group=HELD_OUT)
        self.model_ = trainer.trained(holdout=HELD_OUT)
        self.training_log_ = trainer.logparser
        self._forget()
        if self.model_filename is not None:
            export_model(self.model_, self.model_filename)
        return self

    def _crfsuite_parameters(self) -> dict[str, Any]:
        given = {name: value for name, value in self.get_params().items() if value is not None}
        return {
            PARAMETERS.get(name, name.replace("calibration_", "calibration.")): value
            for name, value in given.items()
            if name not in NO_PARAMETERS
        }

    # Using it

    def predict(self, X: Sequences) -> list[list[str]]:
        """The best labels of every sequence."""
        return read_items(self._trained().predict, X)

    def predict_single(self, xseq: Iterable[Any]) -> list[str]:
        """The best labels of one sequence."""
        return self.predict([xseq])[0]

    def predict_marginals(self, X: Sequences) -> list[list[dict[str, float]]]:
        """The probability of every label at every token of every sequence."""
        return read_items(self._trained().predict_marginals, X)

    def predict_marginals_single(self, xseq: Iterable[Any]) -> list[dict[str, float]]:
        """The probability of every label at every token of one sequence."""
        return self.predict_marginals([xseq])[0]

    def score(self, X: Sequences, y: Iterable[Sequence[str]]) -> float:
        """The share of tokens that get the right label."""
        gold = [label for labels in y for label in labels]
        found = [label for labels in self.predict(X) for label in labels]
        if len(gold) != len(found):
            raise DataError(f"there are {len(found)} tokens in X but {len(gold)} labels in y")
        if not gold:
            raise DataError("there are no tokens to score")
        return sum(a == b for a, b in zip(gold, found, strict=True)) / len(gold)

    def _trained(self) -> OurTagger:
        if not hasattr(self, "model_"):
            if self.model_filename is None:
                from sklearn.exceptions import NotFittedError

                raise NotFittedError("this CRF has not been trained: call fit")
            self.model_ = import_model(self.model_filename)
        return self.model_

    # Looking inside

    @property
    def tagger_(self) -> Tagger | None:
        """A tagger with python-crfsuite's interface, the same one each time."""
        return self._tagger if self.__sklearn_is_fitted__() else None

    @cached_property
    def _tagger(self) -> Tagger:
        tagger = Tagger()
        tagger.open_inmemory(self._trained().to_bytes())
        return tagger

    @cached_property
    def _info(self) -> ParsedDump:
        return self._tagger.info()

    def _forget(self) -> None:
        self.__dict__.pop("_tagger", None)
        self.__dict__.pop("_info", None)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_tagger", "_info")}

    @property
    def classes_(self) -> list[str] | None:
        """All labels."""
        return self._trained().labels_ if self.__sklearn_is_fitted__() else None

    @property
    def size_(self) -> int | None:
        """Size of the model in CRFsuite's format, in bytes."""
        return len(to_crfsuite(self._trained())) if self.__sklearn_is_fitted__() else None

    @property
    def attributes_(self) -> list[str] | None:
        """All features that have a weight."""
        return list(self._trained().model_.names) if self.__sklearn_is_fitted__() else None

    @property
    def num_attributes_(self) -> int | None:
        """How many features have a weight."""
        return self._trained().n_features_ if self.__sklearn_is_fitted__() else None

    @property
    def state_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by feature and label."""
        return self._info.state_features if self.__sklearn_is_fitted__() else None

    @property
    def transition_features_(self) -> dict[tuple[str, str], float] | None:
        """Weights by previous and next label."""
        return self._info.transitions if self.__sklearn_is_fitted__() else None


def _append(trainer: Trainer, X: Sequences, y: Iterable[Sequence[str]], group: int) -> None:
    if y is None:
        raise DataError("CRF requires y to be passed, but the target y is None")
    sequences, labels = list(X), list(y)
    if len(sequences) != len(labels):
        raise DataError(f"there are {len(sequences)} sequences in X but {len(labels)} in y")
    for number, (xseq, yseq) in enumerate(zip(sequences, labels, strict=True), start=1):
        try:
            trainer.append(xseq, yseq, group)
        except (DataError, TypeError) as error:
            raise DataError(f"sequence {number}: {error}") from None
