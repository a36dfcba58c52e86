"""dovetail train with a recipe, and what can be wrong with pipelines."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dovetail.cli import main
from dovetail.corpus import write_conll
from dovetail.pipeline import Pipeline
from pipeline.conftest import only, random_corpus

Run = Callable[..., Result]
COMMAND = [sys.executable, "-c", "from dovetail.cli import main; main(prog_name='dovetail')"]


def refused(result: Result) -> str:
    lines = result.stderr.splitlines()
    assert lines[-1].startswith("dovetail: ")
    assert result.stdout == ""
    return lines[-1]


def test_summary_and_progress(run: Run, recipe_folder: Path, tmp_path: Path) -> None:
    result = run("train", recipe_folder / "recipe.toml", "-m", tmp_path / "p")
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["ner", "fields", "training", "decode", "model"]
    assert "3 sequences, 8 tokens; 4 labels" in lines[0]
    assert "certified" in lines[1]
    shown = result.stderr.splitlines()
    assert shown[0] == "reading the data of ner, fields"
    assert any(line.startswith("ner: dual: iteration 1 ") for line in shown)
    assert shown[-1].startswith("fields: ")
    assert Pipeline.load(tmp_path / "p").names == ["ner", "fields"]


def test_json_summary(run: Run, recipe_folder: Path, tmp_path: Path) -> None:
    options = ["-m", tmp_path / "p", "--json", "--threads", 1]
    facts = json.loads(run("train", recipe_folder / "recipe.toml", *options).stdout)
    assert facts["bytes"] == (tmp_path / "p").stat().st_size
    assert (facts["decode"], facts["training"], facts["notes"]) == ("joint", "cascade", [])
    assert not facts["interrupted"]
    assert [task["name"] for task in facts["tasks"]] == ["ner", "fields"]
    assert facts["tasks"][1]["tokens"] == 9
    assert facts["tasks"][1]["gap"] < 1e-3


def test_dry_run_writes_nothing(run: Run, recipe_folder: Path, tmp_path: Path) -> None:
    options = ["--dry-run", "-m", tmp_path / "p"]
    shown = run("train", recipe_folder / "recipe.toml", *options).stdout
    assert "4 sequences, 9 tokens" in shown
    assert "(without what ner will add)" in shown
    facts = json.loads(run("train", recipe_folder / "recipe.toml", *options, "--json").stdout)
    assert facts["tasks"]["ner"]["n_labels"] == 4
    assert not any(tmp_path.iterdir())


def test_cross_fitting_is_told(run: Run, recipe_folder: Path, tmp_path: Path) -> None:
    recipe = recipe_folder / "shared.toml"
    text = (recipe_folder / "recipe.toml").read_text()
    recipe.write_text("folds = 2\n" + text.replace("talks.conll", "news.conll"))
    result = run("train", recipe, "-m", tmp_path / "p")
    note = "3 of 3 sequences are training text of 'ner' too"
    assert f"note: {note}" in result.stderr
    assert "ner, without part 2 of 2: dual" in result.stderr
    assert note in result.stdout
    assert note in run("info", tmp_path / "p").stdout


def test_a_trained_model_in_a_recipe(run: Run, recipe_folder: Path, tmp_path: Path) -> None:
    options = ["--c2", 0.05, "--constraints", "auto"]
    run("train", recipe_folder / "news.conll", "-m", recipe_folder / "ner.dovetail", *options)
    recipe = recipe_folder / "with_model.toml"
    upper = (recipe_folder / "recipe.toml").read_text().rpartition("[[task]]")[2]
    recipe.write_text(f'[[task]]\nname = "ner"\nmodel = "ner.dovetail"\n[[task]]{upper}')
    result = run("train", recipe, "-m", tmp_path / "p")
    assert result.stdout.startswith("ner       trained before; 4 labels")
    tagged = run("tag", tmp_path / "p", recipe_folder / "talks.conll").stdout
    assert "Ada\tB-SPEAKER\tB-PER\tB-SPEAKER\n" in tagged


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--c2", 1], "--c2 does not go with a recipe, which has settings of its own"),
        (["--held-out", "x"], "--held-out does not go with a recipe"),
        (["--columns", "a,b"], "--columns does not go with a recipe"),
        (["--all-pairs"], "--all-pairs does not go with a recipe"),
    ],
)
def test_options_of_single_taggers(
    run: Run, recipe_folder: Path, tmp_path: Path, options: list[object], message: str
) -> None:
    result = run("train", recipe_folder / "recipe.toml", "-m", tmp_path / "p", *options, code=2)
    assert message in result.stderr
    assert not any(tmp_path.iterdir())


def test_one_recipe_and_a_place_for_the_pipeline(
    run: Run, recipe_folder: Path, tmp_path: Path
) -> None:
    recipe = recipe_folder / "recipe.toml"
    assert "'--model'" in run("train", recipe, code=2).stderr
    both = run("train", recipe, recipe_folder / "news.conll", "-m", tmp_path / "p", code=2)
    assert "one recipe, or files of data" in both.stderr
    nowhere = tmp_path / "no" / "p"
    assert "cannot write" in refused(run("train", recipe, "-m", nowhere, code=1))


def test_bad_recipes(run: Run, recipe_folder: Path, tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    assert "missing.toml" in refused(run("train", missing, "-m", tmp_path / "p", code=1))
    bad, good = recipe_folder / "bad.toml", (recipe_folder / "recipe.toml").read_text()
    for text, message in (
        (good + "wieght = 2\n", "task 'fields': there is no key 'wieght'; did you mean 'weight'"),
        (good.replace("talks.conll", "no.conll"), "data names no.conll"),
        (good + 'label = "x"\n', "task 'fields': its data has no column 'x'"),
    ):
        bad.write_text(text)
        assert message in refused(run("train", bad, "-m", tmp_path / "p", code=1))
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("how", ["empty", "cut", "altered header", "altered weights"])
def test_damaged_pipelines(
    run: Run, pipeline: Path, recipe_folder: Path, tmp_path: Path, how: str
) -> None:
    content = bytearray(pipeline.read_bytes())
    if how == "empty":
        content.clear()
    elif how == "cut":
        del content[len(content) // 2 :]
    elif how == "altered header":
        content[content.index(b"cascade" if b"cascade" in content else b"joint")] ^= 1
    else:
        content[-5000::64] = bytes(b ^ 0xFF for b in content[-5000::64])
    damaged = tmp_path / "damaged.dovetail"
    damaged.write_bytes(content)
    data = recipe_folder / "talks.conll"
    for command in (["tag", damaged, data], ["eval", damaged, data], ["info", damaged]):
        assert "damaged.dovetail" in refused(run(*command, code=1))


def test_pipelines_where_a_tagger_is_wanted(
    run: Run, pipeline: Path, recipe_folder: Path, tmp_path: Path
) -> None:
    data = recipe_folder / "talks.conll"
    out = ["-m", tmp_path / "m"]
    for result in (
        run("features", data, "--model", pipeline, code=1),
        run("train", data, *out, "--warm-start", pipeline, code=1),
    ):
        assert "holds a pipeline" in refused(result)
    recipe = recipe_folder / "nested.toml"
    recipe.write_text('[[task]]\nname = "ner"\nmodel = "talks.dovetail"\n')
    assert "holds a pipeline" in refused(run("train", recipe, *out, code=1))


def test_single_taggers_load_no_pipeline(model: Path, test_file: Path) -> None:
    script = (
        "import sys; from dovetail.cli import main; "
        f"main(['tag', {str(model)!r}, {str(test_file)!r}, '-o', {os.devnull!r}],"
        " standalone_mode=False); "
        "heavy, light = ('dovetail.pipeline.', 'dovetail.grid'), 'dovetail.pipeline.choices'; "
        "print([m for m in sys.modules if m.startswith(heavy) and m != light])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_interrupted_task_ends_it_all(recipe_folder: Path, tmp_path: Path) -> None:
    news = (recipe_folder / "news.conll").read_text()
    (tmp_path / "news.conll").write_text(
        "".join(news.replace("Bob", f"Bo{k}b") for k in range(999))
    )
    (tmp_path / "talks.conll").write_text((recipe_folder / "talks.conll").read_text())
    slow = 'c2 = 0.0001\nmethod = "lbfgs"\ntolerance = 1e-300\n'
    recipe = (recipe_folder / "recipe.toml").read_text().replace("c2 = 0.05\n", slow, 1)
    (tmp_path / "slow.toml").write_text(recipe)
    command = [*COMMAND, "train", str(tmp_path / "slow.toml"), "-m", str(tmp_path / "p")]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any(line.startswith("ner: l-bfgs: iteration") for line in lines)
        process.send_signal(signal.SIGINT)
        shown, complaints = process.stdout.read(), process.stderr.read()
    assert "Traceback" not in complaints
    assert complaints.splitlines()[-1] == "dovetail: interrupted"
    assert shown == ""
    assert process.returncode == 130
    assert not (tmp_path / "p").exists()


def test_an_interrupted_training_by_auto_keeps_what_there_is(tmp_path: Path) -> None:
    write_conll(only(random_corpus(50, seed=1), "word", "low"), tmp_path / "low.conll")
    write_conll(only(random_corpus(50, seed=2), "word", "up"), tmp_path / "up.conll")
    slow = 'c2 = 0.0001\nmethod = "lbfgs"\ntolerance = 1e-300\n'
    (tmp_path / "slow.toml").write_text(
        'decode = "auto"\n[[task]]\nname = "low"\ndata = "low.conll"\n'
        f'[[task]]\nname = "up"\ndata = "up.conll"\n{slow}'
    )
    command = [*COMMAND, "train", str(tmp_path / "slow.toml"), "-m", str(tmp_path / "p")]
    with subprocess.Popen(command, stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        assert any(line.startswith("up: l-bfgs: iteration") for line in lines)
        process.send_signal(signal.SIGINT)
        shown, complaints = process.stdout.read(), process.stderr.read()
    assert "Traceback" not in complaints
    assert "note      up: interrupted; kept the tagger" in shown
    assert process.returncode == 130
    assert len(Pipeline.load(tmp_path / "p").predict([["a", "b"]])["up"][0]) == 2


def test_labels_that_are_only_mapped_have_a_summary(
    run: Run, recipe_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pools = {"lower labels mapped": ("mapped spans",)}
    monkeypatch.setattr("dovetail.pipeline.train.auto.pools.POOLS", pools)
    recipe = tmp_path / "auto.toml"
    text = (recipe_folder / "recipe.toml").read_text().replace('= "', f'= "{recipe_folder}/')
    text = text.replace(f'name = "{recipe_folder}/', 'name = "')
    text = text.replace(f'constraints = "{recipe_folder}/', 'constraints = "')
    recipe.write_text('decode = "auto"\n' + text)
    shown = run("train", recipe, "-m", tmp_path / "p").stdout
    assert "0 features; labels of a task below, mapped" in shown


def test_auto_is_trained_and_used(tmp_path: Path) -> None:
    write_conll(only(random_corpus(30, seed=1, longest=7), "word", "low"), tmp_path / "low.conll")
    write_conll(only(random_corpus(24, seed=2, longest=8), "word", "up"), tmp_path / "up.conll")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(
        'decode = "auto"\nfolds = 3\n'
        '[[task]]\nname = "low"\ndata = "low.conll"\ncolumns = ["word", "low"]\n'
        '[[task]]\nname = "up"\ndata = "up.conll"\ncolumns = ["word", "label"]\n',
        encoding="utf-8",
    )
    model, data = tmp_path / "out.dovetail", tmp_path / "up.conll"
    trained = CliRunner().invoke(main, ["train", str(recipe), "-m", str(model)])
    assert trained.exit_code == 0, trained.output
    assert "up, without part 3 of 3" in trained.stderr
    for arguments in (
        ["eval", str(model), str(data)],
        ["info", str(model)],
        ["tag", str(model), str(data)],
    ):
        found = CliRunner().invoke(main, arguments)
        assert found.exit_code == 0, found.output
        assert "up" in found.stdout or arguments[0] == "tag"
