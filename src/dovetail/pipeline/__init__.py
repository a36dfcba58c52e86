"""Several annotators in order, each reading columns that others write, decoded apart or as one."""

from typing import TYPE_CHECKING, Any

_HOME = {
    "AUTO_METHOD": "pipeline.train.auto.pools.METHOD",
    "Annotator": "base.annotator.Annotator",
    "Decode": "pipeline.choices.Decode",
    "Pipeline": "pipeline.pipeline.Pipeline",
    "Pool": "pipeline.layers.pool.Pool",
    "Potentials": "base.potentials.Potentials",
    "Scores": "pipeline.layers.scores.Scores",
    "Training": "pipeline.choices.Training",
    "choose_values": "pipeline.extraction.choose_values",
    "extract": "pipeline.extraction.extract",
    "look": "pipeline.extraction.look",
    "mentions_of": "pipeline.extraction.mentions_of",
    "names_agree": "pipeline.train.auto.label_map.names_agree",
    "stack_taggers": "pipeline.stacking.stack_taggers",
}

if TYPE_CHECKING:
    from dovetail.base.annotator import Annotator
    from dovetail.base.potentials import Potentials
    from dovetail.pipeline.choices import Decode, Training
    from dovetail.pipeline.extraction import choose_values, extract, look, mentions_of
    from dovetail.pipeline.layers.pool import Pool
    from dovetail.pipeline.layers.scores import Scores
    from dovetail.pipeline.pipeline import Pipeline
    from dovetail.pipeline.stacking import stack_taggers
    from dovetail.pipeline.train.auto.label_map import names_agree
    from dovetail.pipeline.train.auto.pools import METHOD as AUTO_METHOD

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
    "stack_taggers",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dovetail.pipeline' has no attribute '{name}'")
    from importlib import import_module

    module, _, attribute = _HOME[name].rpartition(".")
    return getattr(import_module(f"dovetail.{module}"), attribute)
