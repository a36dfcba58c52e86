"""How the labels of an old tagger map to new ones, learnt from both at the same tokens.

Before any is seen, types with the same name, or one of which abbreviates the other (``PER`` and
``person``), are taken to agree, and so are those that somebody who knows them calls the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dovetail.base.potentials import Scores
from dovetail.corpus import Corpus
from dovetail.corpus.schemes import Scheme
from dovetail.numeric import matmul
from dovetail.pipeline.layers.mapped import OUTSIDE, LabelMap, probabilities_of, roles_of, types_of

BELIEF = 10.0  # tokens that the agreement of names counts for
DOUBT = 0.05  # how much of that belief is spread over all types
SHORTEST = 3  # letters of an abbreviation


def fit_label_map(
    texts: Sequence[Corpus],
    column: str,
    label: str,
    old: Sequence[str],
    new: Sequence[str],
    scheme: Scheme,
    same: Mapping[str, str] | None = None,
) -> LabelMap:
    """The map from the labels of a lower column to those of ``label``, by both in some texts.

    ``same`` says which types are the same, where that is known.
    """
    old_types, new_types = types_of(old), types_of(new)
    of_old = _membership(old, old_types)
    of_new = _membership(new, new_types)
    counts = np.zeros((len(old_types), len(new_types)))
    seen = np.zeros(len(new))
    for text in texts:
        lower = matmul(probabilities_of(text, column, old), of_old)
        labelled = probabilities_of(text, label, new)
        seen += labelled.sum(axis=0)
        counts += matmul(np.ascontiguousarray(lower.T), matmul(labelled, of_new))
    counts += BELIEF * _belief(old_types, new_types, same or {})
    base = counts.sum(axis=0) / counts.sum()
    table = counts / counts.sum(axis=1, keepdims=True)
    return LabelMap(tuple(old), tuple(new), scheme, table, base, _first_shares(new, seen))


def _first_shares(labels: Sequence[str], seen: Scores) -> Scores:
    """Of each type the share of its tokens that begin a span, by how often labels were seen."""
    types, roles = types_of(labels), roles_of(labels)
    of_type = _membership(labels, types)
    first = np.array([float(role == "first") for role, _ in roles])
    begun = (seen * first) @ of_type
    shares: Scores = (begun + 1) / (seen @ of_type + 2)
    is_clear = np.array([any(role for role, kind in roles if kind == own) for own in types])
    return np.where(is_clear, shares, 1.0)


def _membership(labels: Sequence[str], types: Sequence[str]) -> Scores:
    out = np.zeros((len(labels), len(types)))
    for k, (_, kind) in enumerate(roles_of(labels)):
        out[k, types.index(kind)] = 1.0
    return out


def _belief(old: Sequence[str], new: Sequence[str], same: Mapping[str, str]) -> Scores:
    """What is believed of the map before anything is seen: types that are told to be the same are,
    others whose names agree, and what has no counterpart is half likely to be of no interest."""
    out = np.zeros((len(old), len(new)))
    for i, kind in enumerate(old):
        known = [j for j, other in enumerate(new) if same.get(kind) == other]
        agree = known or [j for j, other in enumerate(new) if names_agree(kind, other)]
        if agree:
            out[i, agree] = 1 / len(agree)
        else:
            out[i] = 1 / len(new)
            if OUTSIDE in new:
                out[i] *= 0.5
                out[i, new.index(OUTSIDE)] += 0.5
    return (1 - DOUBT) * out + DOUBT / len(new)


def types_agree(old: Sequence[str], new: Sequence[str], same: Mapping[str, str]) -> bool:
    """Whether some type of old labels is one of the new ones, by what is told or by its name."""
    known = [kind for kind in types_of(old) if kind != OUTSIDE]
    wanted = types_of(new)
    return any(kind in same or any(names_agree(kind, own) for own in wanted) for kind in known)


def names_agree(one: str, other: str) -> bool:
    """Whether two types are called the same, or one by the beginning of the other's name.

    >>> names_agree("PER", "person"), names_agree("LOC", "organisation"), names_agree("O", "other")
    (True, False, False)
    """
    short, long = sorted((one.lower(), other.lower()), key=len)
    return short == long or (len(short) >= SHORTEST and long.startswith(short))
