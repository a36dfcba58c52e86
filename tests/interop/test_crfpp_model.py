"""Models of CRF++, binary and text, beside CRF++'s own tagger."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail
from dovetail.corpus import Corpus
from dovetail.errors import DataError, ModelFileError
from dovetail.interop import import_model
from interop.crfpp_models import Model, Rows, conll_rows, random_model

ROWS: list[Rows] = [
    [("a/b", "X"), ("c", "Y/Z"), ("_B-1", "X"), ("/", "/")],
    [("a", "b/X"), ("日本", "X")],
    [("c", "X")],
]

SMALL = random_model(ROWS[2:], 6)


def corpus(sequences: list[Rows]) -> Corpus:
    columns = [[[row[k] for row in rows] for rows in sequences] for k in (0, 1)]
    return Corpus.from_lists({"word": columns[0], "column2": columns[1]})


def check_beside_crfpp(model: Model, sequences: list[Rows], folder: Path) -> None:
    crfpp = pytest.importorskip("pycrfpp")
    (folder / "model").write_bytes(model.binary())
    theirs = crfpp.Tagger(f"-m {folder / 'model'} -v 2")
    ours = import_model(folder / "model", threads=1)
    found, marginals = ours.predict(corpus(sequences)), ours.predict_marginals(corpus(sequences))
    for rows, labels, shares in zip(sequences, found, marginals, strict=True):
        theirs.clear()
        for row in rows:
            theirs.add(" ".join(row))
        theirs.parse()
        assert labels == [theirs.y2(t) for t in range(len(rows))]
        for t, share in enumerate(shares):
            wanted = {theirs.yname(k): theirs.prob(t, k) for k in range(theirs.ysize())}
            assert share == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("factor", [1.0, 0.5])
def test_labels_and_marginals_are_theirs(factor: float, tmp_path: Path) -> None:
    """Also where values hold what stands between them, or look like the end of a sequence."""
    check_beside_crfpp(random_model(ROWS, 1, factor), ROWS, tmp_path)


def test_on_real_text(shared_data: Path, tmp_path: Path) -> None:
    path = shared_data / "conll2000/train.txt.gz"
    model = random_model(conll_rows(path, 0, 40), 2)
    check_beside_crfpp(model, conll_rows(path, 20, 80), tmp_path)


def test_text_and_binary_are_the_same_model(tmp_path: Path) -> None:
    model = random_model(ROWS, 3, 2.0)
    (tmp_path / "model.txt").write_bytes(model.text())
    ours = [import_model(source) for source in (model.binary(), tmp_path / "model.txt")]
    shares = [tagger.predict_marginals(corpus(ROWS)) for tagger in ours]
    for one, other in zip(*([t for s in each for t in s] for each in shares), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize("factor", [0.01, 1.28])
def test_no_cost_factor_is_taken_for_a_model_of_ours(factor: float) -> None:
    content = random_model(ROWS, 3, factor).binary()
    assert content[8:9] == b"{"  # where the text of our own files begins
    assert import_model(content).labels_ == ["A", "B", "Ç"]


def test_columns_can_be_named_and_the_model_saved(tmp_path: Path) -> None:
    model = random_model(ROWS, 4)
    wanted = import_model(model.binary()).predict(corpus(ROWS))
    ours = import_model(model.binary(), columns=["form", "pos"])
    ours.save(tmp_path / "ours.dovetail")
    renamed = corpus(ROWS)
    data = Corpus.from_lists({"form": renamed.lists("word"), "pos": renamed.lists("column2")})
    assert dovetail.load(tmp_path / "ours.dovetail").predict(data) == wanted
    with pytest.raises(DataError, match="has its own template"):
        import_model(model.binary(), features=lambda rows: rows)
    with pytest.raises(ModelFileError, match=r"%x\[0,1\] means column 1, but there are 1 columns"):
        import_model(model.binary(), columns=["word"])


def cut_text(content: bytes) -> bytes:
    return content[: content.rindex(b"\n\n") + 20]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: struct.pack("<I", 203) + m.binary()[4:], "has version 203 of CRF"),
        (lambda m: m.binary()[:-4], "its weights would end at"),
        (lambda m: m.binary() + b"more", "something after its weights"),
        (lambda m: m.binary()[:40], "is cut short or damaged"),
        (lambda m: m.binary().replace("Ç".encode(), b"\xc7\xc7"), "is not in UTF-8: it has the l"),
        (lambda m: m.binary().replace(b"U00:%x[-1,0]", b"X00:%x[-1,0]"), "found 'X', expected"),
        (lambda m: m.text().replace(b"version: 100", b"version: 900"), "has version 900"),
        (lambda m: cut_text(m.text()), "weights"),
        (lambda m: m.text()[:50], "parts, and a text model"),
        (lambda m: m.text() + b"many\n", "has b'many' where a number should be"),
    ],
)
def test_bad_files(change: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(change(random_model(ROWS, 5)))
    with pytest.raises(ModelFileError, match=message) as caught:
        import_model(tmp_path / "bad")
    assert "\n" not in str(caught.value)


def test_features_that_share_their_weights_are_refused() -> None:
    """Such a file could ask for any amount of memory."""
    shared = Model(["A", "B"], ["U%x[0,0]", "B%x[0,0]"], {f"B{n}": 0 for n in range(9)}, [0.5] * 4)
    for content in (shared.binary(), shared.text()):
        with pytest.raises(ModelFileError, match="a feature whose weights it does not have"):
            import_model(content)


def test_long_lines_of_a_template() -> None:
    """A string that cannot be cut is seen to be so at once, however many ways there are to try."""
    line, text = "U" + "a".join(["%x[0,0]"] * 12) + "b", "U" + "a" * 60
    assert import_model(Model(["A", "B"], [line], {text: 0}, [0.5] * 2).text()).n_features_ == 0
    endless = Model(["A", "B"], ["U" + "%x[0,0]" * 3000], {text: 0}, [0.5] * 2)
    with pytest.raises(ModelFileError, match="more than 200 values"):
        import_model(endless.text())


@given(st.booleans(), st.data())
@settings(deadline=None, max_examples=300)
def test_damaged_files_end_in_an_error_or_a_model(binary: bool, data: st.DataObject) -> None:
    content = bytearray(SMALL.binary() if binary else SMALL.text())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    for _ in range(data.draw(st.integers(0, 6))):
        place = st.integers(0, 150) | st.integers(0, max(0, len(content) - 1))
        if content:
            content[min(data.draw(place), len(content) - 1)] = data.draw(st.integers(0, 255))
    try:
        tagger = import_model(bytes(content))
    except ModelFileError:
        return
    assert tagger.labels_
