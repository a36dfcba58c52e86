"""An old tagger used as it is for a new task, through a map from its labels to the new ones.

What a span of one type is called in the other scheme is learnt as P(new type | old type), from the
old tagger's probabilities and the new labels at the same tokens. Before any is seen, types with the
same name, or one of which abbreviates the other (``PER`` and ``person``), are taken to agree, and
so are those that somebody who knows them calls the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from dovetail.base.annotator import Latent
from dovetail.base.potentials import Potentials, Scores
from dovetail.corpus import Corpus, SoftColumn, detect_scheme
from dovetail.corpus.labels import B, O, S, split_label
from dovetail.corpus.schemes import Scheme, allowed_transitions
from dovetail.numeric import log, matmul
from dovetail.pipeline.layers.annotator import LayerAnnotator

if TYPE_CHECKING:
    from dovetail.pipeline.layers.parts import PartsReader, PartsWriter

LEAST = 1e-4  # probability, so that its logarithm is finite
ILLEGAL = -20.0  # the score of a transition that the scheme of the labels does not have
OUTSIDE = "O"
NEARLY = 1e-6


@dataclass(frozen=True)
class LabelMap:
    """The probability of each new type given each old one, and given nothing.

    ``firsts`` is the share of a new type's tokens that are the first of a span; ``scheme`` is that
    of the new labels.
    """

    old: tuple[str, ...]
    new: tuple[str, ...]
    scheme: Scheme
    table: Scores
    base: Scores
    firsts: Scores

    def apply(self, probabilities: Scores) -> Scores:
        """Probabilities of the new labels, from those of the old ones at each token; where these
        are all 0, nothing is known but how frequent the new ones are."""
        given = np.ascontiguousarray(probabilities, np.float64)
        out = matmul(given, self._label_table())
        out[given.sum(axis=1) == 0] = self._label_base()
        return out

    def _label_base(self) -> Scores:
        kinds = [kind for _, kind in roles_of(self.new)]
        types = types_of(self.new)
        return np.array([self.base[types.index(kind)] / kinds.count(kind) for kind in kinds])

    def _label_table(self) -> Scores:
        """P(new label | old label): a first word of a span stays a first word."""
        old_types, new_types = types_of(self.old), types_of(self.new)
        roles = roles_of(self.new, self.scheme)
        out = np.zeros((len(self.old), len(self.new)))
        for i, (role, kind) in enumerate(roles_of(self.old)):
            for j, (own_role, own) in enumerate(roles):
                if role and own_role and role != own_role:
                    continue
                alike = [r for r, k in roles if k == own and (not role or not r or r == role)]
                share = self.table[old_types.index(kind), new_types.index(own)]
                out[i, j] = share / len(alike)
        return out

    def spec(self) -> dict[str, Any]:
        """Plain data, for a file."""
        return {
            "old": list(self.old),
            "new": list(self.new),
            "scheme": self.scheme,
            "table": self.table.tolist(),
            "base": self.base.tolist(),
            "firsts": self.firsts.tolist(),
        }

    @classmethod
    def from_spec(cls, spec: dict[str, Any]) -> LabelMap:
        old, new = tuple(map(str, spec["old"])), tuple(map(str, spec["new"]))
        table, base, firsts = (np.array(spec[name], float) for name in ("table", "base", "firsts"))
        n = len(types_of(new))
        whole = table.shape == (len(types_of(old)), n) and base.shape == firsts.shape == (n,)
        unique = len({*old}) == len(old) and len({*new}) == len(new)
        if not whole or not unique or spec["scheme"] not in get_args(Scheme):
            raise ValueError("a map of labels does not fit its labels")
        for row in (*table, base):
            if not ((row >= 0).all() and abs(row.sum() - 1) < NEARLY):
                raise ValueError("a map of labels has rows that are no probabilities")
        if not ((firsts >= 0) & (firsts <= 1)).all():
            raise ValueError("a map of labels has shares that are no probabilities")
        allowed_transitions(new, spec["scheme"])  # fails if these labels are not of that scheme
        return cls(old, new, spec["scheme"], table, base, firsts)


class Mapped(LayerAnnotator):
    """The tagger that writes a column, as an annotator with other labels."""

    kind = "mapped"

    def __init__(self, column: str, label_map: LabelMap) -> None:
        self.column = column
        self.label_map = label_map

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.column!r}, labels={self.labels_})"

    @property
    def labels_(self) -> list[str]:
        return list(self.label_map.new)

    @property
    def reads_(self) -> tuple[str, ...]:
        return (self.column,)

    def reads_guesses(self, latent: Latent) -> bool:
        """Joint decoding does not follow the map."""
        return self.column in latent

    def potentials(self, corpus: Corpus, latent: Latent) -> Potentials:  # noqa: ARG002
        """Logarithms of the mapped probabilities; transitions cost nothing where they are legal."""
        labels = self.label_map.new
        found = self.label_map.apply(probabilities_of(corpus, self.column, self.label_map.old))
        return Potentials(labels, log(np.maximum(found, LEAST)), self._transitions())

    def _transitions(self) -> Scores:
        labels = self.label_map.new
        scores = np.zeros((len(labels), len(labels)))
        scores[~allowed_transitions(labels, self.label_map.scheme).transitions] = ILLEGAL
        return scores

    @property
    def is_saveable(self) -> bool:
        return True

    def describe(self) -> dict[str, Any]:
        """The column, and which new type each old one most likely is."""
        table, new = self.label_map.table, types_of(self.label_map.new)
        likeliest = {
            old: {"type": new[int(row.argmax())], "probability": float(row.max())}
            for old, row in zip(types_of(self.label_map.old), table, strict=True)
        }
        scheme = self.label_map.scheme
        return {"kind": self.kind, "reads": [self.column], "scheme": scheme, "types": likeliest}

    def spec(self, parts: PartsWriter) -> dict[str, Any]:  # noqa: ARG002
        return {"kind": self.kind, "column": self.column, "map": self.label_map.spec()}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any], parts: PartsReader) -> Mapped:  # noqa: ARG003
        return cls(str(spec["column"]), LabelMap.from_spec(spec["map"]))


def probabilities_of(corpus: Corpus, name: str, labels: Sequence[str]) -> Scores:
    """A column as probabilities of labels, [tokens x labels]; all 0 where it has no value."""
    column = corpus.column(name)
    out = np.zeros((len(column), len(labels)))
    places = {label: k for k, label in enumerate(labels)}
    known = [k for k, level in enumerate(column.levels) if level in places]
    here = [places[column.levels[k]] for k in known]
    if isinstance(column, SoftColumn):
        out[:, here] = column.weights[:, known]
        return out
    for code, place in zip(known, here, strict=True):
        out[column.codes == code, place] = 1.0
    return out


def roles_of(labels: Sequence[str], scheme: Scheme | None = None) -> list[tuple[str, str]]:
    """Of each label whether it begins a span or goes on with one ("" where that cannot be told, as
    under IOB1), and its type."""
    return list(_roles_of(tuple(labels), scheme))


@lru_cache(maxsize=64)
def _roles_of(labels: tuple[str, ...], scheme: Scheme | None) -> list[tuple[str, str]]:
    if detect_scheme([list(labels)]) == "none":
        return [("", label) for label in labels]
    parsed = [split_label(label) for label in labels]
    begun = {kind for letter, kind in parsed if letter in (B, S)}
    out = []
    for letter, kind in parsed:
        is_clear = letter != O and scheme != "IOB1" and kind in begun
        role = ("first" if letter in (B, S) else "further") if is_clear else ""
        out.append((role, OUTSIDE if letter == O else kind))
    return out


def types_of(labels: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(kind for _, kind in roles_of(labels)))
