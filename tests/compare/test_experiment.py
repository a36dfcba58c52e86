"""Comparison of the systems of a recipe."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from dovetail import Corpus, DataError, Tagger
from dovetail.compare import Store, run, summarize
from dovetail.compare.experiment import Experiment
from dovetail.corpus import write_conll
from dovetail.recipe import Recipe
from dovetail.representation import BiasedHMM, Entropy
from dovetail.representation.build import make_representation
from pipeline.conftest import only, random_corpus

TASKS = """
[[task]]
name = "low"
data = "low.conll"
columns = ["word", "low"]
c2 = 0.1

[[task]]
name = "up"
data = "up.conll"
columns = ["word", "up"]
conjoin = true
c2 = 0.1
"""
SYSTEMS = ["none", "cascade", "soft", "stacked", "joint"]


def write(folder: Path, compare: str, lower: Corpus, upper: Corpus, tasks: str = TASKS) -> Recipe:
    write_conll(only(lower, "word", "low"), folder / "low.conll")
    write_conll(only(upper, "word", "up"), folder / "up.conll")
    path = folder / "recipe.toml"
    path.write_text(f"{tasks}\n[compare]\n{compare}\n", encoding="utf-8")
    return Recipe.read(path)


def test_all_systems_on_the_same_splits(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    recipe = write(tmp_path, "splits = 2\nsizes = [8]", lower, upper)
    experiment = Experiment(recipe, threads=1)
    assert experiment.plan.systems == tuple(SYSTEMS)
    assert list(experiment.plan.sizes) == [8, 15]
    store = Store(tmp_path / "results.jsonl", experiment.fingerprint)
    results = run(experiment.plan, experiment.work, store)
    assert len(results) == 5 * 2 * 2
    scores = {(r["system"], r["split"], r["size"]): r["overall"]["f1"] for r in results}
    assert len({scores[system, 0, 15] for system in SYSTEMS}) > 2
    assert all(0 <= score <= 1 for score in scores.values())
    assert set(summarize(results).systems) == set(SYSTEMS)
    again = Experiment(recipe, threads=1)
    assert again.fingerprint == experiment.fingerprint

    def refuse(cell: object) -> dict[str, object]:
        raise AssertionError(f"{cell} was computed again")

    assert run(again.plan, refuse, Store(store.path, again.fingerprint)) == results


def test_none_equals_a_tagger_that_never_heard_of_the_others(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    systems = 'systems = ["none"]\nsplits = 1'
    with_lower = Experiment(write(tmp_path, systems, lower, upper), threads=1)
    alone = TASKS[TASKS.index("[[task]]", 5) :].replace("conjoin = true\n", "")
    without = Experiment(write(tmp_path, systems, lower, upper, alone), threads=1)
    [cell] = with_lower.plan.cells
    assert with_lower.work(cell) == without.work(cell)


def test_lower_tasks_on_the_same_text_never_see_the_test_part(tmp_path: Path) -> None:
    corpus = random_corpus(30, seed=2, longest=8)
    recipe = write(tmp_path, 'systems = ["cascade", "joint"]\nsplits = 1', corpus, corpus)
    experiment = Experiment(recipe, threads=1)
    tested = {tuple(words) for words in experiment._test_part(0).lists("word")}
    learnt = {tuple(words) for words in experiment._lower_data("low", 0, 15).lists("word")}
    assert learnt
    assert not tested & learnt
    for cell in experiment.plan.cells:
        assert experiment.work(cell)["n_train"] == 15


def test_folds_and_fixed_test_data(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    folds = Experiment(write(tmp_path, "folds = 3", lower, upper))
    assert len(folds.splits) == 3
    assert sorted(unit for split in folds.splits for unit in split.test) == list(range(30))
    write_conll(only(random_corpus(9, seed=5), "word", "up"), tmp_path / "test.conll")
    fixed = Experiment(write(tmp_path, 'test = ["test.conll"]\nsystems = ["none"]', lower, upper))
    [cell] = fixed.plan.cells
    assert fixed.work(cell)["n_test"] == 9


def test_a_size_beyond_the_data(tmp_path: Path) -> None:
    corpus = random_corpus(10, seed=2)
    recipe = write(tmp_path, "sizes = [500]", random_corpus(9, seed=1), corpus)
    with pytest.raises(DataError, match="a training size of 500 is asked for, but there are 5"):
        _ = Experiment(recipe).plan


def test_a_lower_task_never_learns_from_fixed_test_data(tmp_path: Path) -> None:
    tested = random_corpus(20, seed=5, longest=8)
    lower = Corpus.concatenate([tested, random_corpus(20, seed=1, longest=8)])
    write_conll(only(tested, "word", "up"), tmp_path / "test.conll")
    upper = random_corpus(20, seed=9, longest=9)
    recipe = write(tmp_path, 'test = ["test.conll"]\nsystems = ["cascade"]', lower, upper)
    experiment = Experiment(recipe, threads=1)
    known = {tuple(words) for words in tested.lists("word")}
    learnt = {tuple(words) for words in experiment._lower_data("low", 0, 20).lists("word")}
    assert learnt
    assert not learnt & known
    assert experiment._shared == ["low"]
    experiment.work(experiment.plan.cells[0])


def test_data_in_folders_and_recipes_called_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mails").mkdir()
    for k in range(6):
        text = f"Talk {k} by <who>Ada Osei</who> at noon"
        (tmp_path / "mails" / f"{k}.txt").write_text(text, encoding="utf-8")
    text = '[[task]]\nname = "fields"\ndata = "mails"\nformat = "markup"\n[compare]\nsplits = 1\n'
    (tmp_path / "recipe.toml").write_text(text + 'systems = ["none"]\n', encoding="utf-8")
    there = Experiment(Recipe.read(tmp_path / "recipe.toml"))
    monkeypatch.chdir(tmp_path)
    here = Experiment(Recipe.read("recipe.toml")).fingerprint
    assert here == there.fingerprint
    (tmp_path / "mails" / "0.txt").write_text("Talk", encoding="utf-8")
    assert Experiment(Recipe.read("recipe.toml")).fingerprint != here


def test_sizes_that_are_too_small_are_told_at_once(tmp_path: Path) -> None:
    lower, upper = random_corpus(9, seed=1), random_corpus(10, seed=2)
    recipe = write(tmp_path, 'systems = ["stacked"]\nsizes = [1]', lower, upper)
    with pytest.raises(DataError, match="need at least 2 sequences to train on, not 1"):
        _ = Experiment(recipe).plan


@pytest.mark.parametrize(("seed", "low"), [(2, 2 * (1 + 5)), (3, 1)])
def test_lower_tasks_are_trained_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, low: int
) -> None:
    """For each split and each part of a cross-fitting where text is shared, else once for all."""
    lower, upper = random_corpus(30, seed=seed, longest=8), random_corpus(30, seed=2, longest=8)
    recipe = write(tmp_path, 'systems = ["cascade", "joint"]\nsplits = 2', lower, upper)
    experiment = Experiment(recipe, threads=1)
    fits: Counter[str] = Counter()
    train = Tagger.fit

    def spy(self: Tagger, data: Corpus, **settings: Any) -> Tagger:
        fits[settings["label"]] += 1
        return train(self, data, **settings)

    monkeypatch.setattr(Tagger, "fit", spy)
    for cell in experiment.plan.cells:
        experiment.work(cell)
    assert fits == {"low": low, "up": 2}


def test_that_the_training_of_a_recipe_does_not_count_is_told(tmp_path: Path) -> None:
    lower, upper = random_corpus(9, seed=1), random_corpus(10, seed=2)
    assert "training" not in Experiment(write(tmp_path, "splits = 1", lower, upper)).facts
    recipe = write(tmp_path, "splits = 1", lower, upper, f'training = "gold"\n{TASKS}')
    assert Experiment(recipe).facts["training"] == "as each system has it, not gold"


def test_representations_are_read_by_all_systems(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    tasks = f'[[representation]]\nkind = "classes"\ntext = "low.conll"\nclasses = 2\n{TASKS}'
    recipe = write(tmp_path, 'splits = 1\nsystems = ["none", "joint"]', lower, upper, tasks)
    experiment = Experiment(recipe, threads=1)
    for cell in experiment.plan.cells:
        assert 0 <= experiment.work(cell)["overall"]["f1"] <= 1
        pipeline = experiment._fit_or_reuse(cell.split, cell.size, "none")
        assert "class" in pipeline["up"].model_.template.columns


def biased(name: str) -> str:
    """A recipe whose representation learns from the labels of a task."""
    source = f'source = "{name}.conll"\ncolumns = ["word", "{name}"]\nlabels = "{name}"'
    settings = 'states = 4\nmin_count = 1\nrounds = 12\nstart = "random"\nentropy = 3.0'
    return f'[[representation]]\nkind = "biased"\n{source}\n{settings}\n{TASKS}'


def test_tasks_learn_from_columns_that_have_not_seen_their_labels(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    recipe = write(tmp_path, 'splits = 1\nsystems = ["cascade"]', lower, upper, biased("low"))
    trained = recipe.fit(threads=1)
    compared = Experiment(recipe, threads=1)._fit_or_reuse(0, 10, "cascade")
    one, other = (p["low"].model_.facts["training"]["objective"] for p in (trained, compared))
    assert one == pytest.approx(other, rel=1e-9)


def test_a_tested_task_may_share_its_training_text(tmp_path: Path) -> None:
    """With test data of its own, the last task is trained on leak-free columns, too."""
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    write_conll(only(random_corpus(20, seed=3, longest=8), "word", "up"), tmp_path / "test.conll")
    wishes = 'test = "test.conll"\nsystems = ["none"]'
    experiment = Experiment(write(tmp_path, wishes, lower, upper, biased("up")), threads=1)
    assert "state" in experiment._train_part(0, 10).names
    assert "state" not in experiment._test_part(0).names
    assert 0 <= experiment.work(experiment.plan.cells[0])["overall"]["f1"] <= 1


def test_biased_models_from_files_are_refused(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    model = BiasedHMM(2, [Entropy("low")], min_count=1, rounds=2, threads=1).fit(lower)
    model.save(tmp_path / "b.dovetail")
    tasks = f'[[representation]]\nmodel = "b.dovetail"\n{TASKS}'
    experiment = Experiment(write(tmp_path, "splits = 1", lower, upper, tasks), threads=1)
    with pytest.raises(DataError, match="has learned from labels, perhaps those that systems"):
        experiment.work(experiment.plan.cells[0])


@pytest.mark.parametrize("system", ["none", "cascade", "auto"])
def test_an_interrupted_training_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    recipe = write(tmp_path, f'splits = 2\nsystems = ["{system}"]', lower, upper)
    experiment = Experiment(recipe, threads=1)
    fit = Tagger.fit

    def interrupted(self: Tagger, data: Any, *given: Any, **settings: Any) -> Tagger:
        def interrupt(_: object) -> None:
            raise KeyboardInterrupt

        chosen = settings if settings.get("label") == "low" else {**settings, "callback": interrupt}
        return fit(self, data, *given, **chosen)

    monkeypatch.setattr(Tagger, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        experiment.work(experiment.plan.cells[0])


def test_probabilities_of_spans_are_kept_at_full_size(tmp_path: Path) -> None:
    words = [["Ada", "spoke"], ["he", "saw", "Bob"]] * 8
    labels = [["B-X", "O"], ["O", "O", "B-X"]] * 8
    upper = Corpus.from_lists({"word": words, "up": labels})
    tasks = '[[task]]\nname = "up"\ndata = "up.conll"\ncolumns = ["word", "up"]\nc2 = 0.1\n'
    how = 'systems = ["none", "auto"]\nsplits = 1\nsizes = [4]'
    recipe = write(tmp_path, how, random_corpus(4, seed=1), upper, tasks)
    experiment = Experiment(recipe, threads=1)
    store = Store(tmp_path / "results.jsonl", experiment.fingerprint)
    results = run(experiment.plan, experiment.work, store)
    assert {(r["system"], r["size"]) for r in results if "reliability" in r} == {
        ("none", 8),
        ("auto", 8),
    }
    assert sum(summarize(results).reliability["auto"].counts) > 0


def test_labels_that_are_tested_are_learned_inside_each_split(tmp_path: Path) -> None:
    lower, upper = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
    recipe = write(tmp_path, 'splits = 2\nsystems = ["cascade"]', lower, upper, biased("up"))
    experiment = Experiment(recipe, threads=1)
    for split in (0, 1):
        train = experiment._train_part(split, 10)
        assert len(train) == 10
        assert "state" in train.names
        state = experiment._learned(split, 10).known["state"]
        known = make_representation(
            "biased", labels="up", states=4, min_count=1, rounds=12, start="random", entropy=3.0,
            seed=recipe.seed, threads=1,
        )  # fmt: skip
        expected = known.fit(only(train, "word", "up")).annotate(only(upper, "word"))
        assert state.annotate(only(upper, "word")).lists("state") == expected.lists("state")
        assert 0 <= experiment.work(experiment.plan.cells[split])["overall"]["f1"] <= 1
