"""What a recipe says, checked: tasks, representations, a comparison, and how they go together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dovetail.chain.constraints import Scheme
from dovetail.corpus.shards import INDEX, holds_shards
from dovetail.pipeline.choices import Decode, System, Training
from dovetail.recipe.schema.recipe import COMPARE, RECIPE
from dovetail.recipe.schema.tasks import ANY_TASK


@dataclass(frozen=True)
class Task:
    """One layer: what it learns from, or the trained tagger that it is.

    ``scheme`` is a span scheme that its labels are written in before it learns them.
    ``reads`` names tasks before it whose labels it reads; None stands for all of them, or for
    those that a template file names. ``settings`` are those of its Tagger, or what its kind has.
    """

    name: str
    data: tuple[Path, ...] = ()
    model: Path | None = None
    format: str | None = None
    columns: tuple[str | None, ...] | None = None
    label: str | None = None
    scheme: Scheme | None = None
    features: str | Path | None = None
    lexicons: Mapping[str, Path] = field(default_factory=dict)
    tables: Mapping[str, Path] = field(default_factory=dict)
    reads: tuple[str, ...] | None = None
    conjoin: bool = ANY_TASK["conjoin"].default
    compound: bool = ANY_TASK["compound"].default
    kind: str = ANY_TASK["kind"].default
    weight: float = ANY_TASK["weight"].default
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """All that it depends on."""
        named = [*self.data, *self.lexicons.values(), *self.tables.values()]
        model = [] if self.model is None else [self.model]
        template = [self.features] if isinstance(self.features, Path) else []
        of_its_kind = [path for value in self.settings.values() if isinstance(value, tuple)
                       for path in value if isinstance(path, Path)]  # fmt: skip
        every = [*named, *model, *template, *of_its_kind]
        return [path / INDEX if holds_shards(path) else path for path in every]


@dataclass(frozen=True)
class RepresentationSpec:
    """One representation: a kind and what it learns from, or where it comes from.

    ``settings`` are those of its class, or of biases.
    """

    kind: str | None = None
    model: Path | None = None
    vectors: Path | None = None
    ready: str | None = None
    text: tuple[Path, ...] = ()
    target: tuple[Path, ...] = ()
    labels: str | None = None
    format: str | None = None
    target_format: str | None = None
    columns: tuple[str | None, ...] | None = None
    task: str | None = None  # of document context: the task that it is for
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def files(self) -> list[Path]:
        """All that it depends on."""
        own = [value for value in self.settings.values() if isinstance(value, Path)]
        return [*self.text, *self.target, *filter(None, (self.model, self.vectors)), *own]


@dataclass(frozen=True)
class Comparison:
    """What `dovetail compare` does with the last task: which systems, on which splits of its data.

    Either ``splits`` random ones with a share ``train`` to train on, or ``folds``, or fixed
    ``test`` data. ``sizes`` are those of a learning curve, beside the whole. With ``draws``, each
    of them is that many random samples of the training data. ``measures`` are told beside F1,
    ``without`` are parts of the recipe that are left out in turn. ``group_copies`` keeps near
    copies of a text on one side of a split.
    """

    systems: tuple[System, ...] = COMPARE["systems"].default
    splits: int = COMPARE["splits"].default
    train: float = COMPARE["train"].default
    folds: int | None = None
    test: tuple[Path, ...] = ()
    sizes: tuple[int, ...] = COMPARE["sizes"].default
    draws: int = COMPARE["draws"].default
    measures: tuple[str, ...] = COMPARE["measures"].default
    without: tuple[str, ...] = COMPARE["without"].default
    group_copies: bool = COMPARE["group_copies"].default


@dataclass(frozen=True)
class Description:
    """A pipeline as a file describes it."""

    path: Path
    tasks: tuple[Task, ...]
    decode: Decode = RECIPE["decode"].default
    training: Training | None = None  # as `Pipeline.fit` has it
    folds: int = RECIPE["folds"].default
    seed: int = RECIPE["seed"].default
    same: Mapping[str, str] = field(default_factory=dict)
    inference: str = RECIPE["inference"].default
    epsilon: float = RECIPE["epsilon"].default
    lattice: int | None = None
    representations: tuple[RepresentationSpec, ...] = ()
    compare: Comparison | None = None

    @property
    def names(self) -> list[str]:
        """Names of the tasks, from the first to the last."""
        return [task.name for task in self.tasks]

    @property
    def files(self) -> list[Path]:
        """All files that it names, from tasks to representations, but for test data."""
        parts = [*(task.files for task in self.tasks), *(one.files for one in self.representations)]
        return [path for files in parts for path in files]
