"""Anything that labels tokens can take part: a rule, a service, a neural tagger.

`labels_layer` makes a layer of a function from words to labels. A tagger above it learns from the
labelled text how far to trust it.
"""

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate
from dovetail.interop.layers import labels_layer

TITLES = {"Dr.", "Prof.", "Professor", "Mr.", "Ms."}


def people(words):
    """A title and the capitalised words after it."""
    labels = []
    for word in words:
        inside = bool(labels) and labels[-1] != "O" and word[0].isupper()
        labels.append("I-PERSON" if inside else "B-PERSON" if word in TITLES else "O")
    return labels


rule = labels_layer(["O", "B-PERSON", "I-PERSON"], people, confidence=0.9)
few = dovetail.read(path("few.conll"), columns=["word", "fields"])
test = dovetail.read(path("test.conll"), columns=["word", "fields"])

pipeline = dovetail.Pipeline({"people": rule, "fields": dovetail.Tagger()}).fit({"fields": few})
alone = dovetail.Tagger().fit(few)
for name, labels in {
    "alone": alone.predict(test),
    "above the rule": pipeline.predict(test)["fields"],
}.items():
    speakers = evaluate(test.lists("fields"), labels).labels["SPEAKER"]
    print(f"{name:15} F1 of speakers {speakers.f1:.2f}")

words = "Refreshments with Dr. Ada Lopez at noon".split()
for layer, labels in pipeline.predict([words]).items():
    print(f"{layer:8}", *labels[0])
