"""Put two taggers together and decode them as one model, so that each can correct the other.

One tagger knows names in news, of which there is more text. The other learns the fields of
announcements from little text, and reads the column that the first one writes.
"""

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate

news = dovetail.read(path("news.conll"), columns=["word", "ner"])
few = dovetail.read(path("few.conll"), columns=["word", "fields"])
test = dovetail.read(path("test.conll"), columns=["word", "fields"])

word = dovetail.column("word")
near = dovetail.Template(word.lower.window(2), word.short_shape.window(1), word.digits)
layers = {
    "ner": dovetail.Tagger(c2=0.1, constraints="auto"),
    "fields": dovetail.Tagger(features=near.with_columns("ner"), c2=0.1, constraints="auto"),
}
pipeline = dovetail.Pipeline(layers).fit({"ner": news, "fields": few})

# The same weights, decoded in three ways; and a tagger that never saw the names.
for decode in ("cascade", "soft", "joint"):
    labels = pipeline.predict(test, decode=decode)["fields"]
    print(f"{decode:8} F1 {evaluate(test.lists('fields'), labels).micro.f1:.2f}")
alone = dovetail.Tagger(features=near, c2=0.1, constraints="auto").fit(few)
print(f"alone    F1 {evaluate(test.lists('fields'), alone.predict(test)).micro.f1:.2f}")

words = "Talk by Prof. Ada Lopez in Hall 3 at 4 pm".split()
for layer, tagging in pipeline.tag([words])[0].layers.items():
    for start, end, label, probability in tagging.spans:
        print(f"{layer:7} {label:8} {probability:.2f}  {' '.join(words[start:end])}")

# Where joint decoding changes what the cascade says, and why.
line = next(s for s in test if "Hidden" in s["word"] and "workshop" in s["word"])
print(pipeline.explain(line, top=2))
