"""All three at once, by a recipe: states of words, shared structure, and an old tagger.

An HMM learns states from text. A tagger of names (`ner`) and a linear tagger that shares directions
with the labels of news (`shared`, by ASO) are below the task; `auto` weighs what they are worth.
"""

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import dovetail
from dovetail.demo import path
from dovetail.evaluate import evaluate
from dovetail.recipe import Recipe

RECIPE = """
decode = "auto"
[[representation]]
kind = "hmm"
name = "states"
text = "emails.conll"
columns = ["word", "_"]  # without the labels

[[task]]
name = "ner"
data = "news.conll"

[[task]]
name = "shared"
kind = "aso"
data = "few.conll"
auxiliary = "news.conll"  # whose labels are other ones
parts = 0

[[task]]
name = "fields"
data = "few.conll"
"""

with TemporaryDirectory() as folder:
    for name in ("emails.conll", "news.conll", "few.conll"):
        shutil.copy(path(name), folder)
    Path(folder, "all.toml").write_text(RECIPE)
    pipeline = Recipe.read(Path(folder, "all.toml")).fit()

test = dovetail.read(path("test.conll"), columns=["word", "fields"])
for name, system in {"states alone": pipeline.without_transfer(), "all three": pipeline}.items():
    report = evaluate(test.lists("fields"), system.predict(test)["fields"])
    print(f"{name:14} F1 {report.micro.f1:.2f}")
print(pipeline.notes_[0])
