"""Choose what a tagger sees: a template over columns, or features that you make yourself.

A template is made of expressions over columns. It runs in native code, and is kept in the model
file. Lists of strings, or dicts from string to number, are the other way: as in python-crfsuite.
"""

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate

train = dovetail.read(path("few.conll"))
test = dovetail.read(path("test.conll"))

word = dovetail.column("word")
titles = dovetail.Lexicon(["Dr.", "Prof.", "Professor"])
template = dovetail.Template(
    word.lower.window(2),  # the word and two on either side
    word.short_shape.window(1),  # Xx for Ada, d:d for 4:30
    word.lower[-1] & word.lower,  # two words together
    word.time.window(1),  # inside a time, such as 4:30 pm
    word.lexicon("title")[-1],  # after a title
    lexicons={"title": titles},
)
print("features of 'Ada' in 'Dr. Ada Lopez':")
for name, value in template.features([["Dr.", "Ada", "Lopez"]])[0][1]:
    print(f"  {name}" + (f" {value:g}" if value != 1 else ""))

for name, features in {"the default features": None, "the template": template}.items():
    tagger = dovetail.Tagger(features=features, constraints="auto").fit(train)
    report = evaluate(test.lists("label"), tagger.predict(test))
    print(f"{name}: {tagger.n_features_:,} features, F1 {report.micro.f1:.2f}")


def own_features(words):
    """For each token a dict: strings and truth values are features, numbers their values."""
    before = ["^", *words]
    return [
        {"word": word.lower(), "before": last.lower(), "digit": word[0].isdigit()}
        for word, last in zip(words, before, strict=False)
    ]


X = [own_features(words) for words in train.lists("word")]
tagger = dovetail.Tagger().fit(X, train.lists("label"))
words = "The talk starts at 4:30 pm".split()
print("with features of our own:", *tagger.predict([own_features(words)])[0])
