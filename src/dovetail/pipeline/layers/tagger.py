"""A tagger as a layer of a pipeline."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.base.training import was_interrupted
from dovetail.chain.contributions import contributions, differ_at
from dovetail.chain.tagger import Tagger
from dovetail.corpus import Column, Corpus
from dovetail.features.latent import LatentTemplate
from dovetail.pipeline.layers.annotator import Gains
from dovetail.pipeline.layers.known import are_different, known_labels
from dovetail.pipeline.layers.wrapped import WrappedTagger

if TYPE_CHECKING:
    from dovetail.chain.groups import FeatureGroup
    from dovetail.chain.model import ChainModel
    from dovetail.pipeline.layers.parts import PartsReader, PartsWriter


class TaggerLayer(WrappedTagger[Tagger]):
    """A tagger as an annotator."""

    def __init__(self, tagger: Tagger) -> None:
        super().__init__(tagger)
        self.groups: list[FeatureGroup] = []  # priors chosen in training, beside the tagger's own
        self._split: tuple[Any, LatentTemplate] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_split": None}  # made again when it is needed

    @property
    def taggers(self) -> list[Tagger]:
        return [self.tagger]

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the tagger, and the groups chosen in training. What the tagger itself says of a
        feature comes first."""
        own = self.tagger.get_params(deep=False)
        return {**own, "groups": [*own["groups"], *self.groups]} if self.groups else own

    def clone(self) -> TaggerLayer:
        copy = TaggerLayer(self.tagger.clone())
        copy.groups = list(self.groups)
        return copy

    def fit(
        self,
        corpus: Corpus,
        label: str,
        callback: Any = None,
        weights: Sequence[float] | None = None,
    ) -> None:
        """Train it; ``weights`` are those of sequences."""
        trained = Tagger(**self.settings) if self.groups else self.tagger
        trained.fit(corpus, label=label, weights=weights, callback=callback)
        for name in ("model_", "history_", "stopped_"):
            setattr(self.tagger, name, getattr(trained, name))

    @property
    def is_interrupted(self) -> bool:
        return was_interrupted(self.tagger.stopped_)

    def reads_guesses(self, latent: Latent) -> bool:
        """Whether some feature needs a guess at a latent column, since it reads it elsewhere than
        at its own token or the one before."""
        split = self._latent_template(latent)
        return split is not None and split.reads_guesses

    def scores_a_token(self, latent: Latent) -> int:
        split = self._latent_template(latent)
        return 0 if split is None else split.transitions_a_token * len(self.labels_) ** 2

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """Label scores by features, and transitions; what is illegal is minus infinity."""
        model = self.tagger.model_
        split = self._latent_template(latent)
        transitions = model.native.transitions()
        if split is None:
            batch = self.tagger.encode(corpus)
            scores = Potentials(model.labels, model.native.token_scores(batch), transitions)
        else:
            found = split.scores(model.native, corpus)
            each = transitions if found.transitions is None else found.transitions
            scores = Potentials(
                model.labels, found.node, each, found.cotemporal, found.lagged, found.conditioned
            )
        return _constrain(scores, model, corpus)

    def _latent_template(self, latent: Latent) -> LatentTemplate | None:
        template = self.tagger.template_
        if template is None:
            return None
        key = (template, dict(latent))
        if self._split is None or self._split[0][0] is not template or self._split[0][1] != key[1]:
            self._split = (key, LatentTemplate(template, latent))
        return self._split[1]

    def share_template(self, other: TaggerLayer) -> None:
        """Take over what another layer has found out of the same template, for the same latent
        columns."""
        self._split = other._split

    def best(self, corpus: Corpus) -> Column:
        return Column.from_values(y for labels in self.tagger.predict(corpus) for y in labels)

    def marginals(self, corpus: Corpus, threads: int | None) -> Scores:  # noqa: ARG002
        return self.tagger.marginals(corpus)

    def gains(self, column: str, joint: Corpus, cascade: Corpus) -> Gains:
        """By feature, and by transition."""
        gains: Gains = defaultdict(float)
        model = self.tagger.model_
        batches = [self.tagger.encode(answer) for answer in (joint, cascade)]
        codes = [known_labels(column, self.labels_, answer).codes for answer in (joint, cascade)]
        changed = are_different(*codes) | differ_at(*batches)
        for sign, batch, own in zip((1, -1), batches, codes, strict=True):
            for token, found in contributions(model, batch, own, np.flatnonzero(changed)):
                for source, score in found.items():
                    gains[token, source] += sign * score
        return gains

    def describe(self) -> dict[str, Any]:
        """Sizes, the label scheme, and the penalty that training used."""
        return {
            "kind": self.tagger.kind,
            "reads": list(self.reads_),
            "scheme": self.tagger.model_.facts["scheme"],
            "c1": self.tagger.c1,
            "c2": self.tagger.c2_,
            "n_features": self.tagger.n_features_,
            "n_weights": self.tagger.n_weights_,
            "stopped": self.tagger.stopped_,
        }

    def spec(self, parts: PartsWriter) -> dict[str, Any]:
        return {"kind": "tagger", "array": parts.add("tagger", self.tagger.to_bytes()), "logs": []}


def load_tagger(spec: Mapping[str, Any], parts: PartsReader) -> Tagger:
    """The tagger that a spec names."""
    return Tagger.load(parts.open(spec), features=parts.given, threads=parts.threads)


def _constrain(scores: Potentials, model: ChainModel, corpus: Corpus) -> Potentials:
    n = len(model.labels)
    legal, start, end = (
        np.frombuffer(model.array(name), np.uint8) for name in ("legal", "start", "end")
    )
    if legal.size:
        scores.transitions[..., legal.reshape(n, n) == 0] = -np.inf
    filled = np.diff(corpus.bounds) > 0
    if start.size:
        firsts = corpus.bounds[:-1][filled]
        scores.node[firsts[:, None], np.flatnonzero(start == 0)] = -np.inf
    if end.size:
        lasts = corpus.bounds[1:][filled] - 1
        scores.node[lasts[:, None], np.flatnonzero(end == 0)] = -np.inf
    return scores
