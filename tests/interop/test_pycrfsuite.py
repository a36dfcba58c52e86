"""python-crfsuite's interface, and packages that are built on it, with only the import changed."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dovetail.errors import DataError, ModelFileError, TrainingError
from dovetail.interop import pycrfsuite as ours
from interop.crfsuite_models import (
    labelled_strings,
    random_items,
    share_of_equal,
    train_theirs,
)

theirs = pytest.importorskip("pycrfsuite")
BOTH = pytest.mark.parametrize("module", [ours, theirs], ids=["ours", "theirs"])


def trained(module: Any, path: Path, *, holdout: int = -1, **parameters: Any) -> Any:
    X, y = random_items(1, 60)
    trainer = module.Trainer(verbose=False, params=parameters)
    for number, (xseq, yseq) in enumerate(zip(X, y, strict=True)):
        trainer.append(xseq, yseq, number % 3)
    trainer.train(str(path), holdout=holdout)
    return trainer


@BOTH
def test_a_model_trained_by_one_is_opened_by_both(module: Any, tmp_path: Path) -> None:
    trainer = trained(module, tmp_path / "model", c1=0.01, c2=0.1)
    assert trainer.logparser.last_iteration["loss"] > 0
    X, _ = random_items(2)
    one, other = ours.Tagger(), theirs.Tagger()
    one.open(str(tmp_path / "model"))
    other.open(str(tmp_path / "model"))
    assert one.labels() == other.labels()
    for xseq in X:
        labels = one.tag(xseq)
        assert labels == other.tag(xseq)
        assert one.probability(labels) == pytest.approx(other.probability(labels), abs=1e-6)
        for t, label in enumerate(labels):
            assert one.marginal(label, t) == pytest.approx(other.marginal(label, t), abs=1e-6)
    info, wanted = one.info(), other.info()
    assert info.labels == wanted.labels
    assert info.attributes == wanted.attributes
    assert info.transitions == pytest.approx(wanted.transitions, abs=1e-5)
    assert info.state_features == pytest.approx(wanted.state_features, abs=1e-5)


def test_both_train_the_same_model(tmp_path: Path) -> None:
    losses = []
    for module in (ours, theirs):
        trainer = trained(module, tmp_path / "model", c1=0.05, c2=0.2)
        losses.append(trainer.logparser.last_iteration["loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-3)


def test_a_held_out_group_is_left_out(tmp_path: Path) -> None:
    files = []
    for module in (ours, theirs):
        trained(module, tmp_path / module.__name__, holdout=2, c2=0.5)
        tagger = ours.Tagger()
        tagger.open(str(tmp_path / module.__name__))
        files.append(tagger.info())
    assert files[0].transitions == pytest.approx(files[1].transitions, abs=0.02)


def test_our_own_file_by_its_name(tmp_path: Path) -> None:
    trained(ours, tmp_path / "model.dovetail")
    tagger = ours.Tagger()
    with tagger.open(tmp_path / "model.dovetail") as opened:
        assert opened.tag([{"word": "a"}]) == ["A"]
    with pytest.raises(ValueError, match="not opened"):
        tagger.tag([["a"]])


@BOTH
def test_item_sequences(module: Any) -> None:
    X, _ = random_items(6, 5)
    made = module.ItemSequence(X[0])
    assert made.items() == theirs.ItemSequence(X[0]).items()
    assert len(made) == len(X[0])
    assert repr(made) == f"<ItemSequence of size {len(made)}>"


@BOTH
def test_every_form_of_features(module: Any, tmp_path: Path) -> None:
    train_theirs(tmp_path / "model", *random_items(1), c2=0.1)
    tagger = module.Tagger()
    tagger.open(str(tmp_path / "model"))
    plain = tagger.tag([["word:bé"], ["word:a"]])
    forms: list[Any] = [
        [{"word": "bé"}, {"word": "a"}],
        [{"word": ["bé"]}, {"word": {"a"}}],
        [{"word": {"bé": 1.0}}, {"word": {"a": True}}],
        [{"word": "bé".encode()}, [b"word:a"]],
        module.ItemSequence([["word:bé"], ["word:a"]]),
        iter([["word:bé"], ["word:a"]]),
    ]
    for form in forms:
        assert tagger.tag(form) == plain
    tagger.set([["word:bé"], ["word:a"]])
    assert tagger.tag() == plain
    assert tagger.tag([]) == []


@BOTH
def test_parameters(module: Any) -> None:
    trainer = module.Trainer(algorithm="l2sgd", params={"c2": 2, "feature.possible_states": True})
    assert trainer.get_params() == theirs.Trainer("l2sgd").get_params() | {
        "c2": 2.0,
        "feature.possible_states": True,
    }
    trainer.select("averaged-perceptron")
    assert trainer.params() == theirs.Trainer("ap").params()
    assert isinstance(trainer.help("max_iterations"), str)
    for wrong in (lambda: trainer.set("c9", 1), lambda: trainer.help("c9")):
        with pytest.raises(ValueError, match="Parameter not found: c9"):
            wrong()
    with pytest.raises(ValueError, match="bad"):
        trainer.select("bad")
    with pytest.raises(ValueError, match="numbers of items and labels differ"):
        trainer.append([["a"]], ["A", "B"])


@BOTH
def test_wrong_use(module: Any, tmp_path: Path) -> None:
    tagger = module.Tagger()
    with pytest.raises(ValueError, match="not opened"):
        tagger.labels()
    with pytest.raises(FileNotFoundError):
        tagger.open(str(tmp_path / "nothing"))
    (tmp_path / "garbage").write_bytes(b"garbage" * 20)
    with pytest.raises(ValueError, match="model"):
        tagger.open(str(tmp_path / "garbage"))
    trained(module, tmp_path / "model")
    tagger.open(str(tmp_path / "model"))
    tagger.set([["a"]])
    with pytest.raises(ValueError, match="out of range"):
        tagger.marginal("A", 5)


def test_what_crashes_there_is_an_error_here(tmp_path: Path) -> None:
    trained(ours, tmp_path / "model")
    content = (tmp_path / "model").read_bytes()
    with pytest.raises(ModelFileError, match="cut short"):
        ours.Tagger().open_inmemory(content[: len(content) // 3])
    with pytest.raises(TrainingError, match="there is no algorithm 'svm'"):
        ours.Trainer(algorithm="svm")
    tagger = ours.Tagger()
    tagger.open(tmp_path / "model")
    with pytest.raises(DataError, match="token 1 is of type int"):
        tagger.tag([7])
    with pytest.raises(DataError, match="value of type int in feature 'word:'"):
        tagger.tag([{"word": [7]}])
    with pytest.raises(DataError, match="7 is of type int; give a string"):
        ours.ItemSequence([[7]])
    with pytest.raises(TypeError, match="bytes-like object"):
        tagger.open_inmemory(7)  # type: ignore[arg-type]
    with pytest.raises(ours.CRFSuiteError, match=r"feature.minfreq is inf"):
        ours.Trainer(params={"feature.minfreq": float("inf")})


def test_dump(tmp_path: Path) -> None:
    trained(theirs, tmp_path / "model")
    dumps = []
    for module in (ours, theirs):
        tagger = module.Tagger()
        tagger.open(str(tmp_path / "model"))
        tagger.dump(str(tmp_path / "dump.txt"))
        text = (tmp_path / "dump.txt").read_text(encoding="utf-8")
        (tmp_path / "dump.txt").unlink()
        lines = text.partition("LABELS")[2].split("\n")
        dumps.append(sorted(re.sub(r"\d\d$", "", line) for line in lines))
    assert dumps[0] == dumps[1]


def test_verbose_training_speaks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trainer = ours.Trainer()
    trainer.append([["a"], ["b"]], ["A", "B"])
    trainer.train(str(tmp_path / "model"))
    assert "***** Iteration #1 *****" in capsys.readouterr().out


@contextmanager
def substituted(name: str, engine: ModuleType) -> Iterator[ModuleType]:
    """A package imported afresh, with another module under the name of pycrfsuite."""
    before = {
        key: value
        for key, value in sys.modules.items()
        if key == "pycrfsuite" or key.partition(".")[0] == name
    }
    for key in before:
        del sys.modules[key]
    sys.modules["pycrfsuite"] = engine
    try:
        yield importlib.import_module(name)
    finally:
        for key in [key for key in sys.modules if key.partition(".")[0] == name]:
            del sys.modules[key]
        del sys.modules["pycrfsuite"]
        sys.modules.update(before)


def answers(package: ModuleType, text: str) -> Any:
    """What a package makes of a text: tokens with labels, and fields or its own error."""
    try:
        fields = package.tag(text)
    except package.RepeatedLabelError as error:
        fields = str(error)
    return package.parse(text), fields


@pytest.mark.parametrize(
    ("name", "files"),
    [
        (
            "usaddress",
            ["usaddress/test_data/labeled.xml", "usaddress/test_data/us50_test_tagged.xml"],
        ),
        ("probablepeople", ["probablepeople/test_data_labeled.xml"]),
    ],
)
def test_packages_say_the_same(name: str, files: list[str], shared_data: Path) -> None:
    pytest.importorskip(name)
    texts = [text for file in files for text in labelled_strings(shared_data / file)]
    with substituted(name, theirs) as package:
        wanted = [answers(package, text) for text in texts]
    with substituted(name, ours) as package:
        assert [answers(package, text) for text in texts] == wanted


def test_parserator_trains_a_model_that_both_open(shared_data: Path, tmp_path: Path) -> None:
    pytest.importorskip("parserator")
    usaddress = pytest.importorskip("usaddress")
    data = [shared_data / "usaddress/training/us50_messiest_manual_label.xml"]
    answers_of = []
    for engine in (theirs, ours):
        with substituted("parserator", engine):
            training = importlib.import_module("parserator.training")
            sequences = list(training.readTrainingData(data, usaddress.GROUP_LABEL))
            training.trainModel(sequences, usaddress, str(tmp_path / engine.__name__))
        tagger = theirs.Tagger()
        tagger.open(str(tmp_path / engine.__name__))
        tokens = [[token for token, _ in components] for _, components in sequences]
        answers_of.append([tagger.tag(usaddress.tokens2features(one)) for one in tokens])
    assert share_of_equal(*answers_of) >= 0.99
