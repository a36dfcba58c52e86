"""Several tasks at once: linear classifiers, what they share, and their columns in a CRF."""

from dovetail.multitask.aso import ASO
from dovetail.multitask.auxiliary import AuxiliaryTask, labelled, masked, parts
from dovetail.multitask.feature_net import compound, feature_net
from dovetail.multitask.linear import LinearTagger
from dovetail.multitask.structure import Structure
from dovetail.multitask.tasks_on_disk import ShardTask

__all__ = [
    "ASO",
    "AuxiliaryTask",
    "LinearTagger",
    "ShardTask",
    "Structure",
    "compound",
    "feature_net",
    "labelled",
    "masked",
    "parts",
]
