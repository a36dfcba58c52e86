"""CRFsuite's model files, read and written, beside python-crfsuite."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from dovetail.errors import DataError, ModelFileError
from dovetail.interop import export_model, import_model
from dovetail.interop.crfsuite_model import read_crfsuite
from dovetail.interop.crfsuite_writer import crfsuite_bytes
from dovetail.interop.export import to_crfsuite, to_json
from dovetail.interop.foreign import Weights, make_tagger
from interop.crfsuite_models import random_items, train_theirs

pycrfsuite = pytest.importorskip("pycrfsuite")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crfsuite") / "theirs.crfsuite"
    train_theirs(path, *random_items(1), c1=0.05, c2=0.1)
    return path


def test_more_labels_than_fit_into_memory_are_refused() -> None:
    labels = [f"l{k}" for k in range(8_193)]
    none = np.zeros(0, np.int64)
    weights = Weights(labels, [b"x"], none, none, none, np.zeros(0))
    with pytest.raises(ModelFileError, match="8,193 labels; models have from 1 to 8,192"):
        make_tagger(weights, program="CRFsuite", source="x.crfsuite", features=None)


def theirs(source: Path | bytes) -> Any:
    tagger = pycrfsuite.Tagger()
    if isinstance(source, bytes):
        tagger.open_inmemory(source)
    else:
        tagger.open(str(source))
    return tagger


def test_labels_and_marginals_are_theirs(model: Path) -> None:
    X, _ = random_items(2, 100)
    ours, original = import_model(model), theirs(model)
    assert ours.labels_ == original.labels()
    assert ours.predict(X) == [original.tag(xseq) for xseq in X]
    for xseq, rows in zip(X, ours.predict_marginals(X), strict=True):
        original.set(xseq)
        for t, row in enumerate(rows):
            wanted = {label: original.marginal(label, t) for label in ours.labels_}
            assert row == pytest.approx(wanted, abs=1e-6)


def test_a_model_of_one_label(tmp_path: Path) -> None:
    X, y = random_items(1)
    train_theirs(tmp_path / "one", X, [["A"] * len(labels) for labels in y])
    ours = import_model(tmp_path / "one")
    assert ours.labels_ == ["A"]
    assert ours.predict(X) == [["A"] * len(xseq) for xseq in X]


def test_written_again_it_is_the_same_file(model: Path) -> None:
    content = model.read_bytes()
    assert crfsuite_bytes(read_crfsuite(content, "it")) == content


def test_an_imported_model_is_saved_as_ours(model: Path, tmp_path: Path) -> None:
    X, _ = random_items(3, 10)
    ours = import_model(model)
    ours.save(tmp_path / "ours.dovetail")
    assert dovetail.load(tmp_path / "ours.dovetail").predict(X) == ours.predict(X)
    assert import_model(tmp_path / "ours.dovetail").predict(X) == ours.predict(X)


def test_our_models_open_there(tmp_path: Path) -> None:
    X, y = random_items(4)
    ours = dovetail.Tagger(c2=0.1, boundaries=False).fit(X, y)
    export_model(ours, tmp_path / "ours.crfsuite")
    original = theirs(tmp_path / "ours.crfsuite")
    assert [original.tag(xseq) for xseq in X] == ours.predict(X)
    original.set(X[0])
    rows = ours.predict_marginals(X[:1])[0]
    assert original.marginal("A", 0) == pytest.approx(rows[0]["A"], abs=1e-6)


def test_many_strings_are_found_there_by_hash() -> None:
    names = [f"{'long ' * (k % 9)}attribute {k}" for k in range(3000)]
    ours = dovetail.Tagger(c2=0.1, boundaries=False).fit(
        [[[name]] for name in names], [["X" if k % 3 else "Y"] for k in range(len(names))]
    )
    original = theirs(to_crfsuite(ours))
    assert [original.tag([[name]]) for name in names] == ours.predict([[[name]] for name in names])


def test_weights_as_json(model: Path, tmp_path: Path) -> None:
    ours = import_model(model)
    made = to_json(ours)
    assert made["labels"] == ours.labels_
    assert sum(map(len, made["weights"].values())) + len(made["transitions"]) == ours.n_weights_
    export_model(ours, tmp_path / "model.json", "json")
    assert '"transitions"' in (tmp_path / "model.json").read_text(encoding="utf-8")


def test_what_crfsuite_cannot_hold() -> None:
    X, y = [[["a"], ["b"]]], [["B-X", "I-X"]]
    with pytest.raises(DataError, match="knows no constraints"):
        to_crfsuite(dovetail.Tagger(constraints="IOB2").fit(X, y))
    moves = dovetail.Tagger(groups=[dovetail.FeatureGroup("b", on="transitions")]).fit(X, y)
    with pytest.raises(DataError, match="no features on transitions"):
        to_crfsuite(moves)
    for named in ([[["a\0"], ["b"]]], [["A", "B"]]), (X, [["A\0", "B"]]):
        with pytest.raises(DataError, match="no zero bytes"):
            to_crfsuite(dovetail.Tagger().fit(*named))
    with pytest.raises(DataError, match="there is no format 'xml'"):
        export_model(moves, "nowhere", "xml")


def patched(content: bytes, at: int, new: bytes) -> bytes:
    return content[:at] + new + content[at + len(new) :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: b"", "is no model that can be imported"),
        (lambda _: b"hello, world", "is no model that can be imported"),
        (lambda c: c[:30], "is cut short or damaged: its header"),
        (lambda c: c[: len(c) // 3], "is cut short: it has"),
        (lambda c: patched(c, 8, b"SEMI"), "of an unknown kind, b'SEMI'"),
        (lambda c: patched(c, 12, b"\x65"), "has version 101 of CRFsuite's format"),
        (lambda c: patched(c, 48, b"NEWS"), "has a section b'NEWS' where its features should be"),
        (lambda c: patched(c, 60, b"\x07"), "has features of an unknown kind, 7"),
        (lambda c: patched(c, 64, b"\xff" * 4), "a label or an attribute that it does not have"),
        (lambda c: patched(c, 72, struct.pack("<d", np.nan)), "has the weight nan"),
        (
            lambda c: c.replace("Ç".encode() + b"\0", b"\xc7\xc7\0"),
            "is not in UTF-8: it has the label",
        ),
        (
            lambda c: c.replace(b"\xc3\xa9\0", b"\xe9\xe9\0"),
            "is not in UTF-8: it has the attribute",
        ),
    ],
)
def test_bad_files(model: Path, tmp_path: Path, change: Any, message: str) -> None:
    bad = tmp_path / "bad.crfsuite"
    bad.write_bytes(change(model.read_bytes()))
    with pytest.raises(ModelFileError, match=message) as caught:
        import_model(bad)
    assert "bad.crfsuite" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match="cannot open the model"):
        import_model(tmp_path / "nothing.crfsuite")


@given(st.data())
@settings(deadline=None, max_examples=400)
def test_damaged_files_end_in_an_error_or_a_model(model: Path, data: st.DataObject) -> None:
    content = bytearray(model.read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    elif data.draw(st.booleans()):
        content = content[: data.draw(st.integers(4, 100))] + data.draw(st.binary(max_size=200))
    for _ in range(data.draw(st.integers(0, 6))):
        if content:
            place = st.integers(0, 200) | st.integers(0, len(content) - 1)
            content[min(data.draw(place), len(content) - 1)] = data.draw(st.integers(0, 255))
    try:
        tagger = import_model(bytes(content))
    except ModelFileError:
        return
    assert len(tagger.predict(random_items(5, 2)[0])) == 2
