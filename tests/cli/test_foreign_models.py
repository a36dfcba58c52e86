"""Models of other programs on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dovetail import Tagger
from dovetail.cli import main
from dovetail.interop import pycrfsuite


@pytest.fixture
def old(tmp_path: Path) -> Path:
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 0.01})
    trainer.append([["w=the"], ["w=dog"]], ["DET", "NOUN"])
    trainer.append([["w=the"]], ["DET"])
    trainer.train(str(tmp_path / "old.crfsuite"))
    (tmp_path / "data.crfsuite").write_text("DET\tw=the\nNOUN\tw=dog\n")
    return tmp_path / "old.crfsuite"


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    return done.exit_code, done.output


def test_a_model_is_imported_and_exported(old: Path, tmp_path: Path) -> None:
    code, said = run("import-model", old, tmp_path / "new.dovetail")
    assert (code, said.partition(": ")[2]) == (0, "a model of CRFsuite, 2 labels, 2 features\n")
    assert run("export-model", tmp_path / "new.dovetail", tmp_path / "again.crfsuite")[0] == 0
    assert run("export-model", old, tmp_path / "model.json")[0] == 0
    made = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))
    assert made["labels"] == ["DET", "NOUN"]
    tagger = pycrfsuite.Tagger()
    tagger.open(tmp_path / "again.crfsuite")
    assert tagger.tag([["w=the"], ["w=dog"]]) == ["DET", "NOUN"]


def test_it_is_used_as_it_is(old: Path, tmp_path: Path) -> None:
    code, said = run("eval", old, tmp_path / "data.crfsuite")
    assert code == 0
    assert "accuracy 100.00" in said
    assert run("tag", old, tmp_path / "data.crfsuite")[0] == 0
    code, said = run("info", old)
    assert code == 0
    assert "CRFsuite" in said


def test_our_own_model_is_not_imported(tmp_path: Path) -> None:
    Tagger().fit([[["a"]]], [["A"]]).save(tmp_path / "ours")
    code, said = run("import-model", tmp_path / "ours", tmp_path / "again.dovetail")
    assert (code, "is a model of ours already" in said) == (1, True)
    assert not (tmp_path / "again.dovetail").exists()


def test_bad_files(old: Path, tmp_path: Path) -> None:
    old.write_bytes(old.read_bytes()[:2000])
    for command in (["info", old], ["import-model", old, tmp_path / "new.dovetail"]):
        code, said = run(*command)
        assert code == 1
        assert said.startswith("dovetail: ")
        assert "is cut short" in said
    assert not (tmp_path / "new.dovetail").exists()
