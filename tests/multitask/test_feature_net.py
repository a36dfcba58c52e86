from __future__ import annotations

import json
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dovetail import ASO, Corpus, LinearTagger, Pipeline, Tagger, Template, column
from dovetail.cli import main
from dovetail.corpus import Shards, read_conll
from dovetail.errors import DataError
from dovetail.multitask import compound, feature_net
from dovetail.recipe import Recipe
from multitask.corpora import random_corpus

WORDS = Template(column("word"))
TAGGER = {"c2": 0.1, "threads": 1}


def net(below: LinearTagger, **how) -> Pipeline:
    return Pipeline(feature_net("tag", WORDS, below, **TAGGER), threads=1, **how)


def accuracy(pipeline: Pipeline, corpus) -> float:
    found = pipeline.predict(corpus.without_column("tag"))["tag"]
    pairs = [(a, b) for s, t in zip(found, corpus.lists("tag"), strict=True)
             for a, b in zip(s, t, strict=True)]  # fmt: skip
    return sum(a == b for a, b in pairs) / len(pairs)


def test_the_column_is_read_in_compound_features_only() -> None:
    rows = compound(WORDS, "aso").rows
    reading = [row for row in rows if "aso" in {part.attribute.column for part in row.parts}]
    assert len(reading) == 11  # those of Table 2
    assert all(len({part.attribute.column for part in row.parts}) > 1 for row in reading)
    assert len(compound(WORDS, "aso", pos=None).rows) == 5


@pytest.mark.parametrize("training", ["gold", "cascade", "soft"])
def test_a_crf_learns_from_a_linear_tagger_below(training: str) -> None:
    features = Template(column("word").window(1))
    pipeline = net(LinearTagger(features=features, threads=1), decode="cascade")
    pipeline.fit(random_corpus(80), training=training, folds=3)
    assert accuracy(pipeline, random_corpus(40, seed=9)) > 0.9
    crossed = [note for note in pipeline.notes_ if "cross-fitted" in note]
    assert bool(crossed) == (training != "gold")
    again = Pipeline.load(pipeline.to_bytes(), threads=1)
    test = random_corpus(40, seed=9).without_column("tag")
    for decode in ("cascade", "soft", "joint"):
        assert again.predict(test, decode=decode) == pipeline.predict(test, decode=decode)


def test_gold_columns_are_the_true_labels() -> None:
    corpus = random_corpus(40)
    pipeline = net(LinearTagger(features=WORDS, threads=1), decode="cascade")
    pipeline.fit(corpus, training="gold")
    gold = corpus.with_column("tag@below", corpus.column("tag"))
    features = compound(WORDS, "tag@below")
    alone = Tagger(features=features, **TAGGER).fit(gold, label="tag")
    assert pipeline["tag"].predict(gold) == alone.predict(gold)
    assert pipeline["tag"].n_features_ == alone.n_features_


RECIPE = """
decode = "cascade"
training = "cascade"
folds = 2

[[task]]
name = "tag@below"
kind = "aso"
label = "tag"
data = "train.conll"
columns = ["word", "pos", "tag"]
parts = 2
h = 2
text = "train.conll"
masked = ["pos", "pos[1]"]

[[task]]
name = "tag"
data = "train.conll"
columns = ["word", "pos", "tag"]
features = "chunking"
reads = ["tag@below"]
compound = true
"""


def written(corpus: Corpus, path: Path) -> None:
    lines = ["\n".join(map(" ".join, zip(*rows, strict=True))) for rows in zip(
        *(corpus.lists(name) for name in corpus.names), strict=True)]  # fmt: skip
    path.write_text("\n\n".join(lines) + "\n")


def test_a_recipe_has_linear_tasks_and_compound_features(tmp_path) -> None:
    corpus = random_corpus(40)
    written(corpus, tmp_path / "train.conll")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE)
    sizes = Recipe.read(path).sizes()
    assert sizes["tag@below"]["n_labels"] == sizes["tag"]["n_labels"] == 3
    assert sizes["tag"]["not_counted"] == ["tag@below"]
    pipeline = Recipe.read(path).fit(threads=1)
    below = pipeline["tag@below"]
    assert sizes["tag@below"]["n_features_kept"] >= len(below.weights_.names()) > 0
    assert isinstance(below, ASO)
    assert below.structure_.n_problems_ == 2 * 3 + 2 * 4
    reads = str(pipeline["tag"].features)
    assert '(word & "tag@below")[-1..1]' in reads
    assert accuracy(pipeline, corpus) > 0.9
    written(corpus.without_column("tag"), tmp_path / "more.conll")
    path.write_text(RECIPE.replace('text = "train.conll"', 'text = "more.conll"'))
    again = Recipe.read(path).fit(threads=1)
    inputs = corpus.without_column("tag")
    assert again.predict(inputs) == pipeline.predict(inputs)
    (tmp_path / "one.conll").write_text("w1\n")
    for old, new, words in [
        ('"pos[1]"', '"pos[99999999999]"', "offset is 99999999999"),
        ('text = "train.conll"', 'text = "one.conll"', "1 fields where 2 were expected"),
        ("parts = 2", "parts = 2\nmin_count = 99999999999", "min_count is 99999999999"),
        ("parts = 2", "c2 = 1.0", "there is no key 'c2'"),
        ('kind = "aso"', 'kind = "svm"', "kind is 'svm'"),
        ('masked = ["pos", "pos[1]"]', "", "text and masked go together"),
        ('"pos[1]"', '"pos[one]"', r"masked has 'pos\[one\]'"),
        ('reads = ["tag@below"]', "reads = []", "compound needs tasks before it"),
    ]:
        path.write_text(RECIPE.replace(old, new))
        with pytest.raises(DataError, match=words):
            Recipe.read(path).pipeline()


