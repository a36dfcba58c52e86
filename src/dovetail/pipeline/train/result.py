"""What training gives; `Pipeline.fit` puts it in place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dovetail.pipeline.layers.layer import Layer
from dovetail.pipeline.train.auto.pools import Candidates
from dovetail.pipeline.train.held_out import HeldOut


@dataclass(frozen=True)
class TrainingResult:
    """Trained layers in order, what there is to say of their training, and, of ``auto``, the
    training text with held-out scores and the models that were pooled. ``interrupted`` says whether
    Ctrl-C ended the training of the last task; ``facts`` are for the file, by layer."""

    layers: Sequence[Layer]
    notes: list[str]
    held_out: list[HeldOut] = field(default_factory=list)
    candidates: Candidates | None = None
    interrupted: bool = False
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
