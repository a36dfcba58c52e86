"""The tagger: parameters in, a trained CRF out.

Only what tagging needs is imported here; training, NumPy and corpora come in when they are used.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from dovetail.base.parameters import parameters_of
from dovetail.chain.inputs import held_out_scorer, index_training_data
from dovetail.chain.model import ChainModel
from dovetail.chain.queries import TaggerQueries
from dovetail.data import is_on_disk
from dovetail.errors import DataError, TrainingError
from dovetail.io.model_file import TAGGER, ModelFile, Source, open_model

if TYPE_CHECKING:
    from dovetail.chain.constraints import Constraints
    from dovetail.chain.groups import FeatureGroup
    from dovetail.chain.train.fitting import Fitting
    from dovetail.chain.train.methods import Method
    from dovetail.chain.train.steps import Callback, Progress
    from dovetail.corpus import Corpus, Shards
    from dovetail.features import Dataset, Featurizer, Labels, Template

SCHEMES = ("IOB1", "IOB2", "IOBES", "auto")  # constraints by name


class Tagger(TaggerQueries):
    """A linear-chain CRF for sequence labelling.

    Data is a `Corpus`, or sequences of token features as python-crfsuite has them: each token a
    list of strings, or a dict from string to number. A label may be None (unknown) or a set of
    labels (one of these).

    Parameters
    ----------
    features
        How data becomes features: a `Template`, the name of a ready-made one, or a function from a
        sequence to a list of token features; by default a template that suits the columns. Lists
        of tokens need one of these; without, lists hold token features.
    c1, c2
        Strength of the L1 and L2 penalties; a Gaussian prior of variance v is c2 = 1 / (2 v).
        ``auto``: a prior that suits the features and the amount of text, see
        `dovetail.chain.train.prior`; what it is stands in `training_`.
    method
        ``auto`` chooses; else ``lbfgs``, ``dual``, ``sgd`` or ``perceptron``.
    tolerance
        Stop when the objective is certified to be within this of its minimum, relative to it.
    min_count
        Features seen less often are left out.
    all_pairs, all_transitions
        Weights for every (feature, label) and every transition, not only those seen in training.
    boundaries
        Weights for starting and ending with a label.
    groups
        Priors and roles of groups of features, see `FeatureGroup`.
    constraints
        Legal label sequences: ``IOB1``, ``IOB2``, ``IOBES``, `Constraints`, or ``auto``: the scheme
        of the data, where sequences that break the scheme of most are read as conlleval reads
        them. ``training_["constraints_used"]`` says which, or "none".
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

    kind = TAGGER
    fitted_by = "model_"

    model_: ChainModel
    history_: list[Progress]
    stopped_: str

    def __init__(
        self,
        *,
        features: Template | Featurizer | str | None = None,
        c1: float = 0.0,
        c2: float | Literal["auto"] = "auto",
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
        self.features = features
        self.c1 = c1
        self.c2 = c2
        self.method = method
        self.tolerance = tolerance
        self.max_iterations = max_iterations
        self.min_count = min_count
        self.all_pairs = all_pairs
        self.all_transitions = all_transitions
        self.boundaries = boundaries
        self.groups = tuple(groups)
        self.constraints = constraints
        self.label_weights = label_weights
        self.precision = precision
        self.threads = threads
        self.seed = seed
        self.memory_limit = memory_limit

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.groups, list | tuple) or not all(
            hasattr(group, "pattern") for group in self.groups
        ):
            raise TrainingError(f"groups is {self.groups!r}; give a list of FeatureGroup")
        if not (isinstance(self.constraints, str | None) or hasattr(self.constraints, "matrix")):
            raise TrainingError(
                f"constraints is {self.constraints!r}; give a scheme such as IOB2, 'auto', "
                "Constraints, or None"
            )
        if not isinstance(self.label_weights, Mapping | None):
            raise TrainingError(
                f"label_weights is {self.label_weights!r}; give a number for each label"
            )

    # Training

    def fit(
        self,
        data: Corpus | Shards | Dataset | Iterable[Iterable[Any]],
        labels: Iterable[Labels] | None = None,
        *,
        label: str | None = None,
        weights: Iterable[float] | None = None,
        allowed: Iterable[Labels] | None = None,
        held_out: Any = None,
        patience: int = 5,
        warm_start: Tagger | Source | None = None,
        resume: Source | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        callback: Callback | None = None,
        origin: Mapping[str, Any] | None = None,
        cluster: Any = None,
    ) -> Tagger:
        """Train on a corpus (its column ``label``, by default the last), on feature lists, on
        indexed data, or on a corpus on disk.

        ``held_out``, a corpus or a pair (features, labels), is scored after every round; the best
        round's weights are kept, and ``patience`` rounds without a better one end the training.
        ``warm_start`` begins with an earlier tagger's weights, also where labels have changed.
        ``checkpoint`` names a model file that is rewritten as training goes on; ``resume`` goes on
        with one as if the training had never ended, with the same data, settings and held-out data
        (``max_iterations`` may be another). ``callback`` is called with a `Progress` after every
        round and may return True to stop. Ctrl-C ends the training with the best model so far.
        ``origin`` says where the data is from, in names and values of your own, and becomes part of
        `training_`.

        A corpus on disk, `dovetail.corpus.Shards`, is trained on part by part, by the workers of
        ``cluster`` where one is given: a Dask client, or what `dovetail.base.cluster.open_cluster`
        takes. The model has the same bits wherever its parts are worked on.
        """
        from dovetail.chain.train.fitting import Fitting

        self._check_parameters()
        own = self.features
        options = {
            "held_out": held_out,
            "patience": patience,
            "warm_start": warm_start,
            "resume": resume,
            "checkpoint": checkpoint,
            "callback": callback,
            "origin": origin,
        }
        if is_on_disk(data):
            if any(given is not None for given in (labels, weights, allowed)):
                raise DataError("a corpus on disk has its labels in a column: give its name")
            return self._fit_shards(data, label, cluster, options)
        if cluster is not None:
            from dovetail.base.cluster import refuse_cluster

            refuse_cluster(cluster)

        dataset, description = index_training_data(
            data, labels, label, weights, allowed, own, self.constraints
        )
        self._train(Fitting(self, dataset), description, **options)
        if dataset.template is own:
            self.model_.accepted = dataset.template
        return self

    def _fit_shards(
        self, shards: Any, label: str | None, cluster: Any, options: Mapping[str, Any]
    ) -> Tagger:
        from dovetail.chain.train.shards.fitting import open_training

        with open_training(self, shards, label, cluster) as fitting:
            self._train(fitting, fitting.description, **options)
        return self

    def _train(
        self,
        fitting: Fitting,
        description: Mapping[str, Any],
        *,
        held_out: Any,
        warm_start: Tagger | Source | None,
        origin: Mapping[str, Any] | None,
        **options: Any,
    ) -> None:
        """Have a training made, and keep what comes of it; the options are those of `fit`."""
        score = None
        if held_out is not None:
            score = held_out_scorer(held_out, description, self.features, self._threads)
        if warm_start is not None and not isinstance(warm_start, Tagger):
            warm_start = Tagger.load(warm_start)
        self.model_, self.history_, self.stopped_ = fitting.train(
            description=description,
            held_out=score,
            warm_start=None if warm_start is None else warm_start.model_,
            origin=origin or {},
            **options,
        )

    def index(
        self, data: Any, labels: Iterable[Labels] | None = None, *, label: str | None = None
    ) -> Dataset:
        """Training data with its features made and numbered, for several trainings on it or, with
        its ``select``, on parts of it: `fit` takes it, and what asks a model for labels takes it
        too.
        """
        self._check_parameters()
        dataset, facts = index_training_data(
            data, labels, label, None, None, self.features, self.constraints
        )
        dataset.facts = facts
        return dataset

    def dry_run(
        self, data: Any, labels: Iterable[Labels] | None = None, *, label: str | None = None
    ) -> dict[str, Any]:
        """Sizes that a training on this data would have, and the memory it would take."""
        from dovetail.chain.train.fitting import Fitting

        self._check_parameters()
        dataset, _ = index_training_data(
            data, labels, label, None, None, self.features, self.constraints
        )
        return Fitting(self, dataset).sizes()

    # Keeping it

    def to_bytes(self) -> bytes:
        return self.model_.to_bytes()

    @classmethod
    def load(
        cls,
        source: Source | ModelFile,
        *,
        features: Template | Featurizer | None = None,
        threads: int | None = None,
        verify: bool | None = None,
    ) -> Tagger:
        """Open a saved tagger, from a path or from bytes.

        ``features`` is needed only for a model trained on a corpus with a feature function of the
        user's own; ``verify`` is that of `dovetail.load`.
        """
        file = open_model(source, verify)
        file.check_kind(cls.kind)
        return cls.from_model(ChainModel(file), features=features, threads=threads)

    @classmethod
    def from_model(
        cls,
        model: ChainModel,
        *,
        features: Template | Featurizer | None = None,
        threads: int | None = None,
    ) -> Tagger:
        """A tagger with a model that was trained elsewhere, and the parameters that its file
        tells."""
        saved = _saved_parameters(model)
        if features is not None:
            saved["features"] = features
        tagger = cls(threads=threads, **saved)
        tagger.model_, tagger.history_ = model, []
        tagger.stopped_ = str(model.facts["training"].get("stopped", ""))
        return tagger

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self.is_fitted:
            state["model_"] = self.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "model_" in state:
            self.model_ = ChainModel.load(state["model_"])


def _saved_parameters(model: ChainModel) -> dict[str, Any]:
    """The parameters that a model was trained with, as far as a file can hold them."""
    saved = model.facts["training"].get("settings")
    if not isinstance(saved, dict):
        return {}
    found = {name: saved[name] for name in parameters_of(Tagger) if name in saved}
    if "features" not in saved and model.has_saved_template:
        found["features"] = model.accepted = model.template
    if found.get("constraints") not in SCHEMES:
        found.pop("constraints", None)  # those of a user's own
    if found.get("groups"):
        from dovetail.chain.groups import FeatureGroup  # few models have any

        found["groups"] = [FeatureGroup(**group) for group in found["groups"]]
    return found