STRUCTURED = """
[[representation]]
kind = "structure"
name = "shared"
text = "text.conll"
columns = ["word", "pos"]
features = "chunking"
masked = ["pos", "pos[1]"]
h = 3

[[task]]
name = "tag"
data = "train.conll"
columns = ["word", "pos", "tag"]
features = "chunking"
"""


def test_a_recipe_has_structure_of_unlabelled_text(tmp_path) -> None:
    corpus = random_corpus(40)
    written(corpus, tmp_path / "train.conll")
    written(random_corpus(60, seed=7).without_column("tag"), tmp_path / "text.conll")
    path = tmp_path / "recipe.toml"
    path.write_text(STRUCTURED)
    pipeline = Recipe.read(path).fit(threads=1)
    [shared] = pipeline.representations
    assert shared.labels_ == ["t0", "t1", "t2"]
    assert shared.biased_by_ == ()
    assert "shared" in pipeline["tag"].features.columns
    assert accuracy(pipeline, corpus) > 0.9
    shared.save(tmp_path / "shared.dovetail")
    kept = STRUCTURED[STRUCTURED.index("[[task]]") :]
    path.write_text('[[representation]]\nmodel = "shared.dovetail"\n' + kept)
    again = Recipe.read(path).fit(threads=1)
    assert again.predict(corpus.without_column("tag")) == pipeline.predict(
        corpus.without_column("tag")
    )
    for old, new, words in [
        ("h = 3", "", "has no h: the kind structure needs it"),
        ('masked = ["pos", "pos[1]"]', "", "has no masked"),
        ("h = 3", "states = 3", "there is no key 'states'"),
        ('features = "chunking"\nmasked', 'features = "default"\nmasked', "name others"),
        ("h = 3", "h = 300", "h is 300, but the auxiliary tasks make 8 problems"),
    ]:
        path.write_text(STRUCTURED.replace(old, new))
        with pytest.raises(DataError, match=words):
            Recipe.read(path).fit(threads=1)


def test_what_is_not_calibrated_is_refused_where_probabilities_are_needed() -> None:
    corpus = random_corpus(30)
    for decode, training, words in [
        ("joint", "cascade", "decode joint needs"),
        ("soft", "cascade", "decode soft needs"),
        ("cascade", "soft", "training soft needs"),
    ]:
        layers = feature_net("tag", WORDS, LinearTagger(calibrate=False), **TAGGER)
        with pytest.raises(DataError, match=f"'tag@below' is not calibrated.*{words}"):
            Pipeline(layers, decode=decode).fit(corpus, training=training)
    layers = feature_net("tag", WORDS, LinearTagger(calibrate=False), **TAGGER)
    assert Pipeline(layers, decode="cascade").fit(corpus, training="cascade", folds=2)


def test_the_command_line_takes_a_linear_tagger_like_any_other(tmp_path) -> None:
    corpus = random_corpus(40)
    written(corpus, tmp_path / "train.conll")
    data = read_conll(tmp_path / "train.conll", columns=["word", "pos", "tag"])
    aso = ASO(features=Template(column("word"), column("pos")), n_parts=2, h=2).fit(data)
    model = tmp_path / "linear.dovetail"
    aso.save(model)

    def run(*arguments: object) -> str:
        done = CliRunner().invoke(main, [str(argument) for argument in arguments])
        assert done.exit_code == 0, done.output
        return done.output

    told = json.loads(run("eval", model, tmp_path / "train.conll", "--json"))
    gold, said = data.lists("tag"), aso.predict(data.without_column("tag"))
    same = np.mean([a == b for a, b in zip(chain(*gold), chain(*said), strict=True)])
    assert f"{same:.4f}"[:5] in json.dumps(told)
    (tmp_path / "text.conll").write_text("w1 p1\nw2 p2\n")
    assert "w1\tp1\t" in run("tag", model, tmp_path / "text.conll")
    shown = run("info", model)
    assert "linear tagger" in shown
    assert "mean objective" in shown


@pytest.mark.parametrize("text", ["train.conll", "stored"])
def test_compare_refuses_auxiliary_text_that_tells_what_is_tested(tmp_path, text: str) -> None:
    written(random_corpus(40), tmp_path / "train.conll")
    Shards.write(tmp_path / "stored", random_corpus(40), tokens=50)
    path = tmp_path / "recipe.toml"
    path.write_text(
        RECIPE.replace('text = "train.conll"\nmasked = ["pos", "pos[1]"]', f'auxiliary = "{text}"')
    )
    done = CliRunner().invoke(main, ["compare", str(path), "--no-html"])
    assert done.exit_code == 1
    assert f"{text}, an auxiliary task of 'tag@below', has labels of the text" in done.output
