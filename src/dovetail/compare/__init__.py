"""Several systems on the same splits of the same data: a plan, its results, what they say."""

from dovetail.compare import formatting, measures, plots
from dovetail.compare.changes import joint_changes
from dovetail.compare.grid_search import GridPoint, grid_search
from dovetail.compare.plan import Cell, Plan, Result
from dovetail.compare.progress_bar import progress_bar
from dovetail.compare.report import require_report, write_report
from dovetail.compare.run import Progress, run
from dovetail.compare.splits import Split, draw_folds, given_folds, grouped_splits, random_splits
from dovetail.compare.store import Store
from dovetail.compare.summary import Summary, summarize
from dovetail.io.fingerprint import fingerprint

__all__ = [
    "Cell",
    "GridPoint",
    "Plan",
    "Progress",
    "Result",
    "Split",
    "Store",
    "Summary",
    "draw_folds",
    "fingerprint",
    "formatting",
    "given_folds",
    "grid_search",
    "grouped_splits",
    "joint_changes",
    "measures",
    "plots",
    "progress_bar",
    "random_splits",
    "require_report",
    "run",
    "summarize",
    "write_report",
]
