"""The most from little labelled text: a pipeline that weighs what an old tagger is worth.

`decode="auto"` trains several systems for the last task (one that reads the old tagger, the old
tagger with its labels mapped to the new ones, one that stands alone) and weighs them by
cross-validation on the labelled text.
"""

import dovetail
from dovetail.demo import path
from dovetail.evaluate import bootstrap, evaluate

old = dovetail.Tagger().fit(dovetail.read(path("news.conll"), columns=["word", "ner"]))
few = dovetail.read(path("few.conll"), columns=["word", "fields"])
test = dovetail.read(path("test.conll"), columns=["word", "fields"])

pipeline = dovetail.Pipeline({"ner": old, "fields": dovetail.Tagger()}, decode="auto")
pipeline.fit({"fields": few})  # the old tagger stays as it is
print("learnt from", few)

systems = {
    "plain tagger": dovetail.Tagger().fit(few).predict(test),
    "auto, without the old tagger": pipeline.without_transfer().predict(test)["fields"],
    "auto": pipeline.predict(test)["fields"],
}
for name, labels in systems.items():
    report = evaluate(test.lists("fields"), labels)
    interval = bootstrap(report)
    print(f"{name:30} F1 {report.micro.f1:.2f} (95 %: {interval.low:.2f} to {interval.high:.2f})")
