"""Keys of a ``[[representation]]``, by its kind."""

from __future__ import annotations

from typing import get_args

from dovetail.base.parameters import REQUIRED, parameters_of
from dovetail.corpus import FORMATS
from dovetail.multitask import Structure
from dovetail.recipe.schema.keys import Key, Table, parameters_for
from dovetail.recipe.schema.tasks import LINEAR, MASKED, STRUCTURE
from dovetail.recipe.schema.values import (
    COLUMNS,
    COUNT,
    FILE,
    FILES,
    NOT_NEGATIVE,
    POSITIVE,
    SEED,
    AutoOr,
    Choice,
    ColumnName,
    Flag,
    Text,
)
from dovetail.representation import (
    HMM,
    BiasedHMM,
    Consistency,
    LayeredHMM,
    WordClasses,
    WordVectors,
)
from dovetail.representation.bias.property import Scaling
from dovetail.representation.bias.registry import OFFERED, find_offer
from dovetail.representation.hmm.parameters import Update
from dovetail.representation.hmm.starts import Start
from dovetail.representation.vocabulary import Rare

KIND = Key(
    Choice(("hmm", "biased", "layered", "classes", "vectors", "structure", "consistency")),
    "What is to be learned.",
)
_FORMAT = Choice(tuple(FORMATS))

_TEXT = {
    "kind": KIND,
    "text": Key(FILES, "Files to learn from: the words of their column, or else the first."),
    "source": Key(FILES, "The same, where there is a target: text of the domain with labels."),
    "target": Key(FILES, "Text of another domain."),
    "format": Key(_FORMAT, "Format of these files; by default their names tell."),
    "target_format": Key(_FORMAT, "Format of the target; by default the file's name tells."),
    "columns": Key(COLUMNS, "Names of the columns of a CoNLL file; an empty one or _ skips one."),
}
_COLUMN = {
    "name": Key(ColumnName(), "The column that it writes."),
    "column": Key(ColumnName(), "The column that it reads."),
    "value": Key(
        AutoOr(POSITIVE),
        "Value of its features; auto leaves it to the training of a tagger that reads them.",
    ),
}
_WORDS = {
    "min_count": Key(COUNT, "Words that occur less often are not distinguished."),
    "rare": Key(Choice(get_args(Rare)), "Whether these go by their form, or are all one."),
}
RANDOM_SEED = parameters_for(HMM, {"seed": Key(SEED, "Random seed.")})["seed"]
_SEED = {"seed": Key(SEED, "Its seed; by default that of the recipe.")}
_HMM = {
    "states": Key(COUNT, "How many hidden states."),
    "rounds": Key(COUNT, "Maximum number of EM rounds."),
    "start": Key(Choice(get_args(Start)), "Where EM begins: at exchange classes, or at random."),
    "update": Key(
        Choice(get_args(Update)), "How emissions are estimated: by variational Bayes, or plain EM."
    ),
    "soft": Key(Flag(), "Columns have the probabilities of states, not the best ones."),
}
_SOFT = Key(Flag(), "Columns have probabilities, not majorities.")

_HMM_TABLE = {**_TEXT, **parameters_for(HMM, {**_COLUMN, **_WORDS, **_HMM}), **_SEED}


def _weight_key(key: str) -> Key:
    """The weight of a bias; only that of one by labels has a default, as others are asked for by
    it."""
    offer = find_offer(key)
    default = parameters_of(OFFERED[key])["weight"] if offer.by_labels else None
    return Key(NOT_NEGATIVE, offer.summary, default)


_BIASES = {
    "labels": Key(ColumnName(), "The source's column of labels, which states should tell."),
    **{key: _weight_key(key) for key in OFFERED},
    **parameters_for(
        BiasedHMM,
        {
            "sigma": Key(
                POSITIVE,
                "Bound on all biases together, by the norm of their multipliers; without it each "
                "is bounded by its weight.",
            ),
            "scaling": Key(
                Choice(get_args(Scaling)),
                "What sigma bounds: multipliers of sums over tokens, of means, or of properties as "
                "Huang and Yates print them.",
            ),
            "evaluations": Key(COUNT, "Where there is a sigma, E-steps a round that climb to it."),
        },
    ),
}
_LAYERS = parameters_for(
    LayeredHMM,
    {
        "layers": Key(COUNT, "How many hidden Markov models."),
        "repel": Key(
            NOT_NEGATIVE,
            "Weight of a bias towards layers unlike those before them; beta, where scaling is "
            "paper.",
        ),
    },
)

REPRESENTATION_KINDS: dict[str, Table] = {
    "hmm": _HMM_TABLE,
    "biased": {**{k: v for k, v in _HMM_TABLE.items() if k != "text"}, **_BIASES},
    "layered": {**_HMM_TABLE, **_BIASES, **_LAYERS},
    "classes": {
        **_TEXT,
        **parameters_for(
            WordClasses, {**_COLUMN, **_WORDS, "classes": Key(COUNT, "How many classes.")}
        ),
        **_SEED,
    },
    "vectors": {
        "kind": KIND,
        "vectors": Key(FILE, "A file with a word and its numbers on each line.", REQUIRED),
        **parameters_for(
            WordVectors,
            {**_COLUMN, "clusters": Key(COUNT, "How many clusters to make of them; else none.")},
        ),
        **_SEED,
    },
    "consistency": {
        "kind": KIND,
        "task": Key(ColumnName(), "The task whose tagger is the first of two.", REQUIRED),
        **parameters_for(
            Consistency, {"name": _COLUMN["name"], "column": _COLUMN["column"], "soft": _SOFT}
        ),
    },
    "structure": {
        **{name: _TEXT[name] for name in ("kind", "text", "format", "columns")},
        "masked": Key(MASKED.type, MASKED.summary, REQUIRED),
        **parameters_for(
            Structure,
            {
                "features": Key(Text(), "A ready-made set or a template file."),
                **STRUCTURE,
                **{name: key for name, key in LINEAR.items() if name != "calibrate"},
                "name": _COLUMN["name"],
                "value": _COLUMN["value"],
            },
        ),
    },
}
"""Keys of a representation that is learned, by its kind."""

FROM_FILE: Table = {"model": Key(FILE, "A file that dovetail represent wrote.", REQUIRED)}
READY_MADE: Table = {
    "from": Key(Text(), "The name of what others have learned, such as brown-en.", REQUIRED),
    **_COLUMN,
}
