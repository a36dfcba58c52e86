"""The tagger: settings in, a trained CRF out, and everything one asks of it.

Only what tagging needs is imported here; training, NumPy and corpora come in when they are used.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from dovetail.chain.model import ANY_LABEL, ChainModel
from dovetail.errors import DataError, DovetailError

if TYPE_CHECKING:
    from dovetail.chain.constraints import Constraints
    from dovetail.chain.explain import Explanation
    from dovetail.chain.groups import FeatureGroup
    from dovetail.chain.steps import Method, Progress
    from dovetail.chain.tagging import Decode, Tagging
    from dovetail.chain.training import Callback
    from dovetail.corpus import Corpus
    from dovetail.features import Dataset, Featurizer, Labels

Source = str | os.PathLike[str] | bytes


class Tagger:
    """A linear-chain CRF for sequence labelling.

    Data is a `Corpus`, or sequences of token features as python-crfsuite has them: each token a
    list of strings, or a dict from string to number. A label may be None (unknown) or a set of
    labels (one of these).

    Parameters
    ----------
    features
        How a corpus becomes features: a `Window`, or a function from a sequence to a list of token
        features; by default a window over all columns but the label. Not used for data that already
        is features.
    c1, c2
        Strength of the L1 and L2 penalties; a Gaussian prior of variance v is c2 = 1 / (2 v).
    method
        ``auto`` chooses; else ``lbfgs``, ``dual``, ``sgd`` or ``perceptron``.
    tolerance
        Stop when the objective is certified to be within this of its minimum, relative to it.
    min_count
        Features seen less often are left out.
    all_pairs, all_transitions
        Weights for every (feature, label) and every move, instead of those seen in training only.
    boundaries
        Weights for starting and ending with a label.
    groups
        Priors and roles of groups of features, see `FeatureGroup`.
    constraints
        Legal label sequences: ``IOB1``, ``IOB2``, ``IOBES``, ``auto`` (the scheme of the data), or
        `Constraints`.
    label_weights
        Errors on a label of weight above 1 cost more, below 1 less (softmax margin of log weight).
    precision
        ``double`` makes training about twice as slow and exact to some ten digits.
    threads
        Threads to use, by default all cores. Results do not depend on it.
    memory_limit
        Bytes that the dual method may take beside the data; above it another is used.

    Examples
    --------
    >>> X = [[["the"], ["dog"], ["barks"]], [["the"], ["cat"]]]
    >>> tagger = Tagger(c2=0.01).fit(X, [["DET", "NOUN", "VERB"], ["DET", "NOUN"]])
    >>> tagger.predict([[["the"], ["cat"], ["barks"]]])
    [['DET', 'NOUN', 'VERB']]
    """

    model_: ChainModel
    history_: list[Progress]
    stopped_: str

    def __init__(
        self,
        *,
        features: Featurizer | None = None,
        c1: float = 0.0,
        c2: float = 1.0,
        method: Method = "auto",
        tolerance: float = 1e-3,
        max_iterations: int | None = None,
        min_count: int = 1,
        all_pairs: bool = False,
        all_transitions: bool = False,
        boundaries: bool = True,
        groups: Sequence[FeatureGroup] = (),
        constraints: Constraints | Literal["IOB1", "IOB2", "IOBES", "auto"] | None = None,
        label_weights: Mapping[str, float] | None = None,
        precision: Literal["single", "double"] = "single",
        threads: int | None = None,
        seed: int = 0,
        memory_limit: float = 2e9,
    ) -> None:
        self.settings: dict[str, Any] = {k: v for k, v in locals().items() if k != "self"}

    def __repr__(self) -> str:
        state = (
            f"{len(self.labels_)} labels, {self.n_features_} features"
            if self._fitted
            else "not fitted"
        )
        return f"<Tagger: {state}>"

    # Training

    def fit(
        self,
        data: Corpus | Dataset | Iterable[Iterable[Any]],
        labels: Iterable[Labels] | None = None,
        *,
        label: str | None = None,
        weights: Iterable[float] | None = None,
        allowed: Iterable[Labels] | None = None,
        held_out: Any = None,
        patience: int = 5,
        warm_start: Tagger | Source | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        callback: Callback | None = None,
    ) -> Tagger:
        """Train on a corpus (its column ``label``, by default the last), on feature lists, or on
        indexed data.

        ``held_out``, a corpus or a pair (features, labels), is scored after every round; the best
        round's weights are kept, and ``patience`` rounds without a better one end the training.
        ``warm_start`` begins with an earlier tagger's weights, also where labels have changed.
        ``checkpoint`` names a model file that is rewritten as training goes on. ``callback`` is
        called with a `Progress` after every round and may return True to stop. Ctrl-C ends the
        training with the best model so far.
        """
        from dovetail.chain.fitting import Fitting

        indexed, description = self._index(data, labels, label, weights, allowed)
        score = None
        if held_out is not None:
            score = _held_out_scorer(self, held_out, description)
        earlier = (
            warm_start if warm_start is None or isinstance(warm_start, Tagger) else load(warm_start)
        )
        fitted = Fitting(self.settings, indexed).train(
            description=description,
            held_out=score,
            patience=patience,
            callback=callback,
            checkpoint=checkpoint,
            warm_start=earlier._trained() if earlier else None,
        )
        self.model_, self.history_, self.stopped_ = fitted
        return self

    def dry_run(
        self, data: Any, labels: Iterable[Labels] | None = None, *, label: str | None = None
    ) -> dict[str, Any]:
        """Sizes that a training on this data would have, and the memory it would take."""
        from dovetail.chain.fitting import Fitting

        indexed, _ = self._index(data, labels, label, None, None)
        fitting = Fitting(self.settings, indexed)
        return {
            "n_sequences": indexed.n_sequences,
            "n_tokens": indexed.n_tokens,
            "n_features": indexed.n_features,
            "n_labels": len(indexed.labels),
            "n_weights": fitting.problem.n_parameters,
            "memory_bytes": fitting.memory(),
            "dual_memory_bytes": int(fitting.dual_memory),
            "dual_obstacle": fitting.dual_obstacle(),
        }

    def _index(
        self, data: Any, labels: Any, label: str | None, weights: Any, allowed: Any
    ) -> tuple[Dataset, dict[str, Any]]:
        from dovetail.corpus import Corpus
        from dovetail.features import Dataset, Window

        if isinstance(data, Dataset):
            if any(given is not None for given in (labels, label, weights, allowed)):
                raise DataError("a Dataset has its labels and weights already; do not give others")
            return data, {"features": None, "label": None}
        if not isinstance(data, Corpus):
            if labels is None:
                raise DataError("feature lists need labels: fit(features, labels)")
            beside = {"weights": weights, "allowed": allowed}
            return Dataset.from_lists(data, labels, **beside), {"features": None, "label": None}
        label = label or data.names[-1]
        if label not in data.names:
            raise DataError(f"there is no column '{label}'; the data has {', '.join(data.names)}")
        featurize = self.settings["features"] or Window(tuple(n for n in data.names if n != label))
        spec = featurize.spec() if hasattr(featurize, "spec") else {"kind": "function"}
        indexed = Dataset.from_lists(
            (featurize(sequence) for sequence in data),
            labels if labels is not None else (sequence[label] for sequence in data),
            weights=weights,
            allowed=allowed,
        )
        return indexed, {"features": spec, "label": label, "columns": list(data.names)}

    # Using it

    @property
    def _fitted(self) -> bool:
        return hasattr(self, "model_")

    def _trained(self) -> ChainModel:
        if not self._fitted:
            raise DovetailError("this tagger has not been trained: call fit, or load a model")
        return self.model_

    @property
    def _threads(self) -> int:
        return self.settings["threads"] or os.cpu_count() or 1

    def _sequences(self, data: Any) -> Iterable[Iterable[Any]]:
        """Token features of any kind of data."""
        table = sys.modules.get("dovetail.corpus.table")  # not imported: cannot be a corpus
        if table is None or not isinstance(data, table.Corpus):
            if isinstance(data, str | Mapping):
                raise DataError("give a list of sequences, each a list of token features")
            return data  # type: ignore[no-any-return]
        featurize = self._feature_set(self._trained().facts["features"])
        return (featurize(sequence) for sequence in data)

    def _feature_set(self, spec: Mapping[str, Any] | None) -> Featurizer:
        """What makes a corpus into the features that a model, so described, was trained on."""
        if spec is None:
            raise DataError(
                "this model was trained on feature lists, so it cannot read a corpus; "
                "give feature lists"
            )
        if spec["kind"] == "window":
            from dovetail.features import Window

            return Window.from_spec(dict(spec))
        if self.settings["features"] is None:
            raise DataError(
                "this model was trained with a feature function of yours; "
                "set it again: load(path, features=function)"
            )
        return self.settings["features"]  # type: ignore[no-any-return]

    def predict(
        self, data: Any, *, decode: Decode = "viterbi", allowed: Iterable[Labels] | None = None
    ) -> list[list[str]]:
        """Labels of every token: the best sequence, or each token's most probable label."""
        model = self._trained()
        if decode == "viterbi" and allowed is None:
            return model.tag(self._sequences(data), self._threads)
        batch = model.encode(self._sequences(data))
        codes = self._infer(self._decoder(decode), batch, self._masks(batch, allowed))[0]
        return _cut([model.labels[code] for code in codes], batch.bounds)

    def predict_marginals(
        self, data: Any, *, allowed: Iterable[Labels] | None = None
    ) -> list[list[dict[str, float]]]:
        """Probability of every label at every token."""
        model = self._trained()
        batch = model.encode(self._sequences(data))
        marginals = self._infer(model.native.posteriors, batch, self._masks(batch, allowed))[0]
        return _cut(
            [dict(zip(model.labels, row, strict=True)) for row in marginals.tolist()], batch.bounds
        )

    def predict_nbest(self, data: Any, k: int) -> list[list[tuple[list[str], float]]]:
        """The k best label sequences of each sequence, with their probabilities."""
        from math import exp

        model = self._trained()
        batch = model.encode(self._sequences(data))
        log_z = self._infer(model.native.posteriors, batch, ANY_LABEL)[1]
        out = []
        for s in range(batch.n_sequences):
            codes, scores = model.native.kbest(batch, s, k, model.constraints, ANY_LABEL)
            paths = [[model.labels[code] for code in path] for path in codes]
            out.append([(p, exp(x - log_z[s])) for p, x in zip(paths, scores, strict=True)])
        return out

    def tag(
        self, data: Any, *, decode: Decode = "viterbi", allowed: Iterable[Labels] | None = None
    ) -> list[Tagging]:
        """Labels with token confidences, span and sequence probabilities."""
        from dovetail.chain.tagging import tag_batch

        model = self._trained()
        batch = model.encode(self._sequences(data))
        masks = self._masks(batch, allowed)
        self._decoder(decode)
        try:
            return tag_batch(model, batch, decode=decode, allowed=masks, threads=self._threads)
        except ValueError as error:
            raise DataError(str(error)) from None

    def log_likelihood(self, data: Any, labels: Iterable[Sequence[str]]) -> list[float]:
        """Log-probability of the given labels of each sequence."""
        import numpy as np

        model = self._trained()
        batch = model.encode(self._sequences(data))
        number = {name: code for code, name in enumerate(model.labels)}
        given = _alongside(batch, labels, "labels")
        unknown = next((y for y in given if y not in number), None)
        if unknown is not None:
            raise DataError(
                f"the model has no label '{unknown}' (it has {', '.join(model.labels)})"
            )
        codes = np.array([number[y] for y in given], np.int32)
        log_z = self._infer(model.native.posteriors, batch, ANY_LABEL)[1]
        scores = model.native.path_scores(batch, codes, model.constraints)
        return [float(x) for x in scores - log_z]

    def sample(self, data: Any, n: int, *, seed: int = 0) -> list[list[list[str]]]:
        """n label sequences for each sequence, drawn from the model's distribution."""
        model = self._trained()
        batch = model.encode(self._sequences(data))
        out = []
        for s in range(batch.n_sequences):
            try:
                drawn = model.native.sample(batch, s, n, seed + s, model.constraints, ANY_LABEL)
            except ValueError as error:
                raise DataError(str(error)) from None
            out.append([[model.labels[code] for code in row] for row in drawn])
        return out

    def explain(self, sequence: Any, *, top: int = 10) -> Explanation:
        """What each feature and each neighbour adds to every decision in one sequence of token
        features."""
        from dovetail.chain.explain import explain

        table = sys.modules.get("dovetail.corpus.table")
        if table is not None and isinstance(sequence, table.Sequence):
            sequence = self._feature_set(self._trained().facts["features"])(sequence)
        try:
            return explain(self._trained(), sequence, top, self._threads)
        except DovetailError:
            raise
        except ValueError as error:
            raise DataError(str(error)) from None

    def _decoder(self, decode: str) -> Any:
        kernels = {"viterbi": "viterbi", "marginal": "max_marginal"}
        if decode not in kernels:
            raise DataError(f"there is no decoder '{decode}': viterbi or marginal")
        return getattr(self._trained().native, kernels[decode])

    def _infer(self, kernel: Any, batch: Any, masks: Any) -> Any:
        try:
            return kernel(batch, self._trained().constraints, masks, self._threads)
        except ValueError as error:
            raise DataError(str(error)) from None

    def _masks(self, batch: Any, allowed: Iterable[Labels] | None) -> Any:
        """Allowed labels as a mask over tokens and labels."""
        if allowed is None:
            return ANY_LABEL
        import numpy as np

        names = self._trained().labels
        sets = [
            names if known is None else [known] if isinstance(known, str) else known
            for known in _alongside(batch, allowed, "sets of allowed labels")
        ]
        masks = np.array([[name in known for name in names] for known in sets], np.uint8)
        empty = np.flatnonzero(~masks.reshape(-1, len(names)).any(axis=1))
        if empty.size:
            s = int(np.searchsorted(batch.bounds, empty[0], side="right")) - 1
            raise DataError(
                f"sequence {s + 1} token {int(empty[0]) - int(batch.bounds[s]) + 1} "
                "is allowed no label that the model knows"
            )
        return masks.ravel()

    # Looking inside

    @property
    def labels_(self) -> list[str]:
        return list(self._trained().labels)

    @property
    def n_features_(self) -> int:
        return self._trained().native.n_features

    @property
    def training_(self) -> dict[str, Any]:
        """Facts of the training: settings, sizes, why and when it stopped."""
        return dict(self._trained().facts["training"])

    @property
    def label_column_(self) -> str | None:
        """The corpus column that the tagger was trained on."""
        return self._trained().facts["label"]  # type: ignore[no-any-return]

    @property
    def n_weights_(self) -> int:
        from dovetail.chain.weights import weight_table

        return len(weight_table(self._trained()).weight)

    def top_weights(self, n: int = 20, *, label: str | None = None) -> list[tuple[str, str, float]]:
        """The n largest weights (feature, label, weight), of one label or of all."""
        import numpy as np

        from dovetail.chain.weights import weight_table

        model = self._trained()
        table = weight_table(model)
        chosen = (table.feature >= 0) & (table.previous < 0)
        if label is not None:
            if label not in model.labels:
                raise DataError(
                    f"the model has no label '{label}' (it has {', '.join(model.labels)})"
                )
            chosen &= table.label == model.labels.index(label)
        kept = np.flatnonzero(chosen)
        order = kept[np.argsort(-table.weight[kept], kind="stable")][:n]
        return [
            (model.names[table.feature[k]], model.labels[table.label[k]], float(table.weight[k]))
            for k in order
        ]

    def transitions(self) -> dict[tuple[str, str], float]:
        """Weight of every move from one label to the next."""
        model = self._trained()
        rows = model.native.transitions().tolist()
        return {
            (a, b): rows[i][j]
            for i, a in enumerate(model.labels)
            for j, b in enumerate(model.labels)
        }

    # Keeping it

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file: whole, or not at all."""
        from dovetail.files import atomic_write

        with atomic_write(path) as file:
            file.write(self.to_bytes())

    def to_bytes(self) -> bytes:
        """The model file in memory."""
        return self._trained().to_bytes()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._fitted:
            state["model_"] = self.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "model_" in state:
            self.model_ = ChainModel.load(state["model_"])


def load(
    source: Source, *, features: Featurizer | None = None, threads: int | None = None
) -> Tagger:
    """Open a saved tagger, from a path or from bytes.

    ``features`` is needed only for a model trained on a corpus with a feature function of the
    user's own.
    """
    tagger = Tagger(features=features, threads=threads)
    tagger.model_ = ChainModel.load(source)
    tagger.history_ = []
    training = tagger.model_.facts.get("training", {})
    tagger.stopped_ = training.get("stopped", "")
    return tagger


def _alongside(batch: Any, beside: Iterable[Iterable[Any]], what: str) -> list[Any]:
    """Values that run alongside the tokens of a batch, checked to be one for each."""
    rows = [list(row) for row in beside]
    if len(rows) != batch.n_sequences:
        raise DataError(f"there are {batch.n_sequences} sequences but {len(rows)} with {what}")
    edges = batch.bounds.tolist()
    for number, (row, a, b) in enumerate(zip(rows, edges, edges[1:], strict=False), start=1):
        if len(row) != b - a:
            raise DataError(f"sequence {number} has {b - a} tokens but {len(row)} {what}")
    return [value for row in rows for value in row]


def _cut(values: list[Any], bounds: Any) -> list[list[Any]]:
    """A flat list over tokens, by sequences."""
    edges = bounds.tolist()
    return [values[a:b] for a, b in pairwise(edges)]


def _held_out_scorer(tagger: Tagger, held_out: Any, description: Mapping[str, Any]) -> Any:
    """A function from a model to its score on held-out data: span F1, or accuracy for plain
    labels."""
    from dovetail.corpus import Corpus
    from dovetail.evaluate import evaluate

    if isinstance(held_out, Corpus):
        featurize = tagger._feature_set(description["features"])
        features = [featurize(sequence) for sequence in held_out]
        gold = held_out.lists(description["label"])
    elif description["features"] is not None or not isinstance(held_out, tuple | list):
        raise DataError(
            "held-out data must be of the training data's kind: a corpus beside a corpus, "
            "a pair (features, labels) beside features"
        )
    else:
        features, gold = list(held_out[0]), [list(row) for row in held_out[1]]

    def score(model: ChainModel) -> float:
        report = evaluate(gold, model.tag(features, tagger._threads))
        return report.micro.f1 if report.kind == "spans" else report.accuracy

    return score
