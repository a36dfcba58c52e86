"""Parts of a recipe left out in turn."""

from __future__ import annotations

from pathlib import Path

import pytest

from compare.test_experiment import TASKS, biased, write
from dovetail import DataError
from dovetail.compare import Store, run, summarize
from dovetail.compare.experiment import Experiment
from dovetail.compare.plan import Cell
from dovetail.recipe import Recipe
from pipeline.conftest import random_corpus

LOWER, UPPER = random_corpus(40, seed=1, longest=7), random_corpus(30, seed=2, longest=8)
STATES = '[[representation]]\nkind = "hmm"\ntext = "up.conll"\nstates = 3\nmin_count = 1\n'


def experiment(folder: Path, systems: str, without: str, tasks: str = TASKS) -> Experiment:
    wishes = f"splits = 1\nsystems = {systems}\nwithout = {without}"
    return Experiment(write(folder, wishes, LOWER, UPPER, tasks), threads=1)


def test_each_part_is_left_out_in_turn(tmp_path: Path) -> None:
    found = experiment(tmp_path, '["none", "cascade"]', '["low", "state"]', STATES + TASKS)
    systems = ["none", "none without state", "cascade", "cascade without low",
               "cascade without state"]  # fmt: skip
    assert list(found.plan.systems) == systems
    assert found.facts["left out in turn"] == "low, state"
    store = Store(tmp_path / "results.jsonl", found.fingerprint)
    results = run(found.plan, found.work, store)
    assert list(summarize(results).systems) == systems


def test_without_a_task_it_is_as_if_that_had_never_been(tmp_path: Path) -> None:
    found = experiment(tmp_path, '["cascade"]', '["low"]')
    alone = TASKS[TASKS.index("[[task]]", 5) :].replace("conjoin = true\n", "")
    other = experiment(tmp_path, '["none"]', "[]", alone)
    size = found.plan.sizes[-1]
    left = found.work(Cell("cascade without low", 0, size))
    never = other.work(Cell("none", 0, size))
    assert left["overall"] == never["overall"]
    assert left["types"] == never["types"]


def test_a_template_may_name_the_task_that_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "up.template").write_text("word\nword[-1]\nlow\n")
    tasks = TASKS.replace("conjoin = true\n", 'features = "up.template"\n')
    found = experiment(tmp_path, '["cascade", "joint"]', '["low"]', tasks)
    size = found.plan.sizes[-1]
    whole, left = (found.work(Cell(s, 0, size)) for s in ("cascade", "cascade without low"))
    assert left["overall"] != whole["overall"]
    assert found.work(Cell("joint without low", 0, size))["overall"] == left["overall"]


def test_without_a_representation_and_without_its_bias(tmp_path: Path) -> None:
    found = experiment(tmp_path, '["none"]', '["state", "bias"]', biased("up"))
    size = found.plan.sizes[-1]
    scores = [found.work(Cell(system, 0, size))["types"] for system in found.plan.systems]
    assert found.plan.systems == ("none", "none without state", "none without bias")
    plain = biased("up").replace("biased", "hmm").replace("source", "text").replace(
        'labels = "up"\n', "").replace("entropy = 3.0", "")  # fmt: skip
    other = experiment(tmp_path, '["none"]', "[]", plain)
    assert other.work(Cell("none", 0, size))["types"] == scores[2]
    assert scores[0] != scores[2]


def test_without_aso_a_linear_task_is_left(tmp_path: Path) -> None:
    aso = TASKS.replace("c2 = 0.1", 'kind = "aso"\nparts = 2\nh = 2\nsharing = 2.0', 1)
    found = experiment(tmp_path, '["cascade"]', '["aso"]', aso)
    linear = TASKS.replace("c2 = 0.1", 'kind = "linear"', 1)
    other = experiment(tmp_path, '["cascade"]', "[]", linear)
    size = found.plan.sizes[-1]
    left = found.work(Cell("cascade without aso", 0, size))
    plain = other.work(Cell("cascade", 0, size))
    assert left["overall"] == plain["overall"]


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("aso", "without names 'aso', but no task is of the kind aso"),
        ("bias", "without names 'bias', but no representation has a bias"),
        ("up", "without names 'up', the last task, which is the one that is compared"),
        ("lov", "without names 'lov', which is neither a task below .*; there are low, aso, bias"),
    ],
)
def test_parts_that_there_are_not(tmp_path: Path, part: str, words: str) -> None:
    with pytest.raises(DataError, match=words):
        experiment(tmp_path, '["cascade"]', f'["{part}"]')


def test_a_bias_by_labels_that_are_not_there(tmp_path: Path) -> None:
    wrong = biased("up").replace('labels = "up"', 'labels = "tag"')
    words = r"recipe\.toml: the representation 'state': there is no column 'tag'"
    with pytest.raises(DataError, match=words):
        experiment(tmp_path, '["none"]', '["bias"]', wrong)


def test_a_list_of_names_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="without is 1; give a list of names"):
        write(tmp_path, "without = 1", LOWER, UPPER)
    assert isinstance(write(tmp_path, 'without = ["low"]', LOWER, UPPER), Recipe)
