"""Labelling in the browser, with a model that learns meanwhile: what ``dovetail label`` starts.

`dovetail.studio.app.make_app` is the page and its interface as an ASGI application. It needs
Starlette, uvicorn and httptools, which ``pip install dovetail[studio]`` brings.
"""

from typing import TYPE_CHECKING, Any

_HOME = {
    "Cost": "simulate",
    "Gold": "simulate",
    "Learner": "learning.learner",
    "METHODS": "simulate",
    "Method": "simulate",
    "Point": "simulate",
    "Simulation": "simulate",
    "cost_to_reach": "simulate",
    "full_score": "simulate",
}

if TYPE_CHECKING:
    from dovetail.studio.learning.learner import Learner
    from dovetail.studio.simulate import (
        METHODS,
        Cost,
        Gold,
        Method,
        Point,
        Simulation,
        cost_to_reach,
        full_score,
    )

__all__ = [
    "METHODS",
    "Cost",
    "Gold",
    "Learner",
    "Method",
    "Point",
    "Simulation",
    "cost_to_reach",
    "full_score",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dovetail.studio' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"dovetail.studio.{_HOME[name]}"), name)
