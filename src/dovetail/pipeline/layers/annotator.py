"""What a pipeline asks of its layers: labels, and scores for them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Column, Corpus
from dovetail.grid import Grid
from dovetail.pipeline.layers.known import known_labels

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger
    from dovetail.pipeline.layers.parts import PartsWriter

Gains = defaultdict[tuple[int, str], float]  # by token and source


class LayerAnnotator(ABC):
    """An annotator with all that a pipeline asks of it; the answers here suit most kinds."""

    @property
    @abstractmethod
    def labels_(self) -> list[str]:
        """The labels that it can give."""

    @property
    @abstractmethod
    def reads_(self) -> tuple[str, ...]:
        """Columns that it may read."""

    @abstractmethod
    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:
        """Scores over the tokens of a corpus, see `Annotator`."""

    # What it is

    @property
    def source(self) -> Any:
        """What the user knows it as: for a layer that wraps a tagger, the tagger."""
        return self

    @property
    def taggers(self) -> list[Tagger]:
        """All taggers that it is made of."""
        return []

    @property
    def is_fitted(self) -> bool:
        return True

    @property
    def has_probabilities(self) -> bool:
        """Whether its scores are, or will be, logarithms of probabilities."""
        return True

    @property
    def scores_any_corpus(self) -> bool:
        """Whether it has more than arrays of scores for one corpus."""
        return True

    def copy(self) -> LayerAnnotator:
        """One whose parameters can be changed independently; itself, where it has none."""
        return self

    # Decoding

    @property
    def span_threshold(self) -> float | None:
        """The probability above which it takes a span; None where it gives the likeliest labels."""
        return None

    def reads_guesses(self, latent: Latent) -> bool:  # noqa: ARG002
        """Whether it reads a latent column where joint decoding cannot follow."""
        return False

    def scores_a_token(self, latent: Latent) -> int:  # noqa: ARG002
        """How many scores of transitions it has for each token, at most, in joint decoding."""
        return 0

    def best(self, corpus: Corpus) -> Column | None:  # noqa: ARG002
        """The best labels of a corpus with all columns it reads, where it has a faster way to them
        than by its potentials."""
        return None

    def grid(self, corpus: Corpus) -> Grid:
        """Its potentials as a grid of one layer, all that it reads being known."""
        own = self.potentials(corpus, {})
        return Grid([own.node], [own.transitions], bounds=corpus.bounds)

    def marginals(self, corpus: Corpus, threads: int | None) -> Scores:
        """Probabilities of its labels, [tokens x labels]."""
        return self.grid(corpus).marginals("exact", threads=threads).labels[0]

    def gains(self, column: str, joint: Corpus, cascade: Corpus) -> Gains:
        """What each source adds to the score at a token in one answer more than in the other, where
        that can differ; the labels of both are in ``column``."""
        return gains_by_score(self, self.labels_, column, joint, cascade)

    def describe(self) -> dict[str, Any]:
        """What it is made of, as plain data, for people."""
        return {"kind": type(self).__name__.lower()}

    # Files

    @property
    def is_saveable(self) -> bool:
        """Whether a file can hold it."""
        return False

    def spec(self, parts: PartsWriter) -> dict[str, Any]:  # noqa: ARG002
        """Plain data, for a file; ``parts`` takes what is a file of its own."""
        return {"kind": "own", "labels": list(self.labels_)}


def gains_by_score(
    annotator: LayerAnnotator, labels: Sequence[str], column: str, joint: Corpus, cascade: Corpus
) -> Gains:
    """Gains by the scores of labels and of transitions; ``labels`` may be more than the annotator
    knows, which have no score."""
    gains: Gains = defaultdict(float)
    for sign, answer in ((1, joint), (-1, cascade)):
        codes = known_labels(column, labels, answer).codes
        own = annotator.potentials(answer, {}).extended(labels)
        for token, label in enumerate(codes.tolist()):
            gains[token, "score"] += sign * float(own.node[token, label])
            if token:
                before = int(codes[token - 1])
                into = own.transitions[token] if own.transitions.ndim == 3 else own.transitions
                gains[token, f"after {labels[before]}"] += sign * float(into[before, label])
    return gains


class TrainableAnnotator(LayerAnnotator):
    """One that a pipeline can train."""

    @property
    @abstractmethod
    def features(self) -> Any:
        """The tagger's parameter of that name."""

    @abstractmethod
    def set_features(self, features: Any) -> None:
        """Take other features, before it is trained."""

    @abstractmethod
    def clone(self) -> Self:
        """The same parameters, not trained."""

    def clone_for_fold(self) -> Self:
        """A clone, for the training on a part of the text that this one was trained on."""
        return self.clone()

    @abstractmethod
    def fit(self, corpus: Corpus, label: str, callback: Any = None) -> None:
        """Train it on a column of a corpus that has all columns it reads."""

    @property
    def is_interrupted(self) -> bool:
        """Whether its training was ended by Ctrl-C, with the best model so far."""
        return False

    def check_finished(self) -> None:
        """End all training with one that was interrupted."""
        if self.is_interrupted:
            raise KeyboardInterrupt

    @property
    def notes(self) -> list[str]:
        """What there is to say of its training."""
        return []

    @property
    def chooses_features(self) -> bool:
        """Whether it has no template of its own, so that training chooses one."""
        return self.features is None or isinstance(self.features, str)
