"""A command line to call, and a model that it trained."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dovetail import demo
from dovetail.cli import main

Run = Callable[..., Result]
NEWS = "Ada B-PER\nLopez I-PER\nspoke O\n\nhe O\nsaw O\nBob B-PER\n\nRome B-LOC\nslept O\n\n"
TALKS = "by O\nAda B-SPEAKER\nLopez I-SPEAKER\n\nat O\nnoon B-TIME\n\nin O\nRome B-PLACE\n\n"
TALKS += "by O\nBob B-SPEAKER\n\n"
RECIPE = """
[[task]]
name = "ner"
data = "news.conll"
c2 = 0.05
constraints = "auto"

[[task]]
name = "fields"
data = "talks.conll"
c2 = 0.05
constraints = "auto"
"""


@pytest.fixture(scope="session")
def run() -> Run:
    """Calls ``dovetail`` with these arguments; no exception but SystemExit may come out of it."""

    def call(*arguments: object, text: str | bytes | None = None, code: int = 0) -> Result:
        result = CliRunner().invoke(main, [str(argument) for argument in arguments], input=text)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.output
        assert "Traceback" not in result.output
        assert result.exit_code == code, result.output
        return result

    return call


@pytest.fixture(scope="session")
def train_file() -> Path:
    return demo.path("train.conll")


@pytest.fixture(scope="session")
def test_file() -> Path:
    return demo.path("test.conll")


@pytest.fixture(scope="session")
def model(run: Run, train_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the demo corpus."""
    path = tmp_path_factory.mktemp("models") / "talks.dovetail"
    run("train", train_file, "--model", path, "--constraints", "auto")
    return path


@pytest.fixture(scope="session")
def pos_model(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of plain labels, with named columns of which the label is not the last."""
    folder = tmp_path_factory.mktemp("models")
    rows = "the DT l\ndog NN l\nbarks VB l\n\na DT l\ncat NN l\nsleeps VB l\n\n"
    (folder / "pos.conll").write_text(rows * 5)
    columns = ["--columns", "form,tag,language", "--label", "tag"]
    run("train", folder / "pos.conll", "-m", folder / "pos.dovetail", "--c2", "0.1", *columns)
    return folder / "pos.dovetail"


@pytest.fixture(scope="session")
def feature_text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file of CRFsuite's format, with values and escapes."""
    path = tmp_path_factory.mktemp("data") / "tiny.crfsuite"
    path.write_text("D\tw=the\tlength:3\nN\tw=dog\ttime=3\\:30\n\nD\tw=a\nN\tw=cat\n\n" * 5)
    return path


@pytest.fixture(scope="session")
def recipe_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recipe with its data."""
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "news.conll").write_text(NEWS)
    (folder / "talks.conll").write_text(TALKS)
    (folder / "recipe.toml").write_text(RECIPE)
    return folder


@pytest.fixture(scope="session")
def pipeline(run: Run, recipe_folder: Path) -> Path:
    """The pipeline that was trained by the recipe."""
    run("train", recipe_folder / "recipe.toml", "-m", recipe_folder / "talks.dovetail")
    return recipe_folder / "talks.dovetail"
