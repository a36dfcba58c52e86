"""Features whose own code changes what is being read."""

from __future__ import annotations

from typing import Any

import pytest

from dovetail import DataError, Tagger


class Emptying:
    """A number that empties the containers it stands in."""

    def __init__(self, *containers: Any, fails: bool) -> None:
        self.containers, self.fails = containers, fails

    def __float__(self) -> float:
        for container in self.containers:
            container.clear()
        if self.fails:
            raise ValueError
        return 1.0


@pytest.mark.parametrize("fails", [False, True])
def test_values_that_empty_their_dict_and_their_sequence(fails: bool) -> None:
    tagger = Tagger().fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
    for _ in range(50):
        token: dict[str, Any] = {}
        tokens = [token]
        token["x"] = Emptying(token, tokens, fails=fails)
        token.update({f"k{k}": 1.0 for k in range(50)})
        del token
        if fails:
            with pytest.raises(DataError, match="type Emptying for feature 'x'"):
                tagger.predict([tokens])
        else:
            tagger.predict([tokens])
