"""Several label sequences over the same tokens, inferred together."""

from dovetail.grid.grid import Grid
from dovetail.grid.report import Gap, Report
from dovetail.grid.results import Best, Marginals

__all__ = ["Best", "Gap", "Grid", "Marginals", "Report"]
