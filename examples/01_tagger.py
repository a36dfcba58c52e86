"""Train a tagger, score it, save it, and label new text.

The corpus holds made-up e-mail announcements: a token a line, with a label for each. Six kinds of
fields are marked in IOB2: `B-` begins a span, `I-` continues it, `O` is outside.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate

train = dovetail.read(path("train.conll"))
test = dovetail.read(path("test.conll"))
print("train on", train)

# The last column is learnt, the others are read. "auto" rules out labels that IOB2 forbids.
tagger = dovetail.Tagger(constraints="auto").fit(train)
print(f"{len(tagger.labels_)} labels, {tagger.n_features_:,} features; {tagger.stopped_}")

report = evaluate(test.lists("label"), tagger.predict(test))
print(f"F1 {report.micro.f1:.2f} on", test)

with TemporaryDirectory() as folder:
    model = Path(folder) / "talks.dovetail"
    tagger.save(model)
    loaded = dovetail.load(model)

words = "Talk by Dr. Ada Lopez today at 4:30 pm in Room 12".split()
for start, end, label, probability in loaded.tag([words])[0].spans:
    print(f"{label:9} {probability:.2f}  {' '.join(words[start:end])}")
