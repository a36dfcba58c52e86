"""Several annotators in order, each reading columns that others write, decoded apart or as one."""

from typing import TYPE_CHECKING, Any

_HOME = {
    "AUTO_METHOD": "auto.METHOD",
    "Annotator": "annotators.Annotator",
    "Decode": "choices.Decode",
    "Pipeline": "pipeline.Pipeline",
    "Pool": "pool.Pool",
    "Potentials": "potentials.Potentials",
    "Scores": "scores.Scores",
    "Training": "choices.Training",
    "choose_values": "extraction.choose_values",
    "extract": "extraction.extract",
    "look": "extraction.look",
    "mentions_of": "extraction.mentions_of",
    "names_agree": "label_map.names_agree",
    "stacked": "stacking.stacked",
    "without_transfer": "auto.without_transfer",
}

if TYPE_CHECKING:
    from dovetail.pipeline.annotators import Annotator
    from dovetail.pipeline.auto import METHOD as AUTO_METHOD
    from dovetail.pipeline.auto import without_transfer
    from dovetail.pipeline.choices import Decode, Training
    from dovetail.pipeline.extraction import choose_values, extract, look, mentions_of
    from dovetail.pipeline.label_map import names_agree
    from dovetail.pipeline.pipeline import Pipeline
    from dovetail.pipeline.pool import Pool
    from dovetail.pipeline.potentials import Potentials
    from dovetail.pipeline.scores import Scores
    from dovetail.pipeline.stacking import stacked

__all__ = [
    "AUTO_METHOD",
    "Annotator",
    "Decode",
    "Pipeline",
    "Pool",
    "Potentials",
    "Scores",
    "Training",
    "choose_values",
    "extract",
    "look",
    "mentions_of",
    "names_agree",
    "stacked",
    "without_transfer",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dovetail.pipeline' has no attribute '{name}'")
    from importlib import import_module

    module, _, attribute = _HOME[name].partition(".")
    return getattr(import_module(f"dovetail.pipeline.{module}"), attribute)
