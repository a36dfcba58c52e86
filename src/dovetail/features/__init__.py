"""From columns to features: what a tagger sees of the text."""

from dovetail.features.columns import column, per_token
from dovetail.features.dataset import Dataset, Labels, TokenFeatures
from dovetail.features.expressions import Expression, bias
from dovetail.features.lexicons import Lexicon
from dovetail.features.tables import Table
from dovetail.features.template import Featurizer, Template

__all__ = [
    "Dataset",
    "Expression",
    "Featurizer",
    "Labels",
    "Lexicon",
    "Table",
    "Template",
    "TokenFeatures",
    "bias",
    "column",
    "per_token",
]
