"""Several label sequences over the same tokens, inferred together."""

from dovetail.grid.exact import Grid, GridMarginals

__all__ = ["Grid", "GridMarginals"]
