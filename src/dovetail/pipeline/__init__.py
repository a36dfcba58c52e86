"""Several annotators in order, each reading columns that others write, decoded apart or as one."""

from typing import TYPE_CHECKING, Any

_HOME = {
    "Annotator": "annotators",
    "Pipeline": "pipeline",
    "Pool": "pool",
    "Potentials": "potentials",
    "Scores": "scores",
    "stacked": "stacking",
}

if TYPE_CHECKING:
    from dovetail.pipeline.annotators import Annotator
    from dovetail.pipeline.pipeline import Pipeline
    from dovetail.pipeline.pool import Pool
    from dovetail.pipeline.potentials import Potentials
    from dovetail.pipeline.scores import Scores
    from dovetail.pipeline.stacking import stacked

__all__ = ["Annotator", "Pipeline", "Pool", "Potentials", "Scores", "stacked"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dovetail.pipeline' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"dovetail.pipeline.{_HOME[name]}"), name)
