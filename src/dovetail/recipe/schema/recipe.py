"""Keys at the top of a recipe, and those of ``[compare]``."""

from __future__ import annotations

from dovetail.grid.grid import METHODS as INFERENCES
from dovetail.pipeline.choices import DECODINGS, SYSTEMS, TRAININGS
from dovetail.pipeline.pipeline import Pipeline
from dovetail.recipe.schema.keys import Key, Table, describe_parameters, parameters_for
from dovetail.recipe.schema.values import (
    COUNT,
    FILES,
    SEED,
    SHARE,
    Choice,
    Flag,
    Integer,
    ListOf,
    TableOf,
    Tables,
    Text,
)

RECIPE: Table = {
    **parameters_for(
        Pipeline,
        {
            "decode": Key(Choice(DECODINGS), "How the tasks are decoded."),
            "inference": Key(Choice(INFERENCES), "How joint decoding is done."),
            "epsilon": Key(SHARE, "The probability mass that sparse inference may leave out."),
            "lattice": Key(
                COUNT,
                "How many best labellings pass upward: by lattice 5 if not given; by soft their "
                "shares in place of marginals.",
            ),
        },
    ),
    **describe_parameters(
        Pipeline.fit.__kwdefaults__ or {},
        {
            "training": Key(
                Choice(TRAININGS),
                "What a task reads of those before it while it learns; by default cascade, or auto "
                "where decode is.",
            ),
            "same": Key(
                TableOf('a table of types, such as { PER = "speaker" }', Text()),
                "With auto, what types of old labels mean among the new ones.",
            ),
            "folds": Key(Integer(2), "Parts of cross-fitting where tasks learn from one text."),
            "seed": Key(SEED, "Random seed."),
        },
    ),
    "unlabelled": Key(
        FILES,
        "Text without labels: all tasks read the classes and states of words learned from it.",
    ),
    "task": Key(Tables("[[task]]"), "The tasks, from the first to the last."),
    "representation": Key(Tables("[[representation]]"), "Representations that all tasks read."),
    "compare": Key(Tables("[compare]"), "What dovetail compare does."),
}

MEASURES = ("fields", "coverage", "chi-square")

COMPARE: Table = {
    "systems": Key(
        ListOf(f"a list of some of {', '.join(SYSTEMS)}", Choice(SYSTEMS)),
        "The systems to compare.",
        ("none", "cascade", "soft", "stacked", "joint"),
    ),
    "splits": Key(COUNT, "How many random splits of the data.", 10),
    "train": Key(SHARE, "The share of each that is trained on.", 0.5),
    "folds": Key(Integer(2), "Cross-validation in so many parts, in place of random splits."),
    "test": Key(FILES, "Files to test on, in place of splits."),
    "sizes": Key(
        ListOf("a list of whole numbers of at least 1", COUNT),
        "Sizes of the training data for a learning curve, beside the whole; with draws, these "
        "alone.",
        (),
    ),
    "draws": Key(
        COUNT, "With test: so many random samples of the training data of each of the sizes.", 1
    ),
    "measures": Key(
        ListOf(f"a list of some of {', '.join(MEASURES)}", Choice(MEASURES), True),
        "What is told beside F1: of one value of each field in a document, of true spans that a "
        "system or the first one finds, and the chi-square test with Yates' correction.",
        (),
    ),
    "without": Key(
        ListOf("a list of names of tasks and representations, aso and bias", Text(), True),
        "Parts of the recipe that each system is also compared without, in turn; aso makes tasks "
        "of that kind linear, bias takes the biases off representations.",
        (),
    ),
    "group_copies": Key(
        Flag(), "Whether copies and near copies of a text stay on one side of every split.", False
    ),
}
