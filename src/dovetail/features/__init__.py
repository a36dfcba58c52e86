"""From tokens to features: what a tagger sees of the text."""

from dovetail.features.dataset import Dataset, Labels, TokenFeatures
from dovetail.features.window import Featurizer, Window

__all__ = ["Dataset", "Featurizer", "Labels", "TokenFeatures", "Window"]
