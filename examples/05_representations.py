"""Learn what words are like from plain text, and let a tagger read it.

Word classes and hidden Markov models need no labels: they put words together that occur in the
same places. A tagger that reads them knows something of words that its training text never had.
"""

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate

few = dovetail.read(path("few.conll"), columns=["word", "fields"])
test = dovetail.read(path("test.conll"), columns=["word", "fields"])
mails = dovetail.read(path("emails.conll")).without_column("label")

classes = dovetail.WordClasses(30).fit([few, mails])
hmm = dovetail.HMM(30).fit([few, mails])
days = classes.class_of("Monday")
print("words like 'Monday':", *(word for word, _ in classes.typical_words(days, 6)))

for name, representation in {"nothing": None, "word classes": classes, "HMM": hmm}.items():
    layers = {"fields": dovetail.Tagger()}
    if representation is not None:
        layers = {representation.name_: representation, **layers}
    pipeline = dovetail.Pipeline(layers).fit(few)
    report = evaluate(test.lists("fields"), pipeline.predict(test)["fields"])
    print(f"with {name:13} F1 {report.micro.f1:.2f}")
    for note in pipeline.notes_:
        print("  ", note)
