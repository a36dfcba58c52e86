"""Labels before training: repaired where they break their scheme, with a word on what looks
wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from dovetail.corpus.label_checks import (
    count_labels,
    find_doubtful_labels,
    is_span_scheme,
    make_legal,
)
from dovetail.data import LABELS, iterate

logger = logging.getLogger(__name__)
_logged: set[str] = set()


def prepare_labels(sequences: Iterable[Any], constraints: Any) -> tuple[list[Any], dict[str, Any]]:
    """Label sequences to train on, and for the model file what was repaired of them.

    Only the constraints "auto" repair: sequences that break the scheme of the others. Labels that
    look like typing errors are logged.
    """
    given = list(iterate(sequences, LABELS))
    lists = [labels if isinstance(labels, list | tuple) else [] for labels in given]
    counts = count_labels(lists)
    doubts = find_doubtful_labels(counts)
    for doubt in doubts:
        _warn_once(str(doubt), str(doubt))
    if constraints != "auto":
        return given, {}
    legal = make_legal(lists)
    if legal.scheme == "none" and is_span_scheme(set(counts) - {doubt.label for doubt in doubts}):
        message = "constraints 'auto' are none: not all labels are of one span scheme"
        _warn_once(message, message)
    if legal.first is None:
        return given, {}
    first = legal.first
    _warn_once(
        f"{legal.scheme}: {first}",
        f"constraints 'auto' are {legal.scheme}: {legal.repaired} of {len(given)} sequences break "
        "it and are read as conlleval reads them; the first is sequence "
        f"{first.sequence}, token {first.token}: {first}",
    )
    repaired = [
        fixed if isinstance(labels, list | tuple) else labels
        for labels, fixed in zip(given, legal.sequences, strict=True)
    ]
    return repaired, {"repaired": {"sequences": legal.repaired, **first._asdict()}}


def _warn_once(key: str, message: str) -> None:
    """Log a message once, however many models are trained on parts of the same data."""
    if key not in _logged:
        _logged.add(key)
        logger.warning("%s", message)
