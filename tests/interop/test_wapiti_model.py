"""Models of Wapiti: real ones, trained by its library, and damaged ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dovetail.corpus import Corpus
from dovetail.errors import ModelFileError
from dovetail.interop import import_model
from interop.crfpp_models import Rows, conll_rows
from interop.wapiti_models import small_model

PATTERNS = r"""*
u:w0=%x[0,0]
u:w+2=%X[+2,0]
u:far=%x[-7,1]
u:both=%x[-1,0]/%x[0,1]/%x[2,1]
u:up=%t[0,0,"^\u"]
u:suf=%m[0,0,"..$"]
u:nsuf=%M[1,0,"^.?."]
b:%x[0,1]
*:%x[-1,1]
"""


def corpus(sequences: list[Rows]) -> Corpus:
    columns = [[[row[k] for row in rows] for rows in sequences] for k in (0, 1)]
    return Corpus.from_lists({"word": columns[0], "column2": columns[1]})


@pytest.mark.filterwarnings("ignore")
def test_labels_are_wapitis(shared_data: Path, tmp_path: Path) -> None:
    wapiti = pytest.importorskip("wapiti")
    path = shared_data / "conll2000/train.txt.gz"
    model = wapiti.Model(patterns=PATTERNS, algo=b"l-bfgs", maxiter=15, rho1=0.1, nthread=1)
    for rows in conll_rows(path, 0, 60):
        lines = [" ".join([*row, "N" if row[1].startswith("N") else "x"]) for row in rows]
        model.add_training_sequence("\n".join(lines))
    model.train()
    model.save(str(tmp_path / "model"))
    test = conll_rows(path, 60, 120)
    wanted = [model.label_sequence("\n".join(map(" ".join, rows))) for rows in test]
    labels = [text.decode().split() for text in wanted]
    assert import_model(tmp_path / "model").predict(corpus(test)) == labels


def test_weights_are_where_they_belong() -> None:
    tagger = import_model(small_model())
    assert tagger.labels_ == ["A", "B"]
    marginals = tagger.predict_marginals([["a", "bé"]])[0]
    from math import exp

    scores = {
        (x, y): (1.0 if x == "A" else 0.0)
        + (-1.5 if y == "A" else 0.5)
        + {("A", "A"): 4.0, ("A", "B"): 0.125}.get((x, y), 0.0)
        for x in "AB"
        for y in "AB"
    }
    total = sum(map(exp, scores.values()))
    first = sum(exp(s) for (x, _), s in scores.items() if x == "A") / total
    assert marginals[0]["A"] == pytest.approx(first, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _: small_model("1#"), "maximum-entropy Markov model"),
        (lambda c: c[:20], "where its pattern should be"),
        (lambda c: c[:-3], "where its weights should be"),
        (lambda c: c.replace(b"#rdr#", b"#new#"), "has b'#new#2/1/0"),
        (lambda c: c.replace(b"3:u:a", b"3:z:a"), "an observation of an unknown kind: b'z:a'"),
        (lambda c: c.replace(b"9=0x1p-3", b"99=0x1p-3"), "a feature that it does not have"),
        (lambda c: c.replace(b"9=0x1p-3", b"9=--1"), "has b'--1' where a weight should be"),
        (lambda c: c.replace("é".encode(), b"\xe9\xe9"), "is not in UTF-8: it has the feature"),
        (lambda c: c.replace(b"u:%x[0,0]", b"u:%q[0,0]"), "cannot be used: the template of"),
    ],
)
def test_bad_files(change: Any, message: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(change(small_model()))
    with pytest.raises(ModelFileError, match=message) as caught:
        import_model(tmp_path / "bad")
    assert "\n" not in str(caught.value)


@given(st.data())
@settings(deadline=None, max_examples=300)
def test_damaged_files_end_in_an_error_or_a_model(data: st.DataObject) -> None:
    content = bytearray(small_model())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    for _ in range(data.draw(st.integers(0, 6))):
        if content:
            at = data.draw(st.integers(0, len(content) - 1))
            content[at] = data.draw(
                st.sampled_from(b"0123456789:,#=\n%[]ub*") | st.integers(0, 255)
            )
    try:
        tagger = import_model(bytes(content))
    except ModelFileError:
        return
    assert tagger.labels_
