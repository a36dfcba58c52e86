"""The default features."""

from __future__ import annotations

import pytest

from dovetail import Corpus, Window
from dovetail.errors import DataError


def test_columns_and_shapes_never_share_a_name() -> None:
    words, values = [["Ab", "x"]], [["Xx", "d"]]
    names = ("word", "shape", "shape'")
    corpus = Corpus.from_lists({"word": words, "shape": values, "shape'": values})
    found = Window(names, size=0, affixes=0)(corpus[0])[0]
    assert found == [
        *("word[0]=ab", "word[0,1]=ab|x", "form=Ab", "shape''[0]=Xx"),
        *("shape[0]=Xx", "shape[0,1]=Xx|d", "shape'[0]=Xx", "shape'[0,1]=Xx|d", "bias"),
    ]
    only = Window(("shape",), size=0, affixes=0)(corpus[0])[0]
    assert only == ["shape[0]=xx", "shape[0,1]=xx|d", "form=Xx", "shape'[0]=Xx", "bias"]
    plain = Window(("word",), size=0, affixes=0)(corpus[0])[1]
    assert plain == ["word[0]=x", "word[-1,0]=ab|x", "form=x", "shape[0]=x", "bias"]


def test_windows_that_cannot_be() -> None:
    with pytest.raises(DataError, match="no column to make features of"):
        Window(())
    with pytest.raises(DataError, match="numbers from 0 to 100"):
        Window(("word",), size=-1)
