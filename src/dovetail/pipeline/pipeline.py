"""The pipeline: annotators in order, and how the columns between them are treated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dovetail.base.annotator import Annotator
from dovetail.corpus import Corpus
from dovetail.errors import DataError, DovetailError
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.pipeline.choices import Decode, Training
from dovetail.pipeline.file import SETTINGS, damage_error, pipeline_bytes, read_pipeline
from dovetail.pipeline.labelling import LayeredLabeller

if TYPE_CHECKING:
    from dovetail.features import Featurizer
    from dovetail.pipeline.composition import Part
    from dovetail.pipeline.train.auto.pools import Candidates
    from dovetail.pipeline.train.held_out import HeldOut
    from dovetail.pipeline.train.layerwise import Listener
    from dovetail.pipeline.train.result import TrainingResult


class Pipeline(LayeredLabeller):
    """Taggers in order, each of which may read the columns that those before it write.

    A column between two of them is absent, observed, soft or latent, by ``decode``:

    - ``none``: nothing passes; each tagger sees only what the data has.
    - ``cascade``: each tagger's best labels are what the next one reads.
    - ``soft``: each tagger's label probabilities are what the next one reads.
    - ``lattice``: each tagger's best labellings, with their probabilities, are what the next one
      reads; its own answer is that of the mixture.
    - ``joint``: nothing is fixed. All labels of a sequence are found together, as the best of one
      factorial CRF whose score is the sum of all taggers' scores.
    - ``auto``: as ``soft``, and `fit` trains with ``training="auto"`` by default.

    The setting can be changed after training: it decides how trained layers are decoded, and
    training does not depend on it, but for the default that ``auto`` sets.

    Parameters
    ----------
    layers
        Taggers by the names of the columns that they write, trained or not; or a list of trained
        ones, which write the columns that they were trained on. Also a `LinearTagger`, `Pool`,
        `Scores`, or anything that is an `Annotator`. A trained representation of words, such as an
        `HMM`, is no layer but an input: its columns are added to all data, unless they are there.
    weights
        Factors on the layers' scores in joint decoding, by default 1; `tune` finds good ones.
    lattice
        How many best labellings pass upward: with ``lattice``, by default 5; with ``soft``, the
        share of each label in these, instead of marginals.
    inference, epsilon
        How a joint model is decoded: ``auto``, ``exact``, ``sparse``, ``beam`` or ``loopy``, and
        the mass that sparse decoding may leave out; see `Grid`.

    Examples
    --------
    >>> from dovetail import Corpus, Tagger
    >>> news = Corpus.from_lists({"word": [["Ada", "spoke"], ["he", "saw", "Ada"]],
    ...                           "ner": [["PER", "O"], ["O", "O", "PER"]]})
    >>> talks = Corpus.from_lists({"word": [["by", "Ada"]], "fields": [["O", "SPEAKER"]]})
    >>> pipeline = Pipeline({"ner": Tagger(c2=0.1), "fields": Tagger(c2=0.1)}, decode="joint")
    >>> pipeline.fit({"ner": news, "fields": talks}).predict([["by", "Ada"]])["fields"]
    [['O', 'SPEAKER']]
    """

    kind = "pipeline"

    def __init__(
        self,
        layers: Mapping[str, Part] | Sequence[Part],
        *,
        decode: Decode = "joint",
        weights: Mapping[str, float] | None = None,
        lattice: int | None = None,
        inference: str = "auto",
        epsilon: float = 1e-4,
        threads: int | None = None,
    ) -> None:
        self._take_parts(layers, weights)
        self.decode = decode
        self.lattice = lattice
        self.inference = inference
        self.epsilon = epsilon
        self.threads = threads
        self.notes_: list[str] = []
        self.training_: dict[str, dict[str, Any]] = {}
        self.held_out_: list[HeldOut] = []
        self.candidates_: Candidates | None = None
        self.interrupted_ = False
        self._check_parameters()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "held_out_": [], "candidates_": None}  # for use after training

    # Training

    def fit(
        self,
        data: Corpus | Mapping[str, Corpus],
        *,
        training: Training | None = None,
        labels: Mapping[str, str] | None = None,
        same: Mapping[str, str] | None = None,
        old_text: Mapping[str, Corpus] | None = None,
        folds: int = 5,
        seed: int = 0,
        callback: Listener | None = None,
        cluster: Any = None,
    ) -> Pipeline:
        """Train the layers one after another, each on a corpus of its own or all on one.

        Clones are trained: what the pipeline was given stays as it is, and ``pipeline[name]`` is
        the trained tagger.

        A layer learns the column of its own name (of a name such as ``fields@base``, the part
        before the ``@``), the one that ``labels`` names for it, or else the last of its corpus.
        Layers without data must be trained already.

        What a layer reads of those below it in training: their best labels (``cascade``), their
        probabilities (``soft``), their best labellings as texts of their own, weighted by their
        probabilities (``lattice``), or the labels in its corpus where that has them (``gold``).
        ``auto`` is soft, and the last layer becomes a pool of what does best on little text,
        selected by cross-validation: an annotator that the pipeline tags with, saves and loads. By
        default it is ``auto`` for a pipeline of that decoding and ``cascade`` for others. On text
        that a lower layer was trained on, its column is cross-fitted in ``folds`` parts; ``notes_``
        says where. ``joint`` trains all layers at once, as one factorial CRF, on a corpus that has
        all labels. ``callback`` is called with a layer's name and a `Progress`.

        With ``auto``, ``same`` says which types of lower labels mean which of the last layer's, as
        far as you know: ``{"PER": "speaker"}``. Those of the same name need not be told.
        It also learns from the text of lower tasks, where these have the same types: from what
        ``data`` has of them and, for those that are trained already, from ``old_text``.
        ``held_out_`` then has the training text of the last layer with scores of models that have
        not seen it.

        ``training_`` has facts of the training by layer.

        ``cluster``, a Dask client or what `dovetail.base.cluster.open_cluster` takes, trains models
        for cross-fitting and cross-validation on its workers; the result has the same bits.

        Ctrl-C in the training of the last task ends it with what there is: the best model so far,
        of ``auto`` the best that was finished. ``interrupted_`` and ``notes_`` then say so. Before
        that, nothing of the pipeline changes, and KeyboardInterrupt is raised.
        """
        from dovetail.base.cluster import open_executor  # these are not needed to start and tag
        from dovetail.pipeline.train.fit import Trainer

        with nullcontext() if cluster is None else open_executor(cluster) as workers:
            trainer = Trainer(
                self._decoder,
                self._untrained,
                self.representations,
                self.decode,
                training=training,
                labels=labels,
                same=same,
                old_text=old_text,
                folds=folds,
                seed=seed,
                callback=callback,
                cluster=workers,
            )
            self._put(trainer.fit(data))
        return self

    def _put(self, result: TrainingResult) -> None:
        self.layers = list(result.layers)
        self.notes_ = list(result.notes)
        self.training_ = {**self.training_, **result.facts}
        self.held_out_ = list(result.held_out)
        self.candidates_ = result.candidates
        self.interrupted_ = result.interrupted
        self._checked = False

    def without_transfer(self) -> Pipeline:
        """The last task of a pipeline that was just trained with ``auto``, as if there were no
        tasks below: made of the same models, to tell what transfer is worth."""
        if self.candidates_ is None:
            raise DataError("transfer can be taken away only right after fit(training='auto')")
        candidates = self.candidates_.without_transfer()
        pool, last = candidates.select_pool(), self.layers[-1]
        alone = self.with_layers([replace(last, annotator=pool.annotator)])
        alone.notes_ = [*self.notes_, f"{last.name}: {pool.note}"]
        alone.held_out_, alone.candidates_ = pool.held_out, candidates
        own = {"candidates": pool.scores, "selected": pool.name}
        alone.training_ = {last.name: {**self.training_[last.name], **own}}
        return alone

    def tune(self, data: Any, **settings: Any) -> Pipeline:
        """Choose the weights of layers on held-out text; settings are those of
        `dovetail.pipeline.train.weights.choose_weights`."""
        from dovetail.pipeline.train.weights import choose_weights  # not needed to start and tag

        def predict(weights: Mapping[str, float]) -> dict[str, list[list[str]]]:
            return self.with_weights(**weights).predict(data, decode="joint")

        self.weights = choose_weights(self.weights, predict, data, **settings)
        return self

    # Keeping it

    def to_bytes(self) -> bytes:
        settings = {name: getattr(self, name) for name in SETTINGS}
        return pipeline_bytes(
            self.layers,
            self._untrained,
            self.representations,
            settings,
            self.notes_,
            self.training_,
        )

    @classmethod
    def load(
        cls,
        source: Source | ModelFile,
        *,
        layers: Mapping[str, Annotator | Featurizer] | None = None,
        threads: int | None = None,
        verify: bool | None = None,
    ) -> Pipeline:
        """Open a saved pipeline, from a path or from bytes.

        ``layers`` has by name what no file can hold: annotators of your own, and the feature
        functions of taggers that have one. ``verify`` is that of `dovetail.load`.
        """
        file = open_model(source, verify)
        file.check_kind(cls.kind)
        saved = read_pipeline(file, layers or {}, threads)
        try:
            pipeline = cls(saved.parts, weights=saved.weights, threads=threads, **saved.settings)
        except DovetailError:
            raise
        except (TypeError, ValueError, AttributeError):
            raise damage_error(file) from None
        pipeline._untrained.update(saved.untrained)
        pipeline.notes_, pipeline.training_ = saved.notes, saved.training
        return pipeline
