"""Commands whose work is done by the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

import dovetail
from dovetail.corpus import read, write_conll
from pipeline.conftest import only, random_corpus

distributed = pytest.importorskip("distributed", reason="Dask is not installed")

Run = Callable[..., Result]
RECIPE = """
[[task]]
name = "low"
data = "low.conll"
columns = ["word", "low"]

[[task]]
name = "up"
data = "up.conll"
columns = ["word", "up"]

[compare]
systems = ["none", "cascade"]
splits = 2
sizes = [6]
"""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as made:
        yield made.scheduler_address


def test_a_model_trained_and_used_by_workers_is_the_same(
    run: Run, address: str, train_file: Path, test_file: Path, tmp_path: Path
) -> None:
    for name, more in (("here", ()), ("there", ("--cluster", address))):
        folder = tmp_path / f"text-{name}"
        run("train", train_file, "-m", tmp_path / name, "--on-disk", folder, "--c2", 1, *more)
        out = tmp_path / f"tagged-{name}"
        run("tag", tmp_path / "here", test_file, train_file, "--out", out, *more)
    here, there = (dovetail.load(tmp_path / name) for name in ("here", "there"))
    text = read(test_file)
    assert (here.marginals(text) == there.marginals(text)).all()
    tagged = [
        {path.name: path.read_bytes() for path in (tmp_path / f"tagged-{name}").glob("*.conll")}
        for name in ("here", "there")
    ]
    assert tagged[0] == tagged[1]
    assert sorted(tagged[0]) == ["test.conll", "train.conll"]


def test_cells_of_a_comparison_are_the_same(run: Run, address: str, tmp_path: Path) -> None:
    write_conll(only(random_corpus(30, seed=1), "word", "low"), tmp_path / "low.conll")
    write_conll(only(random_corpus(24, seed=2), "word", "up"), tmp_path / "up.conll")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    own = ("--no-html", "--threads", 1)
    here = run("compare", recipe, *own, "--results", tmp_path / "a.jsonl")
    there = run("compare", recipe, *own, "--results", tmp_path / "b.jsonl", "--cluster", address)
    assert here.stdout == there.stdout


def test_a_pipeline_whose_folds_workers_train_is_the_same(
    run: Run, address: str, tmp_path: Path
) -> None:
    text = random_corpus(30, seed=1)
    write_conll(only(text, "word", "low"), tmp_path / "low.conll")
    write_conll(only(text, "word", "up"), tmp_path / "up.conll")
    recipe = tmp_path / "recipe.toml"
    recipe.write_text(RECIPE)
    for name, more in (("here", ()), ("there", ("--cluster", address))):
        run("train", recipe, "-m", tmp_path / name, "--threads", 1, *more)
    here, there = (dovetail.load(tmp_path / name) for name in ("here", "there"))
    assert (here["up"].marginals(text) == there["up"].marginals(text)).all()


def test_points_of_a_grid_are_the_same(
    run: Run, address: str, train_file: Path, tmp_path: Path
) -> None:
    own = ("--c2", "0.1,1", "--folds", 2, "--threads", 1)
    tables = [
        run("tune", train_file, *own, "--results", tmp_path / name, *more).stdout
        for name, more in (("a", ()), ("b", ("--cluster", address)))
    ]
    assert tables[0] == tables[1]


def test_what_does_not_go_together(run: Run, model: Path, test_file: Path, tmp_path: Path) -> None:
    refused = run("tag", model, test_file, "--cluster", "local:1", code=2)
    assert "--cluster needs --out" in refused.stderr
    refused = run("train", test_file, "-m", tmp_path / "m", "--cluster", "local:1", code=2)
    assert "--cluster needs --on-disk" in refused.stderr
    refused = run(
        "tag", model, test_file, "--out", tmp_path / "o", "--cluster", "tcp://127.0.0.1:9x", code=1
    )
    assert "no scheduler answers at tcp://127.0.0.1:9x" in refused.stderr
