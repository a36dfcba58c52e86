"""Representations of words that survive a change of domain: classes, hidden states, vectors."""

from dovetail.base.representation import Representation
from dovetail.representation.biased import BiasedHMM
from dovetail.representation.consistency import Consistency
from dovetail.representation.hmm import HMM
from dovetail.representation.layered import LayeredHMM
from dovetail.representation.properties import Distance, Entropy, Predict, TokenCost
from dovetail.representation.ready_made import ready_made, ready_made_list
from dovetail.representation.rounds import Progress
from dovetail.representation.vocabulary import Vocabulary
from dovetail.representation.word_classes import WordClasses
from dovetail.representation.word_table import WordTable
from dovetail.representation.word_vectors import WordVectors

__all__ = [
    "HMM",
    "BiasedHMM",
    "Consistency",
    "Distance",
    "Entropy",
    "LayeredHMM",
    "Predict",
    "Progress",
    "Representation",
    "TokenCost",
    "Vocabulary",
    "WordClasses",
    "WordTable",
    "WordVectors",
    "ready_made",
    "ready_made_list",
]
