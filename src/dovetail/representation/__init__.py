"""Representations of words that survive a change of domain: classes, hidden states, vectors."""

from dovetail.base.representation import Representation
from dovetail.representation.bias.distance import Distance
from dovetail.representation.bias.entropy import Entropy
from dovetail.representation.bias.predict import Predict
from dovetail.representation.bias.token_cost import TokenCost
from dovetail.representation.consistency import Consistency
from dovetail.representation.hmm.biased.biased import BiasedHMM
from dovetail.representation.hmm.hmm import HMM
from dovetail.representation.hmm.layered import LayeredHMM
from dovetail.representation.hmm.steps import Progress
from dovetail.representation.ready_made import ready_made, ready_made_list
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
