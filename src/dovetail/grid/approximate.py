"""Approximate inference, for grids that have too many joint states for exact inference.

``sparse`` and ``beam`` keep some of a token's joint states: the fewest that hold all but a share
``epsilon`` of the mass, or the ``beam`` likeliest. ``loopy`` is loopy belief propagation: the
layers exchange messages until convergence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dovetail import _native
from dovetail.errors import DataError
from dovetail.grid.report import Report
from dovetail.grid.settings import Settings

Scores = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int32]

BEAM = 64  # states that "beam" keeps when no number is given
MAX_STATES = 4096  # states that "sparse" keeps when no number is given, for the sake of memory
NEGLIGIBLE = 1e-6  # share of the mass that a beam too narrow for all states need not care about


def best(
    grids: _native.Grids, method: str, settings: Settings
) -> tuple[list[Labels], Scores, Report]:
    """The labels of each layer, the score of each sequence, and the report."""
    if method == "loopy":
        kernel: Any = _native.grid_loopy_best
    else:
        kernel = _native.grid_sparse_best
    (labels, scores), report = _run(kernel, grids, method, settings)
    _check(scores, method)
    return labels, scores, report


def marginals(grids: _native.Grids, method: str, settings: Settings) -> tuple[list[Any], Report]:
    """log Z of each sequence and expectations of labels, transitions and factors; the report."""
    if method == "loopy":
        kernel: Any = _native.grid_loopy_marginals
    else:
        kernel = _native.grid_sparse_marginals
    found, report = _run(kernel, grids, method, settings)
    _check(found[0], method)
    return found, report


def _run(kernel: Any, grids: _native.Grids, method: str, settings: Settings) -> tuple[Any, Report]:
    n_states = int(grids.n_states)
    if method == "loopy":
        limits = (settings.damping, settings.iterations, settings.tolerance)
        found, (iterations, converged, change) = kernel(grids, *limits, settings.n_threads)
        report = Report(method, n_states, iterations=iterations, converged=converged, change=change)
        return found, report
    if method == "beam":
        states = settings.beam or BEAM
        epsilon = NEGLIGIBLE if states < n_states else 0.0
    else:
        epsilon, states = settings.epsilon, settings.beam or MAX_STATES
    try:
        found, (kept, least, total) = kernel(grids, epsilon, states, settings.n_threads)
    except ValueError as error:
        raise DataError(f"{error}: use method 'loopy'") from None
    average = total / grids.n_tokens if grids.n_tokens else 0.0
    report = Report(method, n_states, kept_mass=kept, least_kept_mass=least, states_kept=average)
    return found, report


def _check(scores: Scores, method: str) -> None:
    impossible = np.flatnonzero(~np.isfinite(scores))
    if len(impossible):
        where = f" in sequence {impossible[0] + 1}" if len(scores) > 1 else ""
        wider = " (a larger beam may find one)" if method == "beam" else ""
        raise DataError(f"no combination of labels is allowed{where}{wider}")
