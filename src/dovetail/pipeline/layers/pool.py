"""Opinion pools: several models of one task that decide together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import reduce
from math import inf
from operator import add
from typing import TYPE_CHECKING, Any

from dovetail.base.annotator import Annotator, Latent
from dovetail.base.potentials import Potentials
from dovetail.corpus import Corpus
from dovetail.errors import DataError
from dovetail.pipeline.layers.annotator import Gains, LayerAnnotator, gains_by_score
from dovetail.pipeline.layers.conversion import as_annotator

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.pipeline.layers.parts import PartsReader, PartsWriter


class Pool(LayerAnnotator):
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
        self.members = [as_annotator(member) for member in members]
        self.weights = [1 / len(members)] * len(members) if weights is None else list(weights)
        if len(self.weights) != len(members) or not all(0 <= w < inf for w in self.weights):
            raise DataError(f"a pool of {len(members)} needs as many weights, none below 0")
        self._labels = list(self.members[0].labels_ if labels is None else labels)
        for member in self.members:
            odd = sorted(set(member.labels_) ^ set(self._labels))
            if odd and (labels is None or not set(member.labels_) <= set(labels)):
                raise DataError(
                    f"the members of a pool have different labels: not all of them know '{odd[0]}'"
                )

    def __repr__(self) -> str:
        pairs = zip(self.weights, self.members, strict=True)
        shown = ", ".join(f"{weight:.3g} x {member.source!r}" for weight, member in pairs)
        return f"Pool({shown})"

    @property
    def labels_(self) -> list[str]:
        return self._labels

    @property
    def reads_(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for member in self.members for name in member.reads_))

    @property
    def taggers(self) -> list[Tagger]:
        return [tagger for member in self.members for tagger in member.taggers]

    @property
    def scores_any_corpus(self) -> bool:
        return all(member.scores_any_corpus for member in self.members)

    def reads_guesses(self, latent: Latent) -> bool:
        return any(member.reads_guesses(latent) for member in self.members)

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """The weighted sum of the members' scores."""
        scores = (
            member.potentials(corpus, latent).extended(self.labels_).scaled(weight)
            for member, weight in zip(self.members, self.weights, strict=True)
        )
        return reduce(add, scores)

    def gains(self, column: str, joint: Corpus, cascade: Corpus) -> Gains:
        """Those of the members, weighted; of one that lacks a label of the answers, by its scores
        alone."""
        gains: Gains = defaultdict(float)
        given = {*_labels_in(joint, column), *_labels_in(cascade, column)}
        for member, weight in zip(self.members, self.weights, strict=True):
            if given <= {*member.labels_}:
                own = member.gains(column, joint, cascade)
            else:
                own = gains_by_score(member, self.labels_, column, joint, cascade)
            for key, gain in own.items():
                gains[key] += weight * gain
        return gains

    def describe(self) -> dict[str, Any]:
        """The members with their weights."""
        pairs = zip(self.members, self.weights, strict=True)
        members = [{"weight": float(weight), **member.describe()} for member, weight in pairs]
        return {"kind": "pool", "members": members}

    @property
    def is_saveable(self) -> bool:
        return all(member.is_saveable for member in self.members)

    def spec(self, parts: PartsWriter) -> dict[str, Any]:
        if not self.is_saveable:
            return super().spec(parts)
        members = [member.spec(parts) for member in self.members]
        return {
            "kind": "pool",
            "members": members,
            "weights": self.weights,
            "labels": self.labels_,
        }

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], parts: PartsReader) -> Pool:
        members = [parts.restore(member) for member in spec["members"]]
        return cls(members, spec["weights"], spec.get("labels"))


def _labels_in(corpus: Corpus, name: str) -> set[str]:
    return {str(label) for labels in corpus.lists(name) for label in labels}
