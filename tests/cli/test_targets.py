"""What commands write never destroys what they read, nor a file that is not of our making."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import NEWS, RECIPE, TALKS, Run


@pytest.fixture
def news(tmp_path: Path) -> Path:
    path = tmp_path / "news.conll"
    path.write_text(NEWS)
    return path


def refuse(run: Run, *arguments: Any, kept: Path) -> str:
    before = kept.read_bytes()
    message = run(*arguments, code=1).output
    assert kept.read_bytes() == before
    assert "it is what is read" in message
    return str(message)


class TestOutputsThatAreInputs:
    def test_of_train(self, run: Run, news: Path, tmp_path: Path) -> None:
        held_out, model = tmp_path / "held.conll", tmp_path / "m"
        held_out.write_text(NEWS)
        refuse(run, "train", news, "-m", news, kept=news)
        refuse(run, "train", news, "-m", news, "--force", kept=news)
        refuse(run, "train", news, "-m", model, "--checkpoint", news, kept=news)
        refuse(run, "train", news, "-m", held_out, "--held-out", held_out, kept=held_out)
        assert not model.exists()

    def test_of_train_by_other_names(self, run: Run, news: Path, tmp_path: Path) -> None:
        hard, soft = tmp_path / "hard", tmp_path / "soft"
        os.link(news, hard)
        soft.symlink_to(news)
        refuse(run, "train", news, "-m", hard, kept=news)
        refuse(run, "train", news, "-m", soft, kept=news)

    def test_of_pairs_of_brat(self, run: Run, tmp_path: Path) -> None:
        text, spans = tmp_path / "a.txt", tmp_path / "a.ann"
        text.write_text("Ada spoke.\n")
        spans.write_text("T1\tPER 0 3\tAda\n")
        refuse(run, "train", spans, "-m", text, "--force", kept=text)
        refuse(run, "convert", spans, text, "--to", "brat", "--force", kept=text)
        refuse(run, "convert", text, spans, "--to", "jsonl", "--force", kept=spans)

    def test_of_templates_and_lexicons(self, run: Run, news: Path, tmp_path: Path) -> None:
        template, names = tmp_path / "t.template", tmp_path / "names.txt"
        template.write_text("word\nword in names\n")
        names.write_text("Ada\n")
        given = ["train", news, "--template", template, "--lexicon", f"names={names}", "-m"]
        refuse(run, *given, template, kept=template)
        refuse(run, *given, names, kept=names)

    def test_of_recipes(self, run: Run, news: Path, tmp_path: Path) -> None:
        recipe, talks = tmp_path / "r.toml", tmp_path / "talks.conll"
        recipe.write_text(RECIPE)
        talks.write_text(TALKS)
        refuse(run, "train", recipe, "-m", recipe, kept=recipe)
        refuse(run, "train", recipe, "-m", talks, kept=talks)
        refuse(run, "compare", recipe, "--html", news, kept=news)
        refuse(run, "compare", recipe, "--no-html", "--results", talks, kept=talks)

    def test_of_the_other_commands(self, run: Run, news: Path, tmp_path: Path, model: Path) -> None:
        own = tmp_path / "own.dovetail"
        shutil.copy(model, own)
        refuse(run, "represent", news, "-o", news, kept=news)
        refuse(run, "tag", own, news, "-o", own, kept=own)
        refuse(run, "tag", own, news, "-o", news, kept=news)
        refuse(run, "convert", news, news, "--to", "jsonl", kept=news)
        refuse(run, "export-model", own, own, kept=own)
        refuse(run, "import-model", own, own, kept=own)
        refuse(run, "tune", news, "--results", news, kept=news)
        refuse(run, "tune", news, "-o", news, kept=news)
        refuse(run, "eval", own, news, "--errors", "--html", news, kept=news)


class TestFilesOfOthers:
    def test_are_replaced_only_by_force(self, run: Run, news: Path, tmp_path: Path) -> None:
        letter = tmp_path / "letter.txt"
        letter.write_text("Dear Ada\n")
        for command in (
            ["train", news, "-m"],
            ["represent", news, "--states", "2", "--min-count", "1", "-o"],
        ):
            assert "--force" in run(*command, letter, code=1).output
            assert letter.read_text() == "Dear Ada\n"
        run("train", news, "-m", letter, "--force")
        assert "labels" in run("info", letter).output

    def test_of_our_making_are_replaced(self, run: Run, news: Path, tmp_path: Path) -> None:
        news_too = tmp_path / "more.conll"
        news_too.write_text(NEWS)
        model, page, plot = tmp_path / "m", tmp_path / "e.html", tmp_path / "p.svg"
        for _ in range(2):
            run("train", news, "-m", model)
            run("eval", model, news, "--errors", "--html", page)
            run("represent", news, "--states", "2", "--min-count", "1", "-o", model, "--plot", plot)
            run("tune", news, "-d", news_too, "--c2", "1", "-o", tmp_path / "best.toml",
                "--results", tmp_path / "kept.jsonl")  # fmt: skip

    @pytest.mark.parametrize("suffix", ["png", "pdf"])
    def test_plots_are_recognized(self, run: Run, news: Path, tmp_path: Path, suffix: str) -> None:
        for _ in range(2):
            given = ["--states", "2", "--min-count", "1", "--plot", tmp_path / f"p.{suffix}"]
            run("represent", news, *given, "-o", tmp_path / "m")

    def test_reports_of_comparisons_are_recognized(
        self, run: Run, news: Path, tmp_path: Path
    ) -> None:
        recipe = tmp_path / "r.toml"
        recipe.write_text(
            f'[[task]]\nname = "ner"\ndata = "{news.name}"\nc2 = 0.05\n'
            '[compare]\nsystems = ["none"]\nsplits = 1\n'
        )
        for _ in range(2):
            run("compare", recipe)

    def test_empty_files_and_devices(self, run: Run, news: Path, tmp_path: Path) -> None:
        (tmp_path / "m").touch()
        run("train", news, "-m", tmp_path / "m")
        run("tag", tmp_path / "m", news, "-o", os.devnull)

    def test_a_default_report_that_is_a_link(self, run: Run, news: Path, tmp_path: Path) -> None:
        other = tmp_path / "other.html"
        other.write_text('<meta name="generator" content="Dovetail">')
        (tmp_path / "r.html").symlink_to(other)
        recipe = tmp_path / "r.toml"
        recipe.write_text(f'[[task]]\nname = "ner"\ndata = "{news.name}"\n')
        assert "is a link to" in run("compare", recipe, code=1).output
        assert "Dovetail" in other.read_text()
