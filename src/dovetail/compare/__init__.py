"""Several systems on the same splits of the same data: a plan, its results, what they say."""

from dovetail.compare.plan import Cell, Plan
from dovetail.compare.run import Progress, run
from dovetail.compare.splits import Split, given_folds, random_splits
from dovetail.compare.store import Store, fingerprint
from dovetail.compare.summary import Summary, summarize

__all__ = [
    "Cell",
    "Plan",
    "Progress",
    "Split",
    "Store",
    "Summary",
    "fingerprint",
    "given_folds",
    "random_splits",
    "run",
    "summarize",
]
