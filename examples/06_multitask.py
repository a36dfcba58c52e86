"""A linear tagger that learns what several tasks share, and a CRF that reads what it says.

Alternating structure optimization (ASO) trains many predictors at once and finds the directions
that they have in common. Here the auxiliary tasks are free: guess the word before and the word
after from everything else, in text without labels.
"""

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate
from dovetail.features.sets import named
from dovetail.multitask import feature_net, masked

few = dovetail.read(path("few.conll"))
test = dovetail.read(path("test.conll"))
mails = dovetail.read(path("emails.conll")).without_column("label")[:400]
auxiliary = [masked(mails, "word", offset=offset) for offset in (-1, 1)]


def f1(labels):
    return evaluate(test.lists("label"), labels).micro.f1


linear = dovetail.LinearTagger(penalty=1e-3)
aso = dovetail.ASO(n_parts=3, auxiliary=auxiliary, h=10, rounds=2, penalty=1e-3)
print(f"linear tagger               F1 {f1(linear.fit(few).predict(test)):.2f}")
print(f"ASO                         F1 {f1(aso.fit(few).predict(test)):.2f}")
for done in aso.structure_.rounds_:
    print(f"  round {done.number}: the shared directions turned by {done.change:.2f}")

# A feature net: the CRF reads the labels of a linear tagger, cross-fitted in training.
layers = feature_net("label", named("fields", ["word"]), linear, pos=None, c2=0.1)
pipeline = dovetail.Pipeline(layers, decode="cascade").fit(few, training="cascade", folds=3)
crf = dovetail.Tagger(c2=0.1).fit(few)
print(f"CRF                         F1 {f1(crf.predict(test)):.2f}")
print(f"CRF above the linear tagger F1 {f1(pipeline.predict(test)['label']):.2f}")
