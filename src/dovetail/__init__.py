"""Dovetail: transfer learning for sequence labelling, on ordinary CPUs.

>>> import dovetail
>>> tagger = dovetail.Tagger(c2=0.1).fit([[["w=the"], ["w=cat"]]], [["DET", "NOUN"]])
>>> tagger.predict([[["w=the"], ["w=cat"]]])
[['DET', 'NOUN']]

Names below are loaded when first used, so that a process that only tags starts quickly.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "ASO": "dovetail.multitask",
    "BiasedHMM": "dovetail.representation",
    "Consistency": "dovetail.representation",
    "Constraints": "dovetail.chain.constraints",
    "Corpus": "dovetail.corpus",
    "ClusterError": "dovetail.errors",
    "DataError": "dovetail.errors",
    "Dataset": "dovetail.features",
    "DovetailError": "dovetail.errors",
    "FeatureGroup": "dovetail.chain.groups",
    "HMM": "dovetail.representation",
    "LayeredHMM": "dovetail.representation",
    "LinearTagger": "dovetail.multitask",
    "ModelFileError": "dovetail.errors",
    "NotFittedError": "dovetail.errors",
    "Pipeline": "dovetail.pipeline.pipeline",
    "Pool": "dovetail.pipeline.layers.pool",
    "Scores": "dovetail.pipeline.layers.scores",
    "Tagger": "dovetail.chain.tagger",
    "TrainingError": "dovetail.errors",
    "Lexicon": "dovetail.features",
    "Template": "dovetail.features",
    "WordClasses": "dovetail.representation",
    "WordTable": "dovetail.representation",
    "WordVectors": "dovetail.representation",
    "column": "dovetail.features",
    "load": "dovetail.io.loading",
    "read": "dovetail.corpus",
    "stack_taggers": "dovetail.pipeline.stacking",
}

if TYPE_CHECKING:
    from dovetail.chain.constraints import Constraints
    from dovetail.chain.groups import FeatureGroup
    from dovetail.chain.tagger import Tagger
    from dovetail.corpus import Corpus, read
    from dovetail.errors import (
        ClusterError,
        DataError,
        DovetailError,
        ModelFileError,
        NotFittedError,
        TrainingError,
    )
    from dovetail.features import Dataset, Lexicon, Template, column
    from dovetail.io.loading import load
    from dovetail.multitask import ASO, LinearTagger
    from dovetail.pipeline import Pipeline, Pool, Scores, stack_taggers
    from dovetail.representation import (
        HMM,
        BiasedHMM,
        Consistency,
        LayeredHMM,
        WordClasses,
        WordTable,
        WordVectors,
    )

__all__ = [
    "ASO",
    "HMM",
    "BiasedHMM",
    "ClusterError",
    "Consistency",
    "Constraints",
    "Corpus",
    "DataError",
    "Dataset",
    "DovetailError",
    "FeatureGroup",
    "LayeredHMM",
    "Lexicon",
    "LinearTagger",
    "ModelFileError",
    "NotFittedError",
    "Pipeline",
    "Pool",
    "Scores",
    "Tagger",
    "Template",
    "TrainingError",
    "WordClasses",
    "WordTable",
    "WordVectors",
    "column",
    "load",
    "read",
    "stack_taggers",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dovetail' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
