"""An old tagger's spans under new names: a map of labels that keeps spans whole.

By `Mapped` each token's label is mapped for itself, so that a name of three words must be found
likely three times. Here the type of a span is mapped once: it begins where one of the old tagger
begins, and goes on as far as that does. Under the old tagger

    begins_i(t) = P(a span of type t begins at i),   goes_on_i(t) = P(one goes on at i),

and by the map M(t, u) the same of each new type u. A span of type u goes on at i with probability
goes_on_i(u) / (begins_{i-1}(u) + goes_on_{i-1}(u)), and where none goes on, the label is drawn from
those that begin a span, or O. That is a chain, whose scores have the form of any other's.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Corpus
from dovetail.corpus.labels import B, E, I, O, S, split_label
from dovetail.numeric import log, matmul
from dovetail.pipeline.layers.mapped import (
    ILLEGAL,
    LEAST,
    OUTSIDE,
    LabelMap,
    Mapped,
    probabilities_of,
    roles_of,
    types_of,
)


class MappedSpans(Mapped):
    """The tagger that writes a column, as an annotator with other types of spans."""

    kind = "mapped spans"

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:  # noqa: ARG002
        """Logarithms of the probabilities of spans that begin, go on and end."""
        own = self.label_map
        given = probabilities_of(corpus, self.column, own.old)
        begins, goes_on = _masses(own, given)
        further = _shares_that_go_on(begins, goes_on, corpus.bounds)
        node = _scores(own.new, begins, further, corpus.bounds)
        return Potentials(own.new, node, self._transitions())


def can_map_spans(label_map: LabelMap) -> bool:
    """Whether the new labels tell where spans begin."""
    return label_map.scheme in ("IOB2", "IOBES") and OUTSIDE in label_map.new


def _masses(label_map: LabelMap, given: Scores) -> tuple[Scores, Scores]:
    """The probability that a span of each new type begins, and that one goes on, at each token;
    where the old label does not tell which, as O does not, both by how long spans are."""
    old_types, table = types_of(label_map.old), label_map.table
    begins = np.zeros((len(given), table.shape[1]))
    goes_on = np.zeros_like(begins)
    for mass, role in ((begins, "first"), (goes_on, "further"), (None, "")):
        chosen = [k for k, (own, _) in enumerate(roles_of(label_map.old)) if own == role]
        if not chosen:
            continue
        kinds = [old_types.index(roles_of(label_map.old)[k][1]) for k in chosen]
        mapped = matmul(np.ascontiguousarray(given[:, chosen]), np.ascontiguousarray(table[kinds]))
        if mass is not None:
            mass += mapped
        else:
            begins += mapped * label_map.firsts
            goes_on += mapped * (1 - label_map.firsts)
    unknown = given.sum(axis=1) == 0
    begins[unknown] = label_map.base * label_map.firsts
    goes_on[unknown] = label_map.base * (1 - label_map.firsts)
    outside = types_of(label_map.new).index(OUTSIDE)
    begins[:, outside] += goes_on[:, outside]
    goes_on[:, outside] = 0.0
    return begins, goes_on


def _shares_that_go_on(begins: Scores, goes_on: Scores, bounds: npt.NDArray[np.int64]) -> Scores:
    """Of the spans at the token before, the share that goes on at each token."""
    before = np.roll(begins + goes_on, 1, axis=0)
    shares = np.divide(goes_on, before, out=np.zeros_like(goes_on), where=before > 0)
    shares[bounds[:-1][np.diff(bounds) > 0]] = 0.0
    return np.clip(shares, LEAST, 1 - LEAST)


def _scores(
    labels: Sequence[str], begins: Scores, further: Scores, bounds: npt.NDArray[np.int64]
) -> Scores:
    """Scores of labels such that those of a span add up to the logarithm of its probability."""
    types = types_of(labels)
    letters = [split_label(label)[0] for label in labels]
    drawn = log(np.maximum(begins / begins.sum(axis=1, keepdims=True), LEAST))
    stays, leaves = log(further), log(1 - further)
    ends = np.roll(leaves, -1, axis=0)
    ends[bounds[1:][np.diff(bounds) > 0] - 1] = 0.0
    tells_end = S in letters or E in letters
    node = np.zeros((len(begins), len(labels)))
    for code, (letter, (_, kind)) in enumerate(zip(letters, roles_of(labels), strict=True)):
        k = types.index(kind)
        node[:, code] = drawn[:, k] if letter in (O, B, S) else stays[:, k]
        if letter in (E, S) or (letter != O and not tells_end):
            node[:, code] += ends[:, k]
        if letter == I and not tells_end:
            node[:, code] -= leaves[:, k]  # the token before has been taken for the last
    whole = np.diff(bounds) > 0
    for code, letter in enumerate(letters):
        if letter in (I, E):
            node[bounds[:-1][whole], code] = ILLEGAL
        if tells_end and letter in (B, I):
            node[bounds[1:][whole] - 1, code] = ILLEGAL
    return node
