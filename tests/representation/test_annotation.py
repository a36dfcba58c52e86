"""What all representations share: the value of their columns."""

from __future__ import annotations

from typing import Any

import pytest

from dovetail import HMM, Corpus, DovetailError, WordClasses, WordTable, WordVectors
from representation.texts import news, novel

SMALL: dict[str, Any] = {"min_count": 1, "rounds": 3, "threads": 1}


def test_by_hand_columns_have_the_value_1() -> None:
    classes = WordClasses(3, min_count=1).fit([news(), novel()])
    at_1 = WordClasses(3, min_count=1, value=1.0).fit([news(), novel()])
    assert classes.annotate(news()).lists("class") == at_1.annotate(news()).lists("class")
    soft, hard = (HMM(3, soft=soft, **SMALL).fit(news()) for soft in (True, False))
    assert hard.annotate(news()).lists("state") is not None
    rows: Any = soft.columns(news())["state"]
    assert rows.weights.sum(axis=1) == pytest.approx(1.0, abs=0.05)
    vectors: Any = WordVectors(["a", "b"], [[1.0, 0.0], [0.0, 3.0]]).columns(
        Corpus.from_lists({"word": [["a", "b"]]})
    )["vector"]
    assert vectors.weights.std() == pytest.approx(1.0)


@pytest.mark.parametrize("value", ["much", float("nan"), float("inf")])
def test_values_that_there_are_not(value: Any) -> None:
    says = f"value is {value!r}.*; give "
    for make in (
        lambda: HMM(3, value=value),
        lambda: WordClasses(3, value=value),
        lambda: WordTable({"a": "b"}, value=value),
        lambda: WordVectors(["a"], [[1.0]], value=value),
    ):
        with pytest.raises(DovetailError, match=says):
            make()
