"""Features named as templates name them are scored in bundles, where one determines others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain.train.problems import TOLERANCE, Problem, normal
from dovetail import FeatureGroup
from reference.objective import Example

slow = settings(deadline=None, max_examples=60)


def words_and_parts(
    n: int, break_at: Callable[[int], bool] = lambda _: False, seed: int = 3
) -> list[Example]:
    """Words that determine a suffix, a shape and, through the suffix, a class of it."""
    random = np.random.default_rng(seed)
    out = []
    for number in range(n):
        tokens, gold = [], []
        for word in random.integers(0, 12, random.integers(1, 8)):
            token = [f"w={word}", f"suffix={word % 5}", f"class={word % 5 % 2}", "bias"]
            if word % 3:
                token.append(f"shape={word % 2}")
            if break_at(number):
                token[1] = "suffix=0"
            tokens.append(token)
            gold.append("XYZ"[(word + random.integers(0, 2)) % 3])
        out.append(Example(tokens, gold))
    return out


def opaque(made: Sequence[Example]) -> list[Example]:
    names: dict[str, str] = {}

    def rename(f: str) -> str:
        return names.setdefault(f, f"{f.split('=')[0]} {len(names)}")

    return [Example([[rename(f) for f in t] for t in e.tokens], e.known) for e in made]


def same_as_opaque(made: Sequence[Example], *, groups: Sequence[Any] = (), **choices: Any) -> None:
    named = Problem(made, groups=[FeatureGroup(f"{p}=*", *r) for p, *r in groups], **choices)
    plain = Problem(
        opaque(made), groups=[FeatureGroup(f"{p} *", *r) for p, *r in groups], **choices
    )
    assert [(n.previous, n.label) for n in named.names] == [
        (n.previous, n.label) for n in plain.names
    ]
    w = normal()(len(named.names))
    for precision in ("double", "single"):
        one, other = named.objective(precision), plain.objective(precision)
        size = TOLERANCE[precision] * sum(len(e.tokens) for e in made)
        (value, slope), (again, slope_again) = one(w), other(w)
        assert value == pytest.approx(again, abs=10 * size)
        np.testing.assert_allclose(slope, slope_again, atol=30 * size)
        np.testing.assert_allclose(
            1 / one.inverse_curvature(w), 1 / other.inverse_curvature(w), atol=30 * size
        )


@pytest.mark.parametrize(
    "choices",
    [
        {},
        {"min_count": 30},
        {"all_pairs": True, "all_transitions": True},
        {"boundaries": False},
        {"groups": [("suffix", 3.0), ("w", 0.5)]},
        {"groups": [("suffix", 2.0, "both"), ("w", 1.0, "transitions")]},
        {"groups": [("shape", 1.0, "transitions")], "min_count": 60},
    ],
)
def test_bundles(choices: dict[str, Any]) -> None:
    same_as_opaque(words_and_parts(100), **choices)


@pytest.mark.parametrize(
    "break_at",
    [lambda n: n == 0, lambda n: n == 1499, lambda n: n == 777, lambda n: n % 2 == 0],
)
def test_bundles_that_break(break_at: Callable[[int], bool]) -> None:
    """A word with another suffix, anywhere in data of which a first look takes only a sample."""
    same_as_opaque(words_and_parts(1500, break_at))


def test_bundles_with_two_features_of_a_family() -> None:
    made = words_and_parts(100)
    made[57] = Example([["w=1", "w=2", "suffix=1"], ["w=3", "suffix=3", "suffix=3"]], ["X", "Y"])
    same_as_opaque(made)


def test_bundles_of_more_families_than_are_looked_at() -> None:
    random = np.random.default_rng(0)
    made = [
        Example([[f"w={k}", *(f"f{n}={(k + n) % 4}" for n in range(300))] for k in ks], ["X", "Y"])
        for ks in random.integers(0, 8, (30, 2))
    ]
    same_as_opaque(made)


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), min_size=3, max_size=30),
    st.data(),
)
@settings(deadline=None, max_examples=60)
def test_random_bundles(words: list[list[int]], data: st.DataObject) -> None:
    part = st.none() | st.integers(0, 2)
    tables = data.draw(st.lists(st.tuples(part, part, part, part), min_size=1, max_size=3))
    noise = data.draw(st.lists(st.tuples(st.integers(0, 29), st.sampled_from("abc")), max_size=2))

    def token(number: int, word: int) -> list[str]:
        own = [f"{f}={table[word]}" for f, table in zip("abc", tables, strict=False)
               if table[word] is not None]  # fmt: skip
        return [f"w={word}", *own, *(f"{f}=9" for at, f in noise if at == number)]

    made = [
        Example([token(n, w) for w in ws], ["XY"[(w + n) % 2] for w in ws])
        for n, ws in enumerate(words)
    ]
    same_as_opaque(made)
