"""Is one system better than another? Train both on the same random splits, and test the difference.

Scores on random splits of one corpus are not independent: their training parts overlap. The
corrected test allows for that. `dovetail compare recipe.toml` does all of this for a recipe, with
learning curves and a report.
"""

from statistics import mean

import dovetail
from dovetail.compare import random_splits
from dovetail.demo import path
from dovetail.evaluate import compare_paired, evaluate

corpus = dovetail.read(path("train.conll"), columns=["word", "fields"])
names = dovetail.Tagger(c2=0.1).fit(dovetail.read(path("news.conll"), columns=["word", "ner"]))
splits = random_splits(len(corpus), 5, train_share=0.1)


def alone(train, test):
    return dovetail.Tagger().fit(train).predict(test)


def above_names(train, test):
    pipeline = dovetail.Pipeline({"ner": names, "fields": dovetail.Tagger()}, decode="soft")
    return pipeline.fit({"fields": train}, training="soft").predict(test)["fields"]


scores = {alone: [], above_names: []}
for split in splits:
    train, test = corpus.select(split.train), corpus.select(split.test)
    for system, found in scores.items():
        labels = system(train, test.without_column("fields"))
        found.append(evaluate(test.lists("fields"), labels).micro.f1)

for system, found in scores.items():
    print(f"{system.__name__:12} mean F1 {mean(found):.3f}  ", *(f"{f1:.3f}" for f1 in found))
n_train, n_test = len(splits[0].train), len(splits[0].test)
result = compare_paired(scores[above_names], scores[alone], n_train=n_train, n_test=n_test)
print(f"difference {result.mean:+.3f}; better on {result.wins.wins} of {len(splits)} splits")
print(f"p {result.test.p:.3f} as if splits were independent, {result.corrected.p:.3f} corrected")
