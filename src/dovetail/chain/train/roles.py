"""Which weights each feature has, and how wide their prior is."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import translate
from re import compile as compile_pattern
from re import split

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.chain.groups import ON_ALL_LABELS, ON_LABELS, ROLES, FeatureGroup
from dovetail.chain.train.prior import Prior
from dovetail.features import Dataset


def assign_roles(
    data: Dataset,
    groups: Sequence[FeatureGroup],
    prior: Prior,
    *,
    boundaries: bool,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Role and prior of every feature; empty arrays where all are plain. The first match
    decides. Priors of groups multiply those that suit the features, where there are such."""
    widths, on_all = prior.widths, prior.on_all_labels
    if not groups and not data.roles and boundaries and not on_all.any():
        return np.zeros(0, np.uint8), widths
    roles = np.full(data.n_features, ON_LABELS, np.uint8)
    priors = np.ones(data.n_features, np.float32)
    if data.roles:
        for number, name in enumerate(data.native.feature_names()):
            role = next(
                (r for row, r in data.roles.items() if _belongs_to_row(row, name)), "labels"
            )
            roles[number] = ROLES[role]
    if groups:
        matchers = [(compile_pattern(translate(g.pattern)).match, g) for g in groups]
        beginnings = sorted({_literal_beginning(group.pattern) for group in groups})
        numbers = data.native.features_beginning(beginnings)
        for number, name in zip(numbers, data.native.name_features(numbers), strict=True):
            group = next((g for match, g in matchers if match(name)), None)
            if group is not None:
                roles[number], priors[number] = ROLES[group.on], group.prior
    if on_all.any():
        roles[on_all & (roles & ON_LABELS > 0)] |= ON_ALL_LABELS
    if not boundaries:
        ends = data.native.find_features([_native.START, _native.END])
        roles[ends[ends >= 0]] = 0
    if widths.size:
        priors = priors * widths
    return roles, np.zeros(0, np.float32) if (priors == 1).all() else priors


def _literal_beginning(pattern: str) -> str:
    """What each name that a pattern matches begins with: far faster to look for than to match."""
    return split(r"[*?[]", pattern, maxsplit=1)[0]


def _belongs_to_row(row: str, name: str) -> bool:
    return name == row or name.startswith(row + "=")
