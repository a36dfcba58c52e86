"""sklearn-crfsuite's interface on our engine: change the import, and nothing else.

``import dovetail.interop.sklearn_crfsuite as sklearn_crfsuite`` gives `CRF`, a scikit-learn
estimator with the parameters, methods and attributes of sklearn-crfsuite's; ``metrics`` and
``scorers`` are modules beside it. scikit-learn must be installed: ``dovetail[sklearn]``.
"""

from dovetail.interop.sklearn_crfsuite.estimator import CRF

__all__ = ["CRF"]
