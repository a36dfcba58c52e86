"""dovetail explain."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Run = Callable[..., Result]


def test_words_and_reasons(run: Run, model: Path, test_file: Path) -> None:
    shown = run("explain", model, test_file, "--sequence", 3, "--top", 2).stdout
    assert re.search(r"^1\. Venue  O \d\.\d+ rather than \S+ \d\.\d+$", shown, re.M)
    assert len(re.findall(r"^ +[-+]\d+\.\d+  \S", shown, re.M)) == 2 * shown.count(" rather than ")


def test_one_token_and_one_label(run: Run, model: Path, test_file: Path) -> None:
    where = ["explain", model, test_file, "--sequence", 3, "--token", 4]
    shown = run(*where, "--why-not", "SPEAKER").stdout
    assert re.match(r"4\. Room  \S+ \d\.\d+ rather than [BI]-SPEAKER ", shown)
    assert "no label 'PERSON'" in run(*where, "--why-not", "PERSON", code=1).output
    [token] = json.loads(run(*where, "--json").stdout)
    assert token["word"] == "Room"
    assert len(token["contributions"]) == 10


def test_numbers_beyond_the_data_are_refused(run: Run, model: Path, test_file: Path) -> None:
    assert (
        "there is no number 999"
        in run("explain", model, test_file, "--sequence", 999, code=1).output
    )
    assert "there is no number 99" in run("explain", model, test_file, "--token", 99, code=1).output
    assert "single tagger" in run("explain", model, test_file, "--layer", "ner", code=2).output


def test_pipelines(run: Run, pipeline: Path, recipe_folder: Path) -> None:
    data = recipe_folder / "talks.conll"
    shown = run("explain", pipeline, data, "--top", 3).stdout
    assert re.match(r"fields\n\n1\. by  O ", shown)
    assert "Joint decoding and the cascade\n\n" in shown
    lower = run("explain", pipeline, data, "--layer", "ner", "--why-not", "LOC").stdout
    assert re.search(r"^2\. Ada  B-PER .* rather than [BI]-LOC ", lower, re.M)
    facts = json.loads(run("explain", pipeline, data, "--json").stdout)
    assert facts["layer"] == "fields"
    assert [token["word"] for token in facts["tokens"]] == ["by", "Ada", "Lopez"]
    assert set(facts["joint"]) == {"changes", "reasons", "gain"}


def test_a_text_file_is_raw_text(run: Run, model: Path, tmp_path: Path) -> None:
    (tmp_path / "mail.txt").write_text("Come early.\nShe speaks at 4:30pm.\n")
    shown = run("explain", model, tmp_path / "mail.txt", "--sequence", 2, "--token", 4).stdout
    assert shown.startswith("4. 4:30  B-STIME ")


def test_feature_text(run: Run, feature_text: Path, tmp_path: Path) -> None:
    run("train", feature_text, "-m", tmp_path / "m")
    assert run("explain", tmp_path / "m", feature_text).stdout.startswith("1. D ")


def test_terminal_escapes_are_spelled_out(run: Run, model: Path, tmp_path: Path) -> None:
    data = tmp_path / "data.conll"
    data.write_text("\x1b[2Jat O\n3:30 B-STIME\n")
    shown = run("explain", model, data).stdout
    assert "\x1b" not in shown
    assert "1. \\x1b[2Jat  " in shown
