"""Recipes that Python itself cannot read, or that name impossible files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.errors import DataError
from dovetail.recipe import Recipe

TASK = '[[task]]\nname = "ner"\n'


@pytest.mark.parametrize(
    "text",
    [
        "a = " + 5000 * "[" + 5000 * "]",
        TASK + 'data = "x.conll"\nseed = ' + 5000 * "9",
        TASK + f'data = "{5000 * "d"}.conll"',
        TASK + 'data = "a\\u0000b.conll"',
        TASK + f'data = "x.conll"\ntemplate = "{5000 * "t"}"',
        TASK + 'data = "x.conll"\nseed = 18446744073709551616',
        f'unlabelled = "{5000 * "u"}"\n' + TASK + 'data = "x.conll"',
        300_000 * "a." + "b = 1",  # for which Python would need an hour
    ],
    ids=["nested", "digits", "long path", "zero", "long template", "seed", "unlabelled", "dots"],
)
def test_odd_recipes_are_refused_in_a_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.conll").write_text("Ada B-PER\nspoke O\n")
    (tmp_path / "recipe.toml").write_text(text)
    with pytest.raises(DataError):
        Recipe.read(tmp_path / "recipe.toml").fit()
