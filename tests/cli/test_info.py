"""dovetail info, and the commands as a whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

import dovetail
from dovetail import _native
from dovetail.base.training import training_date
from dovetail.corpus import write_conll
from pipeline.conftest import only, random_corpus

Run = Callable[..., Result]


def test_text(run: Run, model: Path) -> None:
    shown = run("info", model, "--top", 3).stdout
    for part in (
        "13 (IOB2): O, ",
        "template default over word",
        "data      train.conll\n",
        f"made by   dovetail {dovetail.__version__}, {dovetail.load(model).training_['date']}\n",
        "largest weights for B-STIME",
        "largest transitions",
        " -> I-",
        "stopped",
        f"CPU level {_native.LEVEL}",
    ):
        assert part in shown


def test_a_model_knows_its_data_its_features_and_its_date(run: Run, tmp_path: Path) -> None:
    before = training_date()
    data = tmp_path / "talks.conll"
    data.write_text("at O\n4 B-TIME\n")
    (tmp_path / "own.template").write_text("word\n")
    run("train", data, "-m", tmp_path / "m", "--template", tmp_path / "own.template")
    facts = json.loads(run("info", tmp_path / "m", "--json").stdout)["training"]
    assert (facts["data"], facts["feature_set"]) == (["talks.conll"], "own.template")
    assert before <= facts["date"] <= training_date()
    assert "own.template over word" in run("info", tmp_path / "m").stdout


def test_weights_of_many_labels_are_shown_on_request(run: Run, tmp_path: Path) -> None:
    (tmp_path / "many.conll").write_text("".join(f"w{k} label{k}\n" for k in range(20)))
    run("train", tmp_path / "many.conll", "-m", tmp_path / "m")
    shown = run("info", tmp_path / "m").stdout
    assert shown.count("largest weights for") == 15
    assert "and of 5 more labels: --top N shows all" in shown
    assert run("info", tmp_path / "m", "--top", 1).stdout.count("largest weights for") == 20


def test_json(run: Run, model: Path) -> None:
    facts = json.loads(run("info", model, "--json", "--top", 2).stdout)
    tagger = dovetail.load(model)
    assert facts["labels"] == tagger.labels_
    assert facts["cpu_level"] == _native.LEVEL
    assert facts["n_features"] == tagger.n_features_
    assert len(facts["top_weights"]["O"]) == 2
    assert facts["training"]["tokens"] == 9_869


def test_feature_text_model(run: Run, feature_text: Path, tmp_path: Path) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    assert "given as lists or feature text" in run("info", tmp_path / "m").stdout


@pytest.mark.parametrize("command", ["train", "tag", "eval", "info"])
def test_every_command_has_help(run: Run, command: str) -> None:
    assert command in run("--help").stdout
    assert "Usage:" in run(command, "--help").stdout


def test_version_and_unknown_command(run: Run) -> None:
    expected = f"dovetail {dovetail.__version__} (CPU level {_native.LEVEL})\n"
    assert run("--version").stdout == expected
    assert "No such command" in run("fly", code=2).output


def test_a_layer_by_auto_says_how_it_came_to_be(run: Run, tmp_path: Path) -> None:
    write_conll(only(random_corpus(40, seed=1), "word", "low"), tmp_path / "low.conll")
    write_conll(only(random_corpus(30, seed=2), "word", "up"), tmp_path / "up.conll")
    (tmp_path / "recipe.toml").write_text(
        'decode = "auto"\nfolds = 2\n[[task]]\nname = "low"\ndata = "low.conll"\nc2 = 0.25\n'
        '[[task]]\nname = "up"\ndata = "up.conll"\nfeatures = "entities"\n'
    )
    model = tmp_path / "auto.dovetail"
    run("train", tmp_path / "recipe.toml", "-m", model)
    facts = json.loads(run("info", model, "--json").stdout)
    assert facts["dovetail"] == dovetail.__version__
    low, up = facts["layers"]
    assert low["fitting"]["data"] == ["low.conll"]
    assert low["fitting"]["date"] <= training_date()
    fitting = up["fitting"]
    assert fitting["training"] == "auto"
    assert (fitting["data"], fitting["features"]) == (["up.conll"], "entities")
    assert fitting["selected"] in fitting["candidates"]
    assert {"transfer", "all", "no transfer"} <= set(fitting["candidates"])
    members = up["model"]["of"]["members"]
    assert members
    assert all(member["weight"] > 0 for member in members)
    text = run("info", model).stdout
    assert f"made by   dovetail {dovetail.__version__}" in text
    for row in ("penalty      c2 0.25", "data         up.conll", "feature set  entities"):
        assert row in text
    assert f"selected     {fitting['selected']}\n" in f"{text}\n"
    assert f"{fitting['selected']} {100 * fitting['candidates'][fitting['selected']]:.1f}" in text
    assert text.count("  member       ") == len(members)
    assert str(tmp_path) not in json.dumps(fitting)


def test_pipelines_of_0_1_have_less_to_say(run: Run) -> None:
    saved = Path(__file__).parents[1] / "fixtures" / "saved-0.1"
    text = run("info", saved / "pipeline-auto.dovetail").stdout
    assert "  member  " in text
    assert "candidates" not in text


def test_what_a_task_with_shared_structure_has_chosen(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.conll").write_text("the D\ncat N\n\na D\ndog N\n\n" * 8)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'decode = "cascade"\n[[task]]\nname = "pos"\nkind = "aso"\ndata = "t.conll"\n'
        "parts = 2\nsharing = 0.5\n"
    )
    run("train", recipe, "-m", tmp_path / "m")
    shown = run("info", tmp_path / "m").stdout
    assert re.search(r"^ *sharing +0\.5$", shown, re.MULTILINE)
    recipe.write_text(recipe.read_text().replace("sharing = 0.5", 'variant = "paper"'))
    wrong = run("train", recipe, "-m", tmp_path / "m", code=1)
    assert "the variant 'paper' has no default for h: give a number" in wrong.stderr
