"""Opinion pools: several models of one task that decide together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import inf
from operator import add

from dovetail.chain.tagger import Tagger
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.layers.annotator import Annotator, Latent
from dovetail.pipeline.layers.potentials import Potentials
from dovetail.pipeline.layers.tagger import TaggerLayer


class Pool:
    """The weighted average of the scores of several annotators with the same labels.

    That is the normalised geometric mean of their distributions, a logarithmic opinion pool. Some
    of them may read columns that others do not: a model with transfer and one without, say.

    With ``labels``, members may lack some of these: a label that a member does not know scores 0.
    """

    def __init__(
        self,
        members: Sequence[Tagger | Annotator],
        weights: Sequence[float] | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        if not members:
            raise DataError("a pool needs members")
        self.members = [TaggerLayer(m) if isinstance(m, Tagger) else m for m in members]
        self.weights = [1 / len(members)] * len(members) if weights is None else list(weights)
        if len(self.weights) != len(members) or not all(0 <= w < inf for w in self.weights):
            raise DataError(f"a pool of {len(members)} needs as many weights, none below 0")
        self.labels_ = list(self.members[0].labels_ if labels is None else labels)
        for member in self.members:
            odd = sorted(set(member.labels_) ^ set(self.labels_))
            if odd and (labels is None or not set(member.labels_) <= set(labels)):
                raise DataError(
                    f"the members of a pool have different labels: not all of them know '{odd[0]}'"
                )

    @property
    def reads_(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for member in self.members for name in member.reads_))

    def reads_guesses(self, latent: Latent) -> bool:
        """Whether a member does."""
        asked = (getattr(member, "reads_guesses", None) for member in self.members)
        return any(ask(latent) for ask in asked if ask is not None)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """The weighted sum of the members' scores."""
        scores = (
            member.potentials(corpus, latent).extended(self.labels_).scaled(weight)
            for member, weight in zip(self.members, self.weights, strict=True)
        )
        return reduce(add, scores)
