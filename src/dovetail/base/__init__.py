"""What estimators have in common: parameters, the fitted state, files, and how they are shown."""

from dovetail.base.estimator import Estimator, clone

__all__ = ["Estimator", "clone"]
