"""A model of another program becomes a tagger, and a layer below one of ours.

Models of CRFsuite, CRF++ and Wapiti load, give the same labels, and need neither the program nor
its training data. Here the old model is one of CRFsuite's, written by the same interface that
python-crfsuite has. It knows names; the new tagger learns the fields of announcements above it.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate
from dovetail.interop import import_model, pycrfsuite


def old_features(sequence):
    """The features that the old model was trained with, made by code."""
    words = list(sequence["word"])
    return [
        {"w": w.lower(), "upper": w[0].isupper(), "before": words[i - 1].lower() if i else "^"}
        for i, w in enumerate(words)
    ]


news = dovetail.read(path("news.conll"), columns=["word", "ner"])
few = dovetail.read(path("few.conll"), columns=["word", "fields"])
test = dovetail.read(path("test.conll"), columns=["word", "fields"])

with TemporaryDirectory() as folder:
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 0.1})
    for sequence in news:
        trainer.append(old_features(sequence), list(sequence["ner"]))
    trainer.train(str(Path(folder) / "names.crfsuite"))
    old = import_model(Path(folder) / "names.crfsuite", features=old_features)
print("the old model:", len(old.labels_), "labels,", old.n_features_, "features")

pipeline = dovetail.Pipeline({"ner": old, "fields": dovetail.Tagger()}, decode="auto")
labels = pipeline.fit({"fields": few}).predict(test)["fields"]
alone = dovetail.Tagger().fit(few).predict(test)
print(f"alone                 F1 {evaluate(test.lists('fields'), alone).micro.f1:.2f}")
print(f"above the old model   F1 {evaluate(test.lists('fields'), labels).micro.f1:.2f}")
