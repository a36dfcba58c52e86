"""dovetail train."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

import dovetail
from dovetail.features import sets

Run = Callable[..., Result]


def test_summary_and_progress(run: Run, train_file: Path, test_file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.dovetail"
    result = run("train", train_file, "-m", model, "--held-out", test_file)
    assert "640 sequences, 9,869 tokens" in result.stdout
    assert "13 labels" in result.stdout
    assert re.search(r"held-out +F1 \d\d\.\d\d, accuracy 9\d\.\d\d\n$", result.stdout)
    assert result.stderr.startswith("reading ")
    assert re.search(r"^dual: iteration 1 .*held-out \d+\.\d\d time", result.stderr, re.MULTILINE)
    assert dovetail.load(model).label_column_ == "label"


def test_json_summary(run: Run, train_file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.dovetail"
    facts = json.loads(run("train", train_file, "-m", model, "--c2", 1, "--json").stdout)
    assert facts["sequences"] == 640
    assert facts["bytes"] == model.stat().st_size
    assert facts["objective"] > 0
    assert facts["gap"] < 1e-3
    assert "certified" in facts["stopped"]


def test_dry_run_writes_nothing(run: Run, train_file: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.dovetail"
    shown = run("train", train_file, "-m", model, "--dry-run").stdout
    facts = json.loads(run("train", train_file, "--dry-run", "--json").stdout)
    assert facts["n_labels"] == 13
    assert f"weights    {facts['n_weights']:,}\n" in shown
    assert f"features   {facts['n_features']:,}\n" in shown
    assert re.search(r"memory +about \d+\.\d MB", shown)
    rarer = run("train", train_file, "--dry-run", "--min-count", 3).stdout
    left = re.search(r"^features   ([\d,]+) of ([\d,]+) that occur$", rarer, re.MULTILINE)
    assert left
    assert left[2] == f"{facts['n_features']:,}"
    assert 0 < int(left[1].replace(",", "")) < facts["n_features"]
    assert not any(tmp_path.iterdir())


def test_several_files_are_one_corpus(run: Run, test_file: Path, tmp_path: Path) -> None:
    result = run("train", test_file, test_file, "-m", tmp_path / "m", "--max-iterations", 2)
    assert "400 sequences" in result.stdout
    assert "limit of 2 iterations" in result.stdout


@pytest.mark.parametrize("method", ["lbfgs", "dual", "sgd", "perceptron"])
def test_methods(run: Run, test_file: Path, tmp_path: Path, method: str) -> None:
    run("train", test_file, "-m", tmp_path / "m", "--method", method, "--max-iterations", 3)
    assert (tmp_path / "m").is_file()


def test_settings_reach_the_tagger(run: Run, test_file: Path, tmp_path: Path) -> None:
    options = ["--c1", 0.5, "--c2", 0.25, "--min-count", 2, "--all-pairs", "--all-transitions"]
    options += ["--threads", 1, "--seed", 3, "--constraints", "IOB2", "--max-iterations", 4]
    run("train", test_file, "-m", tmp_path / "m", *options)
    settings = dovetail.load(tmp_path / "m").training_["settings"]
    expected = {"c1": 0.5, "c2": 0.25, "min_count": 2, "all_pairs": True, "all_transitions": True}
    expected |= {"seed": 3, "constraints": "IOB2", "max_iterations": 4}
    assert {name: settings[name] for name in expected} == expected


def test_what_is_chosen_is_told(run: Run, test_file: Path, tmp_path: Path) -> None:
    graded, flat = ("graded", 0.03), ("flat", 2.0)
    for options, chosen in ([], graded), (["--c2", "auto"], graded), (["--c2", 2], flat):
        run("train", test_file, "-m", tmp_path / "m", "--max-iterations", 4, *options)
        describe_aso_round = json.loads(run("info", tmp_path / "m", "--json").stdout)["training"]
        assert (describe_aso_round["prior"], describe_aso_round["prior_c2"]) == chosen
    refused = run("train", test_file, "-m", tmp_path / "m", "--c2", "best", code=2)
    assert "best" in refused.stderr


def test_checkpoint_and_warm_start(run: Run, test_file: Path, tmp_path: Path) -> None:
    kept, model = tmp_path / "kept", tmp_path / "m"
    options = ["-m", model, "--c2", 1]
    run("train", test_file, *options, "--checkpoint", kept, "--max-iterations", 3)
    assert len(dovetail.load(kept).labels_) == 13
    again = run("train", test_file, *options, "--warm-start", kept)
    assert "certified" in again.stdout


def test_feature_text_trains(run: Run, feature_text: Path, tmp_path: Path) -> None:
    result = run("train", feature_text, "-m", tmp_path / "m", "--held-out", feature_text)
    assert "10 sequences, 20 tokens" in result.stdout
    assert "accuracy 100.00" in result.stdout


def test_several_files_of_feature_text(run: Run, feature_text: Path, tmp_path: Path) -> None:
    weighted = tmp_path / "weighted.crfsuite"
    weighted.write_text("@weight:0.5\nV\tw=run\n")
    result = run("train", feature_text, weighted, "-m", tmp_path / "m")
    assert "11 sequences, 21 tokens" in result.stdout
    assert dovetail.load(tmp_path / "m").labels_ == ["D", "N", "V"]


def test_feature_text_beside_other_files(
    run: Run, feature_text: Path, test_file: Path, tmp_path: Path
) -> None:
    result = run("train", feature_text, test_file, "-m", tmp_path / "m", code=1)
    assert f"{test_file} is read as conll, but another file is feature text" in result.stderr


def test_json_lines_train(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "Rome is old", "spans": [[0, 4, "LOC"]]}\n' * 3)
    run("train", data, "-m", tmp_path / "m")
    assert dovetail.load(tmp_path / "m").labels_ == ["B-LOC", "O"]


def test_template_files_are_kept_in_the_model(run: Run, train_file: Path, tmp_path: Path) -> None:
    template, rooms = tmp_path / "talks.template", tmp_path / "rooms.txt"
    template.write_text('word.lower[-2..2]\nword.short_shape\nword.time\nword.lexicon("rooms")\n')
    rooms.write_text("Room 12\nMain Hall\n")
    options = ["--template", template, "--lexicon", f"rooms={rooms}", "--c2", 0.1]
    run("train", train_file, "-m", tmp_path / "m", *options)
    tagger = dovetail.load(tmp_path / "m")
    assert str(tagger.model_.template) == template.read_text().strip()
    assert tagger.model_.template.lexicons == {"rooms": dovetail.Lexicon(["Room 12", "Main Hall"])}
    assert tagger.predict([["Come", "at", "4:30", "!"]]) == [["O", "O", "B-STIME", "O"]]


def test_a_template_of_crfpp_trains_the_same_as_ours(
    run: Run, train_file: Path, test_file: Path, tmp_path: Path
) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    theirs.write_text("U00:%x[-1,0]\nU01:%x[0,0]\nU02:%x[-1,0]/%x[0,0]\nB\n")
    ours.write_text("word[-1..0]\nword[-1] & word\n")
    answers = []
    for template in (theirs, ours):
        facts = run("train", train_file, "-m", tmp_path / "m", "--template", template, "--json")
        answers.append(
            (json.loads(facts.stdout)["features"], run("tag", tmp_path / "m", test_file).stdout)
        )
    assert answers[0] == answers[1]


def test_ready_made_template(run: Run, train_file: Path, test_file: Path, tmp_path: Path) -> None:
    options = ["--template", "zhang_johnson", "--held-out", test_file, "--max-iterations", 5]
    result = run("train", train_file, "-m", tmp_path / "m", *options)
    assert re.search(r"held-out +F1 \d\d\.\d\d", result.stdout)
    assert dovetail.load(tmp_path / "m").model_.template == sets.zhang_johnson("word")


def test_dry_run_of_a_template(run: Run, train_file: Path, tmp_path: Path) -> None:
    (tmp_path / "shapes").write_text("word.short_shape\n")
    options = ["--dry-run", "--json", "--template"]
    few = json.loads(run("train", train_file, *options, tmp_path / "shapes").stdout)
    many = json.loads(run("train", train_file, *options, "entities").stdout)
    assert few["n_features"] < 100 < many["n_features"]


def test_model_is_required(run: Run, train_file: Path) -> None:
    assert "--model" in run("train", train_file, code=2).output


GOOD = "Ada I-PER\nLopez I-PER\nspoke O\n\nin O\nRome I-LOC\n\n"


def test_constraints_say_what_they_came_to(run: Run, tmp_path: Path) -> None:
    data, model = tmp_path / "iob1.conll", tmp_path / "iob1.dovetail"
    data.write_text("# a comment of several words\n" + GOOD + "he O\nsaw O\nBob B-PER\n\n" + GOOD)
    options = ["--model", model, "--constraints", "auto", "--c2", "0.1"]
    shown = run("train", data, *options).stdout
    assert "labels     constrained to IOB1; 1 of 5 sequences repaired" in shown
    assert f"the first at {data}:11 (B-PER after O)" in shown
    facts = json.loads(run("train", data, *options, "--json").stdout)
    assert facts["constraints"] == "IOB1"
    assert facts["repaired"]["sequence"] == 3
    info = run("info", model).stdout
    assert re.search(r"constraints +IOB1 \(asked for: auto\); 1 of 5 sequences repaired\n", info)
    assert json.loads(run("info", model, "--json").stdout)["repaired"]["label"] == "B-PER"
    message = run("train", data, *options, "--strict", code=1).stderr
    assert f"{data}:11: B-PER after O is not IOB1, which most sequences are (1 of 5" in message


def test_constraints_that_are_none_are_told(run: Run, tmp_path: Path, caplog: Any) -> None:
    data, model = tmp_path / "typo.conll", tmp_path / "typo.dovetail"
    data.write_text(GOOD * 3 + "at O\nhome o\n")
    shown = run("train", data, "--model", model, "--constraints", "auto", "--c2", "0.1").stdout
    assert "labels     not constrained: they are of no span scheme" in shown
    assert "constraints 'auto' are none" in caplog.text
    assert "the label 'o' (once) is not of a span scheme; did you mean 'O'?" in caplog.text
    assert "none (asked for: auto)" in run("info", model).stdout
    message = run("train", data, "--model", model, "--strict", code=1).stderr
    assert f"{data}:23: the label 'o' (once) is not of a span scheme" in message


def test_strict_names_the_sequence_where_lines_are_no_tokens(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "export.jsonl"
    lines = ['{"text": "in Rome", "label": [[3, 7, "LOC"]]}'] * 5
    data.write_text("\n".join([*lines, '{"text": "in Oslo", "label": [[3, 7, "LCO"]]}']))
    message = run("train", data, "-m", tmp_path / "m.dovetail", "--strict", code=1).stderr
    assert f"{data}, sequence 6, token 2: the label 'B-LCO' (once)" in message
    assert "did you mean 'B-LOC'?" in message
