"""The pipeline: annotators in order, and how the columns between them are treated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from dovetail.base import Estimator, clone
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.grid.grid import METHODS
from dovetail.io.model_file import ModelFile, Source
from dovetail.pipeline.choices import DECODINGS, Decode, Training, check_choice
from dovetail.pipeline.decode.decoder import annotated, joint_scores, parts, reports
from dovetail.pipeline.decode.inputs import corpus_of
from dovetail.pipeline.decode.joint import JointScores
from dovetail.pipeline.file import opened, to_bytes
from dovetail.pipeline.layers.annotator import Annotator
from dovetail.pipeline.layers.layer import check_trained, layer_named, layers_of
from dovetail.pipeline.layers.linear import LinearLayer
from dovetail.pipeline.layers.tagger import TaggerLayer
from dovetail.pipeline.representations import added, apart, represented, without
from dovetail.pipeline.train.fit import fit_layers
from dovetail.pipeline.train.held_out import HeldOut
from dovetail.pipeline.train.layerwise import Listener

if TYPE_CHECKING:
    from dovetail.features import Featurizer
    from dovetail.grid import Report
    from dovetail.multitask import LinearTagger
    from dovetail.pipeline.decode.explain import PipelineExplanation
    from dovetail.pipeline.decode.tagging import PipelineTagging
    from dovetail.pipeline.train.auto.pools import Candidates
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
    ``auto``     as soft; in training, the last task gets a pool of what does best on little text,
                 chosen by cross-validation (`dovetail.pipeline.train.auto.pools`).

    The setting can be changed after training: the weights are the same. Only ``auto`` is a way of
    training, too.

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
        self.layers, self.representations = apart(layers, weights)
        self.decode = decode
        self.lattice = lattice
        self.inference = inference
        self.epsilon = epsilon
        self.threads = threads
        self.notes_: list[str] = []
        self.held_out_: list[HeldOut] = []
        self.candidates_: Candidates | None = None
        self._given: dict[str, Any] = {}  # taggers in whose place training put something else
        self._checked = False
        self._check_parameters()

    def _check_parameters(self) -> None:
        check_choice("inference", self.inference, METHODS)
        if self.lattice is not None and self.lattice < 1:
            raise DataError(f"lattice is {self.lattice}; give a number of labellings of at least 1")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; with ``deep`` also those of the layers, as ``ner__c2``."""
        parts: dict[str, Any] = {one.name_: one for one in self.representations}
        parts |= {name: self._given.get(name, self[name]) for name in self.names}
        weights = {name: weight for name, weight in self.weights.items() if weight != 1.0}
        return {**super().get_params(deep), "layers": parts, "weights": weights or None}

    def clone(self) -> Pipeline:
        """The same with layers that are not trained. Representations are inputs, and stay."""
        own = self.get_params(deep=False)
        kept = {one.name_: one for one in self.representations}
        return Pipeline(**{**own, "layers": {**clone(own["layers"]), **kept}})

    def _components(self) -> dict[str, Estimator]:
        named = {name: self._given.get(name, self[name]) for name in self.names}
        return {name: part for name, part in named.items() if isinstance(part, Estimator)}

    def _set(self, name: str, value: Any) -> None:
        if name == "layers":
            self.layers, self.representations = apart(value, None)
            self._given = {}
        elif name == "weights":
            self.weights = dict.fromkeys(self.names, 1.0) | dict(value or {})
        else:
            super()._set(name, value)
        self._checked = False

    @property
    def is_fitted(self) -> bool:
        """Whether all layers are trained, as far as they can be."""
        parts = [self[name] for name in self.names]
        return all(part.is_fitted for part in parts if isinstance(part, Estimator))

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
        annotators = {layer.name: layer.annotator for layer in self.layers}
        self.layers = layers_of(annotators, {**self.weights, **given})

    def __getitem__(self, name: str) -> Any:
        """The tagger, or other annotator, of that name."""
        annotator = layer_named(name, self.layers).annotator
        return annotator.tagger if isinstance(annotator, TaggerLayer | LinearLayer) else annotator

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

        A layer learns the column of its own name (of a name such as ``fields@base``, the part
        before the ``@``), the one that ``labels`` names for it, or else the last of its corpus.
        Layers without data must be trained already.

        What a layer reads of those below it in training: their best labels (``cascade``), their
        probabilities (``soft``), or the labels in its corpus where that has them (``gold``);
        ``auto`` is soft, and what it says above for the last layer. By default it is ``auto`` with
        that decoding and ``cascade`` with others. On text that a lower layer was trained on, its
        column is cross-fitted in ``folds`` parts; ``notes_`` says where. ``joint`` trains all
        layers at once, as one factorial CRF, on a corpus that has all labels. ``callback`` is
        called with a layer's name and a `Progress`.

        With ``auto``, ``same`` says which types of lower labels mean which of the last layer's, as
        far as you know: ``{"PER": "speaker"}``. Those of the same name need not be told.
        ``held_out_`` then has the training text of the last layer with scores of models that have
        not seen it.
        """
        told = dict(same or {})
        fit_layers(self, data, training, dict(labels or {}), told, folds, seed, callback)
        self.weights = self.weights  # what the layers read is known now: sort them again
        self._checked = False
        return self

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
        for part, given in parts(self, corpus, known):
            labelled = annotated(self, part, how, given)
            yield without(labelled, added(corpus, self.representations))

    def tag(
        self, data: Any, *, known: Iterable[str] = (), decode: Decode | None = None
    ) -> list[PipelineTagging]:
        """Labels of every layer with their confidences: of tokens, of spans, of the whole."""
        from dovetail.pipeline.decode.tagging import tagged

        how, found = self._how(decode), parts(self, data, known)
        return [one for part, given in found for one in tagged(self, part, how, given)]

    def predict_nbest(self, data: Any, k: int) -> list[list[tuple[dict[str, list[str]], float]]]:
        """The k best joint labellings of each sequence, with their probabilities."""
        from dovetail.pipeline.decode.tagging import n_best

        return [listed for part, _ in parts(self, data) for listed in n_best(self, part, k)]

    def reports(self, data: Any) -> list[Report]:
        """How joint decoding of this data is computed, and how far it is from exact decoding where
        that is affordable: a report for each set of layers that hang together."""
        self.check()
        return reports(self, represented(self.corpus_of(data), self.representations))

    def explain(self, sequence: Any, *, top: int = 5) -> PipelineExplanation:
        """Where joint decoding decides otherwise than the cascade, and which features made it so.

        ``sequence`` is one of a corpus, or a list of tokens.
        """
        from dovetail.pipeline.decode.explain import explain

        one = sequence.alone() if hasattr(sequence, "alone") else self.corpus_of([sequence])
        return explain(self, represented(one, self.representations), top)

    def tune(self, data: Any, **settings: Any) -> Pipeline:
        """Choose the weights of layers on held-out text; see `train.weights.tune`."""
        from dovetail.pipeline.train.weights import tune

        self.weights = tune(self, data, **settings)
        return self

    def corpus_of(self, data: Any) -> Corpus:
        """Any data that a pipeline reads, as a corpus."""
        return corpus_of(data, self.layers, self.representations)

    def joint_scores(self, corpus: Corpus) -> JointScores:
        """Scores of all layers over a corpus, for joint decoding."""
        return joint_scores(self, represented(corpus, self.representations), {})

    def _how(self, decode: Decode | None) -> Decode:
        how = self.decode if decode is None else decode
        check_choice("decoding", how, DECODINGS)
        return how

    def check(self) -> None:
        """Make sure that all layers are trained, and know what those below them may say."""
        if not self._checked:
            check_trained(self.layers)
            self._checked = True

    # Keeping it

    def to_bytes(self) -> bytes:
        return to_bytes(self)

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
        return opened(cls, source, dict(layers or {}), threads, verify)

    def with_weights(self, **weights: float) -> Pipeline:
        """The same layers under other weights."""
        other = Pipeline.__new__(Pipeline)
        other.__dict__.update(self.__dict__)
        other.layers = [replace(a, weight=weights.get(a.name, a.weight)) for a in self.layers]
        return other
