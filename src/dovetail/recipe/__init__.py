"""Recipes: a pipeline, its data and its settings in one small TOML file.

    decode = "joint"

    [[task]]
    name = "ner"
    data = "news.conll"

    [[task]]
    name = "fields"
    data = ["talks1.conll", "talks2.conll"]
    features = "fields"
    reads = ["ner"]

Paths are relative to the recipe. `dovetail.recipe.schema` has all keys: the parser checks against
it, and the command line and the reference take defaults, choices and explanations from it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dovetail.recipe.description import Comparison, Task
    from dovetail.recipe.recipe import Recipe

_HOME = {"Comparison": "description", "Recipe": "recipe", "Task": "description"}

__all__ = ["Comparison", "Recipe", "Task"]


def __getattr__(name: str) -> Any:
    """Names are loaded when they are used: commands that need the schema alone start without
    pipelines, which would take them half as long again."""
    if name not in _HOME:
        raise AttributeError(f"module 'dovetail.recipe' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"dovetail.recipe.{_HOME[name]}"), name)
