"""Parameters of a `Tagger` that recipes and ``dovetail train`` can give."""

from __future__ import annotations

from typing import get_args

from dovetail.chain.constraints import Scheme
from dovetail.chain.tagger import Tagger
from dovetail.chain.train.methods import METHODS
from dovetail.chain.train.objective import Precision
from dovetail.recipe.schema.keys import Key, parameters_for
from dovetail.recipe.schema.values import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    AutoOr,
    Choice,
    Flag,
    TableOf,
)

TAGGER = parameters_for(
    Tagger,
    {
        "c1": Key(NOT_NEGATIVE, "Strength of the L1 penalty."),
        "c2": Key(
            AutoOr(NOT_NEGATIVE),
            "Strength of the L2 penalty; auto adapts it to the features and the amount of text.",
        ),
        "method": Key(
            Choice(tuple(METHODS)),
            "How to train; auto starts fast and ends with a certificate of convergence.",
        ),
        "tolerance": Key(POSITIVE, "Stop within this relative distance of the optimum."),
        "max_iterations": Key(COUNT, "Stop after this many iterations at the latest."),
        "min_count": Key(COUNT, "Drop features that occur less often."),
        "all_pairs": Key(Flag(), "Also give weights to unseen pairs of feature and label."),
        "all_transitions": Key(Flag(), "Also give weights to unseen label transitions."),
        "boundaries": Key(Flag(), "Give weights to starting and ending with a label."),
        "constraints": Key(
            Choice(("auto", *get_args(Scheme))),
            "Allow only the legal transitions of a span scheme; auto takes that of the data.",
        ),
        "label_weights": Key(
            TableOf("a table of labels and numbers above 0", POSITIVE),
            "Errors on a label with a weight above 1 cost more, below 1 less.",
        ),
        "precision": Key(
            Choice(get_args(Precision)), "Precision of the numbers in training; double is slower."
        ),
        "seed": Key(SEED, "Random seed."),
        "memory_limit": Key(POSITIVE, "Bytes that the dual method may take beside the data."),
    },
)
