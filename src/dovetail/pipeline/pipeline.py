"""The pipeline: annotators in order, and how the columns between them are treated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from dovetail.base import Estimator, clone
from dovetail.base.annotator import Annotator
from dovetail.base.potentials import Potentials
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError, DovetailError
from dovetail.grid.grid import METHODS
from dovetail.io.model_file import ModelFile, Source, open_model
from dovetail.pipeline.choices import DECODINGS, Decode, Training, check_choice
from dovetail.pipeline.decode.decoder import Decoder
from dovetail.pipeline.decode.explain import PipelineExplanation, explain_changes
from dovetail.pipeline.decode.inputs import as_corpus, split_corpus
from dovetail.pipeline.decode.joint import JointScores, annotate_in_order
from dovetail.pipeline.decode.tagging import PipelineTagging, find_n_best, tag_corpus
from dovetail.pipeline.file import SETTINGS, damaged, pipeline_bytes, read_pipeline
from dovetail.pipeline.layers.known import Known, known_labels
from dovetail.pipeline.layers.layer import Layer, check_fitted, layer_named, weigh_layers
from dovetail.pipeline.representations import (
    added,
    apart,
    of_whole_corpora,
    represented,
    without,
)

if TYPE_CHECKING:
    from dovetail.features import Featurizer
    from dovetail.grid import Report
    from dovetail.multitask import LinearTagger
    from dovetail.pipeline.train.auto.pools import Candidates
    from dovetail.pipeline.train.held_out import HeldOut
    from dovetail.pipeline.train.layerwise import Listener
    from dovetail.pipeline.train.result import TrainingResult
    from dovetail.representation import Representation

    Part = Tagger | LinearTagger | Annotator | Representation


class Pipeline(Estimator):
    """Taggers in order, each of which may read the columns that those before it write.

    A column between two of them is absent, observed, soft or latent, by ``decode``:

    ``none``     nothing passes; each tagger sees only what the data has.
    ``cascade``  each tagger's best labels are what the next one reads.
    ``soft``     each tagger's label probabilities are what the next one reads.
    ``joint``    nothing is fixed: all labels of a sequence are found together, as the best of one
                 factorial CRF whose score is the sum of all taggers' scores.
    ``auto``     as soft, and `fit` trains with ``training="auto"`` unless told otherwise.

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
        With ``soft``, pass on the distribution over so many best labellings instead of marginals.
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
    fitted_by = None

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

    def _take_parts(
        self, parts: Mapping[str, Part] | Sequence[Part], weights: Mapping[str, float] | None
    ) -> None:
        self.layers, self.representations = apart(parts, weights)
        # What is given stays as it is: fit trains clones of it.
        self._untrained = {layer.name: layer.annotator for layer in self.layers}
        self._checked = False

    def _check_parameters(self) -> None:
        check_choice("inference", self.inference, METHODS)
        if self.lattice is not None and self.lattice < 1:
            raise DataError(f"lattice is {self.lattice}; give a number of labellings of at least 1")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` also those of the layers, as ``ner__c2``."""
        parts: dict[str, Any] = {one.name_: one for one in self.representations}
        parts |= {name: self._untrained[name].source for name in self.names}
        weights = {name: weight for name, weight in self.weights.items() if weight != 1.0}
        return {**super().get_params(deep), "layers": parts, "weights": weights or None}

    def clone(self) -> Pipeline:
        """The same with layers that are not trained. Representations are inputs, and stay."""
        parameters = self.get_params(deep=False)
        kept = {one.name_: one for one in self.representations}
        return Pipeline(**{**parameters, "layers": {**clone(parameters["layers"]), **kept}})

    def _components(self) -> dict[str, Estimator]:
        named = {name: self._untrained[name].source for name in self.names}
        return {name: part for name, part in named.items() if isinstance(part, Estimator)}

    def _set(self, name: str, value: Any) -> None:
        if name == "layers":
            self._replace_parts(value)
        elif name in self.names:
            if value is not self._untrained[name].source:
                parts = {one.name_: one for one in self.representations}
                parts |= {other: self._untrained[other].source for other in self.names}
                self._replace_parts({**parts, name: value})
        elif name == "weights":
            self.weights = dict.fromkeys(self.names, 1.0) | dict(value or {})
        else:
            super()._set(name, value)
        self._checked = False

    def _setting_order(self, name: str) -> int:
        """The layers, then each of them, their weights and parameters."""
        return 0 if name == "layers" else 1 + name.count("__")

    def _replace_parts(self, parts: Mapping[str, Part] | Sequence[Part]) -> None:
        """Take other layers; those of the same name keep their weights."""
        before = self.weights
        self._take_parts(parts, None)
        self.weights = {name: before[name] for name in self.names if name in before}

    @property
    def is_fitted(self) -> bool:
        """Whether all layers are trained, as far as they can be."""
        return all(layer.annotator.is_fitted for layer in self.layers)

    @property
    def decode(self) -> Decode:
        """How the columns between the layers are treated."""
        return self._decode

    @decode.setter
    def decode(self, value: Decode) -> None:
        check_choice("decoding", value, DECODINGS)
        self._decode = value

    @property
    def names(self) -> list[str]:
        """Names of the layers, from the first to the last."""
        return [layer.name for layer in self.layers]

    @property
    def weights(self) -> dict[str, float]:
        """Factors on the layers' scores in joint decoding."""
        return {layer.name: layer.weight for layer in self.layers}

    @weights.setter
    def weights(self, given: Mapping[str, float]) -> None:
        self.layers = weigh_layers(self.layers, given)

    def __getitem__(self, name: str) -> Any:
        """The tagger, or other annotator, of that name: after training the trained one."""
        return layer_named(name, self.layers).annotator.source

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
        folds: int = 5,
        seed: int = 0,
        callback: Listener | None = None,
    ) -> Pipeline:
        """Train the layers one after another, each on a corpus of its own or all on one.

        Clones are trained: what the pipeline was given stays as it is, and ``pipeline[name]`` is
        the trained tagger.

        A layer learns the column of its own name (of a name such as ``fields@base``, the part
        before the ``@``), the one that ``labels`` names for it, or else the last of its corpus.
        Layers without data must be trained already.

        What a layer reads of those below it in training: their best labels (``cascade``), their
        probabilities (``soft``), or the labels in its corpus where that has them (``gold``).
        ``auto`` is soft, and the last layer becomes a pool of what does best on little text,
        selected by cross-validation: an annotator that the pipeline tags with, saves and loads. By
        default it is ``auto`` for a pipeline of that decoding and ``cascade`` for others. On text
        that a lower layer was trained on, its column is cross-fitted in ``folds`` parts; ``notes_``
        says where. ``training_`` has facts of it by layer. ``joint`` trains all layers at once, as
        one factorial CRF, on a corpus that has all labels. ``callback`` is called with a layer's
        name and a `Progress`.

        With ``auto``, ``same`` says which types of lower labels mean which of the last layer's, as
        far as you know: ``{"PER": "speaker"}``. Those of the same name need not be told.
        ``held_out_`` then has the training text of the last layer with scores of models that have
        not seen it.

        Ctrl-C in the training of the last task ends it with what there is: the best model so far,
        of ``auto`` the best that was finished. ``interrupted_`` and ``notes_`` then say so. Before
        that, nothing of the pipeline changes, and KeyboardInterrupt is raised.
        """
        from dovetail.pipeline.train.fit import Trainer  # not needed to start and tag

        trainer = Trainer(
            self._decoder,
            self._untrained,
            self.representations,
            self.decode,
            training=training,
            labels=labels,
            same=same,
            folds=folds,
            seed=seed,
            callback=callback,
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

    # Using it

    def predict(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> dict[str, list[list[str]]]:
        """Labels of every layer, for a corpus or for lists of tokens.

        ``known`` names layers whose labels the corpus has; what is missing there is found.
        """
        out: dict[str, list[list[str]]] = {name: [] for name in self.names}
        for part in self.annotate_parts(data, known=known, decode=decode):
            for name in out:
                out[name] += cast("list[list[str]]", part.lists(name))
        return out

    def annotate(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> Corpus:
        """The corpus with a column of labels for every layer."""
        return Corpus.concatenate(self.annotate_parts(data, known=known, decode=decode))

    def annotate_parts(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> Iterator[Corpus]:
        """The same in parts, as they are decoded."""
        how, corpus = self._how(decode), self.corpus_of(data)
        for part, given in self.split(corpus, known):
            labelled = self._decoder.annotate(part, how, given)
            yield without(labelled, added(corpus, self.representations))

    def tag(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> list[PipelineTagging]:
        """Labels of every layer with their confidences: of tokens, of spans, of the whole."""
        how, split = self._how(decode), self.split(data, known)
        return [one for part, given in split for one in tag_corpus(self._decoder, part, how, given)]

    def predict_nbest(self, data: Any, k: int) -> list[list[tuple[dict[str, list[str]], float]]]:
        """The k best joint labellings of each sequence, with their probabilities."""
        split = self.split(data)
        return [ranked for part, _ in split for ranked in find_n_best(self._decoder, part, k)]

    def reports(self, data: Any) -> list[Report]:
        """How joint decoding of this data is computed, and how far it is from exact decoding where
        that is affordable: a report for each set of layers that hang together."""
        self.check()
        return self._decoder.reports(represented(self.corpus_of(data), self.representations))

    def explain(self, sequence: Any, *, top: int = 5) -> PipelineExplanation:
        """Where joint decoding decides otherwise than the cascade, and which features made it so.

        ``sequence`` is one of a corpus, or a list of tokens.
        """
        self.check()
        one = sequence.to_corpus() if hasattr(sequence, "to_corpus") else self.corpus_of([sequence])
        return explain_changes(self._decoder, represented(one, self.representations), top)

    def tune(self, data: Any, **settings: Any) -> Pipeline:
        """Choose the weights of layers on held-out text; settings are those of
        `dovetail.pipeline.train.weights.choose_weights`."""
        from dovetail.pipeline.train.weights import choose_weights  # not needed to start and tag

        def predict(weights: Mapping[str, float]) -> dict[str, list[list[str]]]:
            return self.with_weights(**weights).predict(data, decode="joint")

        self.weights = choose_weights(self.weights, predict, data, **settings)
        return self

    def corpus_of(self, data: Any) -> Corpus:
        """Any data that a pipeline reads, as a corpus."""
        return as_corpus(data, self.layers, self.representations)

    def joint_scores(self, corpus: Corpus) -> JointScores:
        """Scores of all layers over a corpus, for joint decoding."""
        return self._decoder.joint_scores(represented(corpus, self.representations), {})

    def last_potentials(self, corpus: Corpus, decode: Decode) -> Potentials:
        """Scores of the last layer given what those below pass on; of data that `split` gives."""
        passed = self._decoder.passing(decode, {})
        filled = annotate_in_order(self.layers[:-1], corpus, passed)
        return self.layers[-1].annotator.potentials(filled, {})

    def split(
        self, data: Any, known: Iterable[str] = ()
    ) -> Iterator[tuple[Corpus, dict[str, Known]]]:
        """Data in parts that are decoded at a time, represented, with labels of layers that are
        known."""
        self.check()
        layers = [layer_named(name, self.layers) for name in known]
        corpus = represented(self.corpus_of(data), of_whole_corpora(self.representations))
        for part in split_corpus(corpus, self.layers):
            given = {layer.name: known_labels(layer.name, layer.labels, part) for layer in layers}
            yield represented(part, self.representations), given

    @property
    def _decoder(self) -> Decoder:
        return Decoder(self.layers, self.lattice, self.inference, self.epsilon, self.threads)

    def _how(self, decode: Decode | None) -> Decode:
        how = self.decode if decode is None else decode
        check_choice("decoding", how, DECODINGS)
        return how

    def check(self) -> None:
        """Make sure that all layers are trained, and know what those below them may say."""
        if not self._checked:
            check_fitted(self.layers)
            self._checked = True

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
            raise damaged(file) from None
        pipeline._untrained.update(saved.untrained)
        pipeline.notes_, pipeline.training_ = saved.notes, saved.training
        return pipeline

    def with_weights(self, **weights: float) -> Pipeline:
        """The same layers under other weights."""
        return self.with_layers(weigh_layers(self.layers, weights))

    def with_layers(self, layers: Sequence[Layer]) -> Pipeline:
        """The same settings and representations with these layers. Parameters can be changed, and
        layers trained, without effect on this pipeline."""
        other = Pipeline.__new__(Pipeline)
        other.__dict__.update(self.__dict__)
        other._untrained = {name: layer.copy() for name, layer in self._untrained.items()}
        copies = {id(self._untrained[name]): layer for name, layer in other._untrained.items()}
        other.layers = [
            replace(layer, annotator=copies.get(id(layer.annotator), layer.annotator))
            for layer in layers
        ]
        other.representations, other.notes_ = [*self.representations], [*self.notes_]
        for layer in other.layers:
            other._untrained.setdefault(layer.name, layer.annotator)
        other.held_out_ = [*self.held_out_]
        other.training_ = {name: dict(facts) for name, facts in self.training_.items()}
        other._checked = False
        return other
