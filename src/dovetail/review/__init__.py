"""Where a model and the labels of a corpus differ: errors of the one, or of the other."""

from dovetail.review.cross_validation import cross_validate
from dovetail.review.differences import Difference, Tagged, find_differences
from dovetail.review.errors import Confusion, ErrorReport, ReviewedSequence, review
from dovetail.review.page import review_page

__all__ = [
    "Confusion",
    "Difference",
    "ErrorReport",
    "ReviewedSequence",
    "Tagged",
    "cross_validate",
    "find_differences",
    "review",
    "review_page",
]
