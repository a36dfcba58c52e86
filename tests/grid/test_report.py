"""What a result says about how it was computed."""

from __future__ import annotations

import numpy as np
import pytest

from dovetail.grid import Gap, Grid, Report
from reference.random_grids import random_grid


def test_auto_is_exact_where_that_is_affordable() -> None:
    small, large = Grid(**random_grid(3, 4, 5)), Grid(**random_grid(3, 30, 30, 30))
    assert small.best().report == Report("exact", 20)
    assert small.marginals().report == Report("exact", 20)
    assert large.best().report.method == "sparse"
    cycle = {(0, 1): np.zeros((3, 15, 20)), (1, 0): np.zeros((3, 20, 15))}
    assert Grid(**random_grid(3, 15, 20), lagged=cycle).best().report.method == "sparse"


def test_the_gap_is_the_difference_from_the_exact_result() -> None:
    grid = Grid(**random_grid(30, 4, 5, 3), bounds=[0, 10, 30])
    exact, close = grid.marginals("exact"), grid.marginals("beam", beam=5, check=True)
    gap = close.report.gap
    assert gap is not None
    assert gap.log_z == pytest.approx(np.abs(exact.log_z - close.log_z).max())
    off = max(np.abs(a - b).max() for a, b in zip(exact.labels, close.labels, strict=True))
    assert gap.probability == pytest.approx(off)
    assert 0 < gap.probability < 1
    best, found = grid.best("exact"), grid.best("beam", beam=1, check=True)
    assert found.report.gap is not None
    assert found.report.gap.log_z == pytest.approx(np.abs(best.scores - found.scores).max())
    differ = np.mean(np.concatenate(best.labels) != np.concatenate(found.labels))
    assert found.report.gap.labels == pytest.approx(differ)


def test_reports_read_well() -> None:
    sparse = Report("sparse", 3645, kept_mass=0.99, least_kept_mass=0.9999, states_kept=12.51)
    assert str(sparse) == (
        "sparse: 12.5 of 3,645 joint states kept at a token, "
        "0.99 of the mass (0.9999 at the worst token)"
    )
    loopy = Report("loopy", 81, iterations=100, converged=False, change=0.5, gap=Gap(0.1, 0.02, 0))
    assert str(loopy) == (
        "loopy: 81 joint states a token, not converged after 100 iterations (last change 0.5), "
        "log Z off by 0.1, probabilities by 0.02, 0.00% of the labels differ"
    )
    assert str(Report("beam", 81, gap=Gap(2, None, 0.5))).endswith(
        "scores off by 2, 50.00% of the labels differ"
    )
