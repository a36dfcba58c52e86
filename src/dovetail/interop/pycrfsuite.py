"""python-crfsuite's interface on our engine: change the import, and nothing else.

``import dovetail.interop.pycrfsuite as pycrfsuite`` gives `Trainer`, `Tagger` and `ItemSequence`
with the methods, the feature formats and the file format that python-crfsuite has. Models that are
trained here can be opened there, and the other way round. A training that fails raises
`CRFSuiteError`, our `TrainingError`.
"""

from dovetail.errors import TrainingError as CRFSuiteError
from dovetail.interop.crfsuite_items import ItemSequence
from dovetail.interop.crfsuite_tagger import ParsedDump, Tagger
from dovetail.interop.crfsuite_trainer import BaseTrainer, Trainer, TrainingLog

__all__ = [
    "BaseTrainer",
    "CRFSuiteError",
    "ItemSequence",
    "ParsedDump",
    "Tagger",
    "Trainer",
    "TrainingLog",
]
