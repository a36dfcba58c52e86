"""Arguments of a wrong type or beyond the range of the kernels: one sentence, no TypeError."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail
from dovetail import HMM, LinearTagger, Tagger, WordClasses, _native
from dovetail.corpus import Corpus
from dovetail.errors import DovetailError

X = [[["a"], ["b"], ["c"]], [["b"], ["a"]]]
Y = [["X", "Y", "Z"], ["Y", "X"]]
MODEL = Tagger(c2=0.1, threads=1).fit(X, Y).to_bytes()
TEXT = Corpus.from_lists({"word": 5 * [["a", "b", "c"], ["b", "a"]], "label": 5 * Y})
CALLS: dict[str, Callable[[], Any]] = {
    "Tagger(threads='2')": lambda: Tagger(threads="2").fit(X, Y),  # type: ignore[arg-type]
    "Tagger(threads=-1)": lambda: Tagger(threads=-1).fit(X, Y),
    "Tagger(threads=0)": lambda: Tagger(threads=0).fit(X, Y),
    "Tagger(seed=2**64)": lambda: Tagger(seed=2**64, method="sgd").fit(X, Y),
    "Tagger(min_count=1.5)": lambda: Tagger(min_count=1.5).fit(X, Y),  # type: ignore[arg-type]
    "Tagger(min_count=2**64)": lambda: Tagger(min_count=2**64).fit(X, Y),
    "patience": lambda: Tagger().fit(X, Y, held_out=(X, Y), patience="x"),  # type: ignore[arg-type]
    "load(threads='2')": lambda: dovetail.load(MODEL, threads="2"),  # type: ignore[arg-type]
    "load(threads=-1)": lambda: dovetail.load(MODEL, threads=-1),
    "load(threads=1.5)": lambda: dovetail.load(MODEL, threads=1.5),  # type: ignore[arg-type]
    "load(0)": lambda: dovetail.load(0),  # type: ignore[arg-type]
    "load(True)": lambda: dovetail.load(True),
    "load(None)": lambda: dovetail.load(None),  # type: ignore[arg-type]
    "predict(None)": lambda: dovetail.load(MODEL).predict(None),
    "predict_marginals(None)": lambda: dovetail.load(MODEL).predict_marginals(None),
    "weights=[None]": lambda: Tagger().fit(X, Y, weights=[None, 1.0]),
    "weights=[None], of a corpus": lambda: Tagger().fit(TEXT, weights=[None, *9 * [1.0]]),
    "HMM(2.5)": lambda: HMM(2.5).fit(TEXT),  # type: ignore[arg-type]
    "HMM(seed=2**64)": lambda: HMM(2, seed=2**64).fit(TEXT),
    "HMM(seed=-1)": lambda: HMM(2, seed=-1).fit(TEXT),
    "HMM(threads=-1)": lambda: HMM(2, threads=-1).fit(TEXT),
    "WordClasses(2.5)": lambda: WordClasses(2.5).fit(TEXT),  # type: ignore[arg-type]
    "WordClasses(seed=2**70)": lambda: WordClasses(2, seed=2**70).fit(TEXT),
    "LinearTagger(threads=-1)": lambda: LinearTagger(threads=-1).fit(TEXT),
}


@pytest.mark.parametrize("call", CALLS)
def test_odd_arguments_are_refused_in_a_sentence(call: str) -> None:
    with pytest.raises(DovetailError):
        CALLS[call]()


def test_native_constraints_pickle() -> None:
    model = dovetail.load(MODEL).model_
    legal = np.array([1, 0, 1, 1], np.uint8)
    ends = np.array([1, 0], np.uint8)
    again = pickle.loads(pickle.dumps(_native.Constraints(2, legal, ends, ends)))
    assert again.__getstate__() == ([1, 0, 1, 1], [1, 0], [1, 0])
    assert pickle.loads(pickle.dumps(model.constraints)).__getstate__() == ([], [], [])
