from __future__ import annotations

import numpy as np
import pytest

from dovetail import ASO, Corpus, LinearTagger, Template, column
from dovetail.errors import DataError
from dovetail.evaluate import evaluate
from dovetail.multitask import labelled, parts
from dovetail.multitask.matrix import Matrix
from dovetail.recipe import Recipe
from multitask.corpora import random_corpus
from reference import aso as reference

WORDS = Template(column("word").window(1), column("pos"))
PENALTY = 0.01


def dense(template: Template, corpus: Corpus) -> np.ndarray:
    """The features of a corpus, [tokens x features]."""
    matrix = Matrix(template)
    matrix.add(corpus)
    everything = np.eye(matrix.n_features, dtype=np.float32)
    return matrix.rows(np.arange(corpus.n_tokens)).project(everything, 1).astype(float)


def with_noise(corpus: Corpus) -> Corpus:
    """A quarter of the labels by chance."""
    rng = np.random.default_rng(9)
    tags = [["XYZ"[rng.integers(3)] if rng.random() < 0.25 else tag for tag in own]
            for own in corpus.lists("tag")]  # fmt: skip
    return corpus.with_column("tag", tags)


def against_others(x: np.ndarray, codes: np.ndarray) -> list[reference.Problem]:
    return [(x, np.where(codes == code, 1.0, -1.0)) for code in range(3)]


@pytest.mark.parametrize("rounds", [1, 3])
def test_the_paper_s_variant_is_what_is_printed(rounds: int) -> None:
    corpus = with_noise(random_corpus(60))  # else free weights have no one minimum
    x, codes = dense(WORDS, corpus), corpus.column("tag").codes
    own = [task.codes >= 0 for task in parts(corpus, "tag", 3)]
    auxiliary = [problem for rows in own for problem in against_others(x[rows], codes[rows])]
    theta, singular = reference.shared_directions(auxiliary, 2, rounds, PENALTY)
    target = against_others(x, codes)
    expected = [reference.predictor(*problem, theta, PENALTY) for problem in target]

    settings = {"penalty": PENALTY, "tolerance": 1e-7, "calibrate": False, "threads": 1}
    found = ASO(features=WORDS, variant="paper", n_parts=3, h=2, rounds=rounds, **settings)
    found.fit(corpus, label="tag")
    assert len(found.structure_.rounds_) == rounds
    assert found.structure_.rounds_[-1].singular_values[0] == pytest.approx(singular, rel=5e-3)
    order = [list(corpus.column("tag").levels).index(label) for label in found.labels_]
    scores = x @ np.stack(expected, axis=1)[:, order]
    assert found.scores(corpus) == pytest.approx(scores, abs=0.02)
    plain = LinearTagger(features=WORDS, **settings).fit(corpus, label="tag").scores(corpus)
    assert np.abs(plain - scores).max() > 0.2  # so that the above says something


def test_the_paper_s_variant_alternates_several_times() -> None:
    found = ASO(features=WORDS, variant="paper", n_parts=2, h=2).fit(random_corpus(), label="tag")
    assert len(found.structure_.rounds_) == 5
    assert found.sharing_ is None
    assert len(ASO(features=WORDS, n_parts=2).fit(random_corpus()).structure_.rounds_) == 1


def test_directions_that_do_not_help_leave_a_linear_tagger() -> None:
    rng = np.random.default_rng(0)
    words = [[f"w{k}" for k in range(first, first + 8)] for first in range(0, 400, 8)]
    tags = [["XY"[v] for v in rng.integers(0, 2, 8)] for _ in words]  # nothing to learn
    corpus = Corpus.from_lists({"word": words, "tag": tags})
    other = random_corpus(labels="AB").without_column("pos")
    text = Template(column("word"), column("word").window(1))
    aso = ASO(features=text, n_parts=0, auxiliary=[labelled(other, "tag")]).fit(corpus)
    linear = LinearTagger(features=text).fit(corpus)
    assert aso.sharing_ == 0
    assert aso.factor_ == linear.factor_
    assert (aso.scores(corpus) == linear.scores(corpus)).all()


def test_labels_of_other_text_help_where_there_is_little() -> None:
    few, other, test = random_corpus(6), random_corpus(300, seed=1), random_corpus(100, seed=2)
    gold = test.lists("tag")

    def accuracy(tagger: LinearTagger) -> float:
        tagger.fit(few, label="tag")
        return evaluate(gold, tagger.predict(test.without_column("tag"))).accuracy

    aso = ASO(features=WORDS, n_parts=0, auxiliary=[labelled(other, "tag")])
    assert accuracy(aso) > accuracy(LinearTagger(features=WORDS)) + 0.1
    assert aso.sharing_ > 0
    assert aso.training_["sharing"] == aso.sharing_


