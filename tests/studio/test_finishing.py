"""The model at the end, and that its recipe makes the same bytes again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import dovetail
from dovetail.cli import main
from dovetail.corpus import Corpus
from dovetail.demo import path
from dovetail.errors import DataError
from dovetail.studio.annotation import Annotation, Span
from dovetail.studio.finishing import finish
from dovetail.studio.journal import Place
from dovetail.studio.project import Project

MakeProject = Callable[..., Project]


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(map(str, arguments)), catch_exceptions=False)
    return done.exit_code, done.output


@pytest.mark.parametrize("with_old", [False, True])
def test_the_recipe_makes_the_same_bytes_again(
    make_project: MakeProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_old: bool
) -> None:
    wishes = {}
    if with_old:
        news = Corpus.from_lists(
            {"word": [["Ada", "ran"], ["to", "Bo"]], "ner": [["B-PER", "O"], ["O", "B-PER"]]}
        )
        dovetail.Tagger(c2=0.1).fit(news).save(tmp_path / "ner.dovetail")
        wishes = {"taggers": [tmp_path / "ner.dovetail"], "same": {"PER": "SPEAKER"}}
    project = make_project(files=[path("few.conll")], **wishes)
    finished = finish(project)
    assert finished.folder == project.folder / "finished"
    [(model, count)] = finished.models.values()
    assert count == project.count("me")["done"]
    assert str(model) in finished.to_text()
    recipe = model.with_suffix(".toml")
    again = tmp_path / "again.dovetail"
    comment = recipe.read_text().splitlines()[1]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", comment.partition("=")[2].split()[0])
    code, said = run("train", recipe, "--model", again)
    assert code == 0, said
    assert again.read_bytes() == model.read_bytes()
    tagger = dovetail.load(model)
    assert tagger.tag_texts(["Speaker: Dr. Ada Lopez"])[0].spans


def test_layers_have_models_of_their_own(make_project: MakeProject, tmp_path: Path) -> None:
    file = tmp_path / "two.conll"
    file.write_text("Ada B-PER O\nran O B-DO\n\nBo B-PER O\nsat O B-DO\n")
    from dovetail.studio.importing import Reading

    project = make_project(
        files=[file],
        labels={"ner": ["PER"], "verbs": ["DO"], "none": ["X"]},
        reading=Reading(columns="word,ner,verbs"),
    )
    finished = finish(project)
    assert [*finished.models] == ["ner", "verbs"]
    assert finished.empty == ("none",)


def test_without_anything_done_there_is_no_model(project: Project) -> None:
    project.journal.act(Place("me", 1, "label"), "label", Annotation((Span(2, 4, "SPEAKER"),)))
    with pytest.raises(DataError, match="no document with a span is done"):
        finish(project)
