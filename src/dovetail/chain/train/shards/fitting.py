"""From a tagger's parameters and a corpus on disk to a trained model.

The features of all parts are indexed, agreed upon, and laid out in files beside the corpus; then
training goes over these. What a training that was cut short has made is used by the next one.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dovetail import __version__
from dovetail.base.cluster import open_executor
from dovetail.base.executor import Executor
from dovetail.chain.train.fitting import Fitted, Fitting
from dovetail.chain.train.shards.agreement import Whole, agree, as_dataset
from dovetail.chain.train.shards.index import Part, index_folder, index_parts, resolve_columns
from dovetail.chain.train.shards.objective import ShardObjective
from dovetail.chain.train.shards.prepared import (
    PARTS,
    TABLE,
    Reach,
    first_parameters,
    prepare_part,
    table_path,
)
from dovetail.chain.train.shards.prepared import Order as PrepareOrder
from dovetail.chain.train.steps import Plan
from dovetail.corpus.shards import Shards
from dovetail.errors import TrainingError
from dovetail.features import Template
from dovetail.io.array_file import write_arrays
from dovetail.io.fingerprint import fingerprint

if TYPE_CHECKING:
    from dovetail.chain.tagger import Tagger

logger = logging.getLogger(__name__)

METHODS = ("auto", "dual", "lbfgs", "sgd")


@contextmanager
def open_training(
    tagger: Tagger, shards: Shards, label: str | None, cluster: Any
) -> Iterator[ShardFitting]:
    """A training on a corpus on disk, here or by the workers of a cluster."""
    with open_executor(cluster, tagger.threads) as executor, ExitStack() as closing:
        yield ShardFitting(tagger, shards, label, executor, closing)


class ShardFitting(Fitting):
    """A training about to happen on a corpus on disk."""

    def __init__(
        self,
        tagger: Tagger,
        shards: Shards,
        label: str | None,
        executor: Executor,
        closing: ExitStack,
    ) -> None:
        if tagger.method not in METHODS:
            raise TrainingError(
                f"the method '{tagger.method}' needs text that memory holds: use "
                f"{', '.join(METHODS[:-1])} or {METHODS[-1]}"
            )
        self.shards = shards
        self.executor = executor
        self._objective: ShardObjective | None = None
        self.numbers = range(len(shards))
        self.label, self.features = resolve_columns(shards, label, tagger.features)
        self._index = index_folder(shards, self.features, self.label, closing)
        parts = index_parts(shards, self.features, self.label, self._index, executor)
        self.description = self._describe(parts)
        whole = agree(self._index, parts, tagger.min_count)
        template = self.features if isinstance(self.features, Template) else None
        super().__init__(tagger, as_dataset(whole, template))
        self.folder = self._write_table(whole)
        del whole  # what is needed of it the data set has; parts find the rest on disk
        order = PrepareOrder(self._index, self.folder)
        logger.info("laying out the weights of %d parts", len(self.numbers))
        self.reaches = list(executor.each("layout", prepare_part, self.numbers, order))
        closing.callback(PARTS.close, self.folder)

    def _describe(self, parts: Sequence[Part]) -> dict[str, Any]:
        features = self.features
        spec = features.spec() if isinstance(features, Template) else {"kind": "function"}
        return {"features": spec, **parts[0].facts["description"]}

    def _write_table(self, whole: Whole) -> str:
        """What the layout of parts needs to know of all of them, in the folder that these will be
        in."""
        tagger = self.tagger
        flags = {
            "min_count": int(tagger.min_count),
            "all_pairs": bool(tagger.all_pairs),
            "all_transitions": bool(tagger.all_transitions),
        }
        feature = self.problem.parameters()[0]
        limits = {
            "legal": self.limits["legal"],
            "may_start": self.limits["start"],
            "may_end": self.limits["end"],
        }
        arrays = {
            **{k: a for k, a in whole.arrays.items() if k not in ("names", "name_offsets")},
            **limits,
            "role": self.roles,
            "scale": self.priors,
            "margin": self.margins,
            "first": first_parameters(feature, self.data.n_features),
        }
        settings = [arrays[name].tobytes() for name in (*limits, "role", "scale", "margin")]
        digest = fingerprint(
            __version__, json.dumps([flags, self.data.labels, Reach._fields]), *settings
        )[:16]
        folder = Path(self._index) / f"ready-{digest}"
        folder.mkdir(exist_ok=True)
        facts = {**flags, "part_labels": self.data.labels, "whole": whole.facts}
        write_arrays(table_path(str(folder)), TABLE, arrays, facts)
        return str(folder)

    def dual_obstacle(self) -> str | None:
        if self.tagger.c1:
            return "an L1 penalty needs text that memory holds"
        return super().dual_obstacle()

    @property
    def dual_memory(self) -> float:
        """Of the largest part, whose distributions are all that memory holds at a time."""
        n_labels = len(self.data.labels)
        padded = -(-n_labels // 8) * 8
        sizes = zip(self.shards.tokens, self.shards.sequences, strict=True)
        return 8.0 * max(tokens * padded + n * n_labels**2 for tokens, n in sizes)

    def _identify(self, plan: Plan, given: list[Any], threads: int) -> str:
        return super()._identify(plan, [*given, self.shards.id], threads)

    def train(self, **given: Any) -> Fitted:
        """Train; what the dual has on disk is removed, unless a training may go on with it."""
        try:
            return super().train(**given)
        finally:
            ascent = self._objective.ascent if self._objective else None
            if ascent and given["checkpoint"] is None and given["resume"] is None:
                ascent.remove()

    def objective(self) -> ShardObjective:
        self._objective = ShardObjective(
            self.problem,
            self.c2,
            self.folder,
            self.reaches,
            self.executor,
            precision=self.tagger.precision,
        )
        return self._objective
