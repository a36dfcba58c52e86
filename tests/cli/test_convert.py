"""``dovetail convert``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
CONLL = "EU B-ORG\nrejects O\n\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "in.conll"
    path.write_text(CONLL)
    return path


def test_file_to_file(run: Run, source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    result = run("convert", source, out)
    assert out.read_text() == '{"tokens": ["EU", "rejects"], "labels": ["B-ORG", "O"]}\n'
    assert result.stdout == f"{out}  jsonl, 1 sequences, 2 tokens\n"
    assert result.stderr == ""


def test_what_is_lost_is_one_line(run: Run, source: Path) -> None:
    source.write_text("EU NNP B-ORG\nrejects VB O\n\n")
    result = run("convert", source, "-", "--to", "doccano", "--columns", "word,pos,label")
    assert result.stdout == '{"text": "EU rejects", "label": [[0, 2, "ORG"]]}\n'
    assert result.stderr == (
        "dovetail: the column is gone: pos; the text of 1 sequence is words and single blanks\n"
    )


def test_pipes(run: Run) -> None:
    result = run(
        "convert", "-", "-", "--from", "conll", "--to", "conll", "--scheme", "IOBES", text=CONLL
    )
    assert result.stdout == "EU S-ORG\nrejects O\n\n"


def test_options_of_formats(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("isn't it\nso?\n")
    options = ["--from", "brat", "--unit", "document", "--tokens", "blanks", "--to", "conll"]
    written = run("convert", tmp_path / "a.txt", "-", *options).stdout
    assert written == "-DOCSTART-\n\nisn't\nit\nso?\n\n"
    (tmp_path / "a.conll").write_text("Ada Given\n")
    options = ["--to", "parserator", "--tags", "Names/Name"]
    written = run("convert", tmp_path / "a.conll", "-", *options).stdout
    assert written == "<Names>\n  <Name><Given>Ada</Given></Name>\n</Names>\n"


WRONG = [
    (["-", "x.conll"], "give --from"),
    (["x.conll", "-"], "give --to"),
    (["x.conll", "x.jsonl", "--unit", "line"], "--unit is for text and brat, not for conll"),
    (["x.conll", "x.jsonl", "--tags", "A/B"], "--tags is for parserator, not for jsonl"),
    (["x.conll", "x.xml", "--tags", "A"], "--tags takes two tags"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_use(run: Run, arguments: list[str], message: str) -> None:
    assert message in run("convert", *arguments, code=2).stderr


def test_bad_input_is_one_sentence(run: Run, source: Path, tmp_path: Path) -> None:
    source.write_text("EU B-ORG\nrejects\n")
    result = run("convert", source, tmp_path / "out.jsonl", code=1)
    assert result.stderr.startswith(f"dovetail: {source}:2: 1 fields where 2")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "out.jsonl").exists()


def test_other_commands_read_these_formats_too(run: Run, tmp_path: Path) -> None:
    strings = "<Name><Given>Ada</Given> <Last>Lopez</Last></Name>" * 3
    (tmp_path / "names.xml").write_text(f"<Names>{strings}</Names>")
    run("train", tmp_path / "names.xml", "--model", tmp_path / "m")
    result = run("tag", tmp_path / "m", tmp_path / "names.xml", "--output-format", "conll")
    assert result.stdout.startswith("Ada\tGiven\tGiven\nLopez\tLast\tLast\n")


def test_predictions_for_label_studio(run: Run, tmp_path: Path) -> None:
    source, target, interface = (tmp_path / name for name in ("a.jsonl", "a.json", "a.xml"))
    span = {"start": 3, "end": 7, "label": "LOC", "text": "Rome", "probability": 0.5}
    source.write_text(json.dumps({"text": "In Rome", "spans": [span]}))
    options = ["--results", "predictions", "--interface", interface]
    result = run("convert", source, target, *options)
    assert "the probabilities of spans are left out" in result.stderr
    [task] = json.loads(target.read_text())
    assert task["predictions"][0]["result"][0]["value"]["labels"] == ["LOC"]
    assert "annotations" not in task
    assert '<Label value="LOC"/>' in interface.read_text()
