"""A tagger as a layer of a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.chain.tagger import Tagger
from dovetail.corpus import Column, Corpus
from dovetail.features.latent import LatentTemplate
from dovetail.pipeline.layers.annotator import Latent
from dovetail.pipeline.layers.potentials import Potentials, Scores

if TYPE_CHECKING:
    from dovetail.chain.groups import FeatureGroup
    from dovetail.chain.model import ChainModel


class TaggerLayer:
    """A tagger as an annotator."""

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger
        self.groups: list[FeatureGroup] = []  # what training has found beside the tagger's own
        self._split: tuple[Any, LatentTemplate] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_split": None}  # made again when it is needed

    @property
    def labels_(self) -> list[str]:
        return self.tagger.labels_

    @property
    def reads_(self) -> tuple[str, ...]:
        return self.tagger.reads_

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the tagger, and the groups that training has found. What the tagger itself says
        of a feature comes first."""
        own = self.tagger.get_params(deep=False)
        return {**own, "groups": [*own["groups"], *self.groups]} if self.groups else own

    def fresh(self) -> TaggerLayer:
        """The same settings, not trained."""
        return TaggerLayer(Tagger(**self.settings))

    def fit(self, corpus: Corpus, label: str, callback: Any = None) -> None:
        """Train it on a column of a corpus that has all columns it reads."""
        trained = Tagger(**self.settings) if self.groups else self.tagger
        trained.fit(corpus, label=label, callback=callback)
        for name in ("model_", "history_", "stopped_"):
            setattr(self.tagger, name, getattr(trained, name))

    def reads_guesses(self, latent: Latent) -> bool:
        """Whether some feature needs a guess at a latent column, since it reads it elsewhere than
        at its own token or the one before."""
        split = self._latent_template(latent)
        return split is not None and split.reads_guesses

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """Label scores by features, moves by transitions; what is illegal is minus infinity."""
        model = self.tagger.model_
        split = self._latent_template(latent)
        move = model.native.transitions()
        if split is None:
            batch = self.tagger.encode(corpus)
            made = Potentials(model.labels, model.native.token_scores(batch), move)
        else:
            found = split.scores(model.native, corpus)
            each = move if found.moves is None else found.moves
            made = Potentials(model.labels, found.node, each, found.ties, found.lags)
        return _constrained(made, model, corpus)

    def _latent_template(self, latent: Latent) -> LatentTemplate | None:
        template = self.tagger.template_
        if template is None:
            return None
        key = (template, dict(latent))
        if self._split is None or self._split[0][0] is not template or self._split[0][1] != key[1]:
            self._split = (key, LatentTemplate(template, latent))
        return self._split[1]

    def best(self, corpus: Corpus) -> Column:
        """The best labels of a corpus that has all columns it reads."""
        return Column.from_values(y for labels in self.tagger.predict(corpus) for y in labels)

    def marginals(self, corpus: Corpus) -> Scores:
        """Probabilities of its labels, [tokens x labels]."""
        return self.tagger.marginals(corpus)


def _constrained(made: Potentials, model: ChainModel, corpus: Corpus) -> Potentials:
    n = len(model.labels)
    legal, start, end = (
        np.frombuffer(model.array(name), np.uint8) for name in ("legal", "start", "end")
    )
    if legal.size:
        made.move[..., legal.reshape(n, n) == 0] = -np.inf
    filled = np.diff(corpus.bounds) > 0
    if start.size:
        firsts = corpus.bounds[:-1][filled]
        made.node[firsts[:, None], np.flatnonzero(start == 0)] = -np.inf
    if end.size:
        lasts = corpus.bounds[1:][filled] - 1
        made.node[lasts[:, None], np.flatnonzero(end == 0)] = -np.inf
    return made