def test_sharing_is_a_penalty_on_directions() -> None:
    corpus = random_corpus(30)
    tasks = [labelled(random_corpus(100, seed=3), "tag")]

    def objective(sharing: float) -> float:
        aso = ASO(features=WORDS, n_parts=0, auxiliary=tasks, sharing=sharing, penalty=PENALTY)
        return float(aso.fit(corpus).training_["objective"])

    linear = LinearTagger(features=WORDS, penalty=PENALTY).fit(corpus).training_["objective"]
    assert objective(0) == linear
    assert objective(1.0) < objective(0.1) < linear  # the more freedom, the lower


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"variant": "paper"}, "has no default for h: give a number"),
        ({"variant": "paper", "h": 2, "sharing": 1.0}, "leaves v free: leave out sharing"),
        ({"variant": "paper", "h": 2, "by_columns": True}, "leave out by_columns"),
        ({"variant": "printed"}, "no variant 'printed'; choose from penalised, paper"),
        ({"sharing": -1}, "sharing is -1; give auto, or a number of at least 0"),
        ({"sharing": float("nan")}, "sharing is nan; give auto"),
        ({"h": 100}, "h is 100, but the auxiliary tasks make 21 problems: give h from 1 to 21"),
    ],
)
def test_settings_that_cannot_be(settings: dict, words: str) -> None:
    with pytest.raises(DataError, match=words):
        ASO(features=WORDS, **settings).fit(random_corpus(40))


def test_a_recipe_has_the_same_settings(tmp_path) -> None:
    corpus = random_corpus(40)
    lines = ["\n".join(" ".join(token) for token in zip(*sequence, strict=True)) for sequence in
             zip(*(corpus.lists(name) for name in corpus.names), strict=True)]  # fmt: skip
    (tmp_path / "train.conll").write_text("\n\n".join(lines) + "\n")
    recipe = tmp_path / "recipe.toml"
    task = '[[task]]\nname = "tag"\nkind = "aso"\ndata = "train.conll"\n'
    task += 'columns = ["word", "pos", "tag"]\nparts = 2\n'
    recipe.write_text(f'{task}variant = "paper"\nh = 2\nrounds = 2\n')
    tagger = Recipe.read(recipe).fit()["tag"]
    assert len(tagger.training_["rounds"]) == 2
    assert tagger.training_["sharing"] is None
    recipe.write_text(f"{task}sharing = 0.5\n")
    assert Recipe.read(recipe).fit()["tag"].training_["sharing"] == 0.5
    for wrong, words in [
        ('variant = "paper"\n', "recipe.toml.* the variant 'paper' has no default for h"),
        ("sharing = -1\n", "task 'tag': sharing is -1; give auto or a number of at least 0"),
    ]:
        recipe.write_text(task + wrong)
        with pytest.raises(DataError, match=words):
            Recipe.read(recipe).fit()


def test_threads_do_not_change_what_is_chosen() -> None:
    few, other = random_corpus(20), random_corpus(100, seed=1)
    made = [
        ASO(features=WORDS, n_parts=2, auxiliary=[labelled(other, "tag")], threads=n).fit(few)
        for n in (1, 3)
    ]
    assert made[0].sharing_ == made[1].sharing_ > 0
    assert made[0].to_bytes() == made[1].to_bytes()


def test_what_other_text_shares_is_learned_once() -> None:
    tasks = [labelled(random_corpus(100, seed=1), "tag")]

    def trained(corpus: Corpus, **settings) -> ASO:
        aso = ASO(**{"features": WORDS, "n_parts": 0, "auxiliary": tasks, **settings})
        return aso.fit(corpus, label="tag")

    few, others = random_corpus(10), random_corpus(20, seed=5)
    first = trained(few)
    assert trained(others).structure_ is first.structure_
    assert trained(few).to_bytes() == first.to_bytes()
    again = ASO(features=WORDS, n_parts=0, auxiliary=[labelled(random_corpus(100, seed=1), "tag")])
    assert again.fit(few, label="tag").structure_ is not first.structure_
    assert again.to_bytes() == first.to_bytes()
    assert trained(few, h=2).structure_ is not first.structure_
    assert trained(few, penalty=0.1).structure_.penalty == 0.1


def test_of_much_other_text_features_that_it_has_once_are_left_out() -> None:
    """And of little they are not, nor as the paper has it."""
    words = [[f"w{k % 50}", f"once{k}"] for k in range(10_000)]
    tags = [["XY"[k % 50 < 20], "Y"] for k in range(10_000)]
    other = Corpus.from_lists({"word": words, "tag": tags})
    few = random_corpus(20)
    word = Template(column("word"))

    def names_of(text: Corpus, **settings) -> set[str]:
        tasks = [labelled(text, "tag")]
        aso = ASO(features=word, n_parts=0, auxiliary=tasks, **settings)
        names = aso.fit(few, label="tag").structure_.weights_.names()
        return {name.partition("=")[2] for name in names}

    assert names_of(other) - {""} == {f"w{k}" for k in range(50)}  # "": of the ends
    assert "once0" in names_of(other[:5_000])
    assert "once0" in names_of(other, variant="paper", h=2)


def test_features_by_a_function_are_not_taken_for_those_of_another() -> None:
    tasks = [labelled(random_corpus(100, seed=1), "tag")]
    corpus = random_corpus(20)

    def scores(attribute) -> np.ndarray:
        template = Template(column("word").apply(attribute), column("pos"))
        return ASO(features=template, n_parts=0, auxiliary=tasks).fit(corpus).scores(corpus)

    def same(function):
        function.__name__ = function.__qualname__ = "same"
        return function

    assert (scores(same(lambda word: word)) != scores(same(lambda word: word[:1]))).any()
