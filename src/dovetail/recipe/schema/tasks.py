"""Keys of a ``[[task]]``: those of any task, and those of its kind."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from dovetail.base.parameters import REQUIRED
from dovetail.chain.constraints import Scheme
from dovetail.corpus import FORMATS
from dovetail.multitask import ASO, LinearTagger
from dovetail.multitask.aso import VARIANTS
from dovetail.multitask.matrix import Loss
from dovetail.recipe.schema.keys import Key, Table, parameters_for
from dovetail.recipe.schema.tagger import TAGGER
from dovetail.recipe.schema.values import (
    COLUMNS,
    COUNT,
    FILE,
    FILES,
    NAMED_FILES,
    NOT_NEGATIVE,
    POSITIVE,
    AutoOr,
    Choice,
    ColumnName,
    Flag,
    Integer,
    ListOf,
    Text,
)

TRAINED_TASK = {
    "name": Key(ColumnName(), "The column that it writes.", REQUIRED),
    "model": Key(FILE, "A trained tagger that is used as it is, in place of data."),
    "weight": Key(NOT_NEGATIVE, "A factor on its scores in joint decoding.", 1.0),
}
"""Keys of a task whose tagger has been trained before."""

ANY_TASK = {
    **TRAINED_TASK,
    "kind": Key(
        Choice(("crf", "linear", "aso")),
        "Its tagger: a CRF, or a classifier of each token alone, plain or with shared structure.",
        "crf",
    ),
    "data": Key(FILES, "What it learns from: a file, or a list of files."),
    "format": Key(Choice(tuple(FORMATS)), "Format of the data; by default the file's name tells."),
    "columns": Key(COLUMNS, "Names of the columns of a CoNLL file; an empty one or _ skips one."),
    "label": Key(
        ColumnName(), "The column that it learns; by default that of its name, or else the last."
    ),
    "scheme": Key(
        Choice(get_args(Scheme)), "Write its labels in this span scheme before it learns them."
    ),
    "features": Key(Text(), "A ready-made set or a template file; by default what suits the data."),
    "lexicons": Key(NAMED_FILES, "Lexicons that the features use."),
    "tables": Key(NAMED_FILES, "Tables that the features use."),
    "reads": Key(
        ListOf("a list of tasks", Text(), may_be_empty=True),
        "Tasks before it whose labels are features; by default all, or those that a template file "
        "names.",
    ),
    "conjoin": Key(Flag(), "Every feature also in conjunction with these labels.", False),
    "compound": Key(Flag(), "These labels in compound features only.", False),
}

_LINEAR = {
    "loss": Key(Choice(get_args(Loss)), "The loss of its classifiers."),
    "penalty": Key(POSITIVE, "Strength of their L2 penalty."),
    "min_count": Key(COUNT, "Drop features seen less often."),
    "tolerance": Key(POSITIVE, "Stop when within this of the optimum, relative to it."),
    "calibrate": Key(Flag(), "Whether scores become probabilities, which all but cascade needs."),
}

STRUCTURE = {
    "h": Key(COUNT, "How many directions the predictors share."),
    "rounds": Key(COUNT, "Rounds of alternating between predictors and directions."),
    "by_columns": Key(Flag(), "Directions of their own for the features of each column."),
}
"""Parameters of a structure that tasks share, as tasks and representations have them."""

MASKED = Key(
    ListOf('a list of columns to predict, such as ["pos", "pos[1]"]', Text()),
    "Columns of the text to predict: auxiliary tasks without labels.",
)

LINEAR = parameters_for(LinearTagger, _LINEAR)

_SHARED = {
    "parts": Key(Integer(0), "Auxiliary tasks: the task itself on so many parts of its data."),
    **STRUCTURE,
    "sharing": Key(
        AutoOr(NOT_NEGATIVE),
        "How much directions count beside the features, 0 for not at all; auto chooses on text "
        "held out.",
    ),
    "variant": Key(
        Choice(VARIANTS), "Directions with a penalty, or the algorithm as printed, which needs h."
    ),
}

ASO_TASK = {
    **parameters_for(ASO, {**_LINEAR, **_SHARED}, parts="n_parts"),
    "auxiliary": Key(
        FILES, "Files with the same columns, or corpora on disk, whose labels are auxiliary tasks."
    ),
    "text": Key(FILES, "Unlabelled text, or corpora on disk, for the auxiliary tasks of masked."),
    "masked": MASKED,
}

_SEED = replace(TAGGER["seed"], default=None, summary="Its seed; by default that of the recipe.")

TASK_KINDS: dict[str, Table] = {
    "crf": {**TAGGER, "seed": _SEED},
    "linear": LINEAR,
    "aso": ASO_TASK,
}
"""Keys of a task's settings, by its kind."""
