"""The value of representations' columns, chosen where a tagger that reads them is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import (
    HMM,
    Corpus,
    DataError,
    FeatureGroup,
    LayeredHMM,
    Pipeline,
    Tagger,
    Template,
    WordClasses,
    column,
)
from dovetail.corpus import write_conll
from dovetail.pipeline.train import representation_values as values
from dovetail.pipeline.train.representation_values import (
    LADDER,
    USUAL,
    ChosenValue,
    choose_value,
    groups_of,
)
from dovetail.recipe import Recipe
from representation.texts import news, novel

SMALL: dict[str, Any] = {"min_count": 1, "rounds": 3, "threads": 1}
WORD, CLASS = column("word"), column("class")


def noisy(n: int = 40) -> Corpus:
    """Text whose classes tell much of its labels, but not all."""
    corpus = news(n)
    rng = np.random.default_rng(0)
    tags = [[tag if rng.random() < 0.8 else "N" for tag in row] for row in corpus.lists("pos")]
    return corpus.without_column("half").with_column("pos", tags)


@pytest.fixture(scope="module")
def classes() -> WordClasses:
    return WordClasses(3, min_count=1).fit([news(), novel()])


def tagger(*expressions: Any, **settings: Any) -> Tagger:
    features = Template(*(expressions or (WORD, CLASS)))
    return Tagger(**{"features": features, "c2": 0.1, "threads": 1, **settings})


def priors(trained: Tagger) -> dict[str, float]:
    return {group["pattern"]: group["prior"] for group in trained.training_["settings"]["groups"]}


def weights(trained: Tagger) -> list[tuple[str, str, float]]:
    return trained.top_weights(1000)


def of_the_ladder(settings: dict[str, Any], corpus: Corpus) -> dict[float, float]:
    """Likelihoods of all values."""
    numbers = values.assign_folds(corpus, values.PARTS, 0)
    parts = [values._Part(settings, corpus, "pos", ["class"], numbers == k) for k in range(2)]
    n = sum(part.n_tokens for part in parts)
    return {value: sum(p.log_likelihood(value) for p in parts) / n for value in LADDER}


@pytest.mark.parametrize("c2", ["auto", 0.1, 3.0])
def test_no_other_value_makes_labels_of_left_out_parts_more_likely(
    classes: WordClasses, c2: Any
) -> None:
    text = classes.annotate(noisy())
    chosen = choose_value(tagger(c2=c2).get_params(), text, "pos", ["class"])
    assert chosen.tried[chosen.value] == max(chosen.tried.values())
    exact = of_the_ladder(tagger(c2=c2, tolerance=1e-4).get_params(), text)
    assert exact[chosen.value] >= max(exact.values()) - 0.005
    assert max(exact.values()) - min(exact.values()) > 0.01


def test_what_is_chosen_is_a_prior_of_the_tagger(classes: WordClasses) -> None:
    pipeline = Pipeline({"class": classes, "pos": tagger()}).fit(noisy())
    [note] = pipeline.notes_
    settings = tagger().get_params()
    found = choose_value(settings, classes.annotate(noisy()), "pos", ["class"])
    assert priors(pipeline["pos"]) == {"class=*": found.value}
    assert note.startswith(f"pos: the value of class is {found.value:g}, by the likelihood")
    group = [FeatureGroup("class=*", prior=found.value)]
    by_hand = tagger(groups=group).fit(classes.annotate(noisy()), label="pos")
    assert weights(pipeline["pos"]) == weights(by_hand)
    loaded = Pipeline.load(pipeline.to_bytes())
    assert loaded.notes_ == pipeline.notes_
    assert loaded.predict(novel()) == pipeline.predict(novel())
    assert priors(loaded["pos"]) == {"class=*": found.value}


def test_a_value_is_as_wide_a_prior(classes: WordClasses) -> None:
    wide = tagger(groups=[FeatureGroup("class=*", prior=0.5)], tolerance=1e-7, precision="double")
    wide.fit(classes.annotate(noisy()), label="pos")
    small = WordClasses(3, min_count=1, value=0.5).fit([news(), novel()]).annotate(noisy())
    other = tagger(tolerance=1e-7, precision="double").fit(small, label="pos")
    labels: Any = small.lists("pos")
    assert wide.log_likelihood(classes.annotate(noisy()), labels) == pytest.approx(
        other.log_likelihood(small, labels), abs=1e-3
    )


def test_nothing_of_the_users_is_changed_and_training_again_chooses_again(
    classes: WordClasses,
) -> None:
    own = tagger()
    before = own.get_params()
    pipeline = Pipeline({"class": classes, "pos": own}).fit(noisy())
    first = weights(pipeline["pos"])
    assert not own.is_fitted
    assert own.get_params() == before
    assert classes.value == "auto"
    assert weights(pipeline.fit(noisy())["pos"]) == first
    assert len(pipeline.notes_) == 1


def test_the_same_whatever_the_number_of_threads(classes: WordClasses) -> None:
    made = [Pipeline({"class": classes, "pos": tagger(threads=n)}).fit(noisy()) for n in (1, 2)]
    assert made[0].notes_ == made[1].notes_
    assert weights(made[0]["pos"]) == weights(made[1]["pos"])


@pytest.mark.parametrize("value", [0.3, 1.0])
def test_a_number_is_what_it_was(value: float) -> None:
    given = WordClasses(3, min_count=1, value=value).fit([news(), novel()])
    pipeline = Pipeline({"class": given, "pos": tagger()}).fit(noisy())
    by_hand = tagger().fit(given.annotate(noisy()), label="pos")
    assert pipeline.notes_ == []
    assert priors(pipeline["pos"]) == {}
    assert weights(pipeline["pos"]) == weights(by_hand)
    assert dovetail.load(given.to_bytes()).value == value


def test_all_layers_and_all_ways_of_reading(classes: WordClasses) -> None:
    layered = LayeredHMM(2, HMM(3, **SMALL)).fit(news())
    assert dovetail.load(layered.to_bytes()).chooses_value_
    own = tagger(WORD, CLASS.window(1), column("state2") & WORD)
    pipeline = Pipeline({"state": layered, "class": classes, "pos": own}).fit(noisy())
    chosen = priors(pipeline["pos"])
    assert len(chosen) == 4
    assert len(set(chosen.values())) == 1
    assert "the value of state2 and class is" in pipeline.notes_[0]
    matched = groups_of(own.features, ["class"], 0.5)
    assert [group.pattern for group in matched] == ["class[[]-1]=*", "class=*", "class[[]1]=*"]


def test_what_the_tagger_says_itself_comes_first(classes: WordClasses) -> None:
    own = [FeatureGroup("class=c0", prior=3.0)]
    pipeline = Pipeline({"class": classes, "pos": tagger(groups=own)}).fit(noisy())
    groups = pipeline["pos"].training_["settings"]["groups"]
    assert groups[0] == {"pattern": "class=c0", "prior": 3.0, "on": "labels"}
    assert groups[1]["pattern"] == "class=*"


def test_tasks_that_do_not_read_the_columns_have_no_choice(classes: WordClasses) -> None:
    layers = {"class": classes, "half": tagger(WORD), "pos": tagger(WORD, CLASS)}
    pipeline = Pipeline(layers).fit(news())
    assert [note.split(":")[0] for note in pipeline.notes_ if "the value of" in note] == ["pos"]


@pytest.mark.parametrize("training", ["cascade", "soft", "gold", "joint", "auto"])
def test_every_training(classes: WordClasses, training: Any) -> None:
    layers = {
        "class": classes,
        "half": tagger(WORD, CLASS),
        "pos": tagger(WORD, CLASS, column("half")),
    }
    pipeline = Pipeline(layers).fit(news(), training=training, folds=2)
    assert len([note for note in pipeline.notes_ if "the value of class is" in note]) == 2
    assert {y for labels in pipeline.predict(novel())["pos"] for y in labels} <= {"D", "N", "V"}
    taggers = [pipeline["pos"]]
    if pipeline.candidates_ is not None:
        members: list[Any] = [one.annotator for one in pipeline.candidates_.members]
        taggers = [one.tagger for one in members if hasattr(one, "tagger")]
        assert len(taggers) == 2
    assert all("class=*" in priors(one) for one in taggers)


def two(first: list[str], second: list[str]) -> Corpus:
    return Corpus.from_lists({"word": [["the", "bank"], ["a", "board"]], "pos": [first, second]})


@pytest.mark.parametrize("c2", ["auto", 0.1])
@pytest.mark.parametrize(
    "corpus",
    [
        two(["D", "N"], ["D", "N"]),
        two(["D", "N"], ["E", "M"]),  # no part knows the labels of the other
        two(["N", "N"], ["N", "N"]),
        two(["D", "N"], ["D", "N"]).select([0]),
        Corpus.from_lists({"word": [["the", "bank"]] * 9, "pos": [["D", "N"]] * 9}),
    ],
    ids=["two sequences", "labels apart", "one label", "one sequence", "one text"],
)
def test_little_text(classes: WordClasses, corpus: Corpus, c2: Any) -> None:
    pipeline = Pipeline({"class": classes, "pos": tagger(c2=c2)}).fit(corpus)
    assert pipeline.predict(corpus)["pos"] == corpus.lists("pos")
    assert priors(pipeline["pos"])["class=*"] in LADDER


def test_where_nothing_can_be_compared_it_is_1(classes: WordClasses) -> None:
    pipeline = Pipeline({"class": classes, "pos": tagger()}).fit(two(["D", "N"], ["E", "M"]))
    assert pipeline.notes_ == ["pos: the value of class is 1: too little text to choose"]
    assert priors(pipeline["pos"]) == {"class=*": 1.0}
    text = classes.annotate(noisy())
    for settings in ({"method": "perceptron"}, {"c2": 0.0}):
        assert choose_value(tagger(**settings).get_params(), text, "pos", ["class"]) == ChosenValue(
            USUAL, {}
        )


def test_labels_that_are_not_known_are_passed_over(classes: WordClasses) -> None:
    tags = [[None, *row[1:]] if k % 3 else row for k, row in enumerate(noisy().lists("pos"))]
    pipeline = Pipeline({"class": classes, "pos": tagger()}).fit(noisy().with_column("pos", tags))
    assert "in cross-validation" in pipeline.notes_[0]


@pytest.mark.parametrize(
    "settings", [{"method": "dual"}, {"method": "sgd"}, {"c1": 0.1}, {"constraints": "auto"}]
)
def test_every_method(classes: WordClasses, settings: dict[str, Any]) -> None:
    pipeline = Pipeline({"class": classes, "pos": tagger(**settings)}).fit(noisy())
    assert "in cross-validation" in pipeline.notes_[0]


def test_of_much_text_a_sample_is_enough(
    classes: WordClasses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(values, "MOST_TOKENS", 60)
    corpus = classes.annotate(noisy(200))
    sample = values._sample(corpus, 0)
    assert 0 < sample.n_tokens <= 60
    assert sample.lists("word") == values._sample(corpus, 0).lists("word")
    first, second = (
        choose_value(tagger().get_params(), corpus, "pos", ["class"]) for _ in range(2)
    )
    assert first == second
    assert first.tried


def test_ctrl_c_ends_the_training(classes: WordClasses, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: Tagger, *_: Any, **__: Any) -> Tagger:
        self.stopped_ = "interrupted"
        return self

    monkeypatch.setattr(Tagger, "fit", stopped)
    with pytest.raises(KeyboardInterrupt):
        Pipeline({"class": classes, "pos": tagger()}).fit(noisy())


def recipe(folder: Path, *lines: str) -> Path:
    write_conll(noisy(), folder / "news.conll")
    (folder / "empty.txt").write_text("")
    task = ["[[task]]", 'name = "pos"', 'data = "news.conll"', "c2 = 0.1"]
    path = folder / "recipe.toml"
    path.write_text("\n".join(["[[representation]]", 'kind = "classes"', *lines, "", *task]))
    return path


@pytest.mark.parametrize("value", ["", 'value = "auto"', "value = 0.5"])
def test_recipes_choose_unless_they_have_a_number(tmp_path: Path, value: str) -> None:
    made = recipe(tmp_path, 'text = "news.conll"', "classes = 3", "min_count = 1", value)
    pipeline = Recipe.read(made).fit()
    assert [note[:26] for note in pipeline.notes_] == (
        [] if "0.5" in value else ["pos: the value of class is"]
    )


@pytest.mark.parametrize("value", ['"much"', "0", "true"])
def test_a_recipe_with_another_value_is_refused(tmp_path: Path, value: str) -> None:
    made = recipe(tmp_path, 'text = "news.conll"', f"value = {value}")
    with pytest.raises(DataError, match=r"value is .*; give auto or a number above 0"):
        Recipe.read(made)


def test_an_empty_text_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there are no tokens to learn a representation from"):
        WordClasses(3).fit(Corpus.from_lists({"word": []}))
    made = recipe(tmp_path, 'text = "empty.txt"', 'format = "text"')
    with pytest.raises(DataError, match=r"'class': .*empty.txt holds no sequences"):
        Recipe.read(made).fit()
