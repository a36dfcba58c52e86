"""What a recipe may say: the keys of its tables, and what belongs to each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any, NamedTuple

from dovetail.corpus import FORMATS
from dovetail.errors import DataError
from dovetail.pipeline.choices import DECODINGS, SYSTEMS, TRAININGS


class Kind(NamedTuple):
    """A kind of value, in words and as a test."""

    words: str
    fits: Callable[[Any], bool]


def whole(least: int, most: float = inf) -> Kind:
    """Whole numbers; in TOML, as in Python, true is none."""
    return Kind(
        f"a whole number of at least {least}" + (f", at most {most}" if most < inf else ""),
        lambda v: isinstance(v, int) and not isinstance(v, bool) and least <= v <= most,
    )


def number(words: str, least: float = -inf, most: float = inf, *, above: bool = False) -> Kind:
    """Finite numbers, from the least (or ``above`` it) to the most."""
    return Kind(
        words,
        lambda v: (
            isinstance(v, int | float)
            and not isinstance(v, bool)
            and isfinite(v)
            and (least < v if above else least <= v)
            and v <= most
        ),
    )


def one_of(*names: str) -> Kind:
    """One of a few names."""
    return Kind(f"one of {', '.join(names)}", lambda v: v in names)


def list_of(words: str, kind: Kind) -> Kind:
    """A list of at least one."""
    return Kind(words, lambda v: isinstance(v, list) and bool(v) and all(map(kind.fits, v)))


def table_of(words: str, kind: Kind) -> Kind:
    """Names with a value each."""
    return Kind(words, lambda v: isinstance(v, dict) and all(map(kind.fits, v.values())))


TEXT = Kind("a text", lambda v: isinstance(v, str) and bool(v))
ANY_TEXT = Kind("a text", lambda v: isinstance(v, str))
FLAG = Kind("true or false", lambda v: isinstance(v, bool))
TABLE = Kind("a table", lambda v: isinstance(v, dict))
FILES = Kind(
    "a file name or a list of them",
    lambda v: TEXT.fits(v) or (isinstance(v, list) and bool(v) and all(map(TEXT.fits, v))),
)
NAMED_FILES = table_of('a table of file names, such as { people = "people.txt" }', TEXT)
NAME = Kind(
    "the name of a column, without blanks",
    lambda v: TEXT.fits(v) and not v.startswith("@") and not any(map(str.isspace, v)),
)
AT_LEAST_0 = number("a number of at least 0", 0)
ABOVE_0 = number("a number above 0", 0, above=True)
VALUE = Kind("auto or a number above 0", lambda v: v == "auto" or ABOVE_0.fits(v))

RECIPE = {
    "decode": one_of(*DECODINGS),
    "training": one_of(*TRAININGS),
    "folds": whole(2),
    "seed": whole(0, 2**31),
    "same": table_of('a table of types, such as { PER = "speaker" }', TEXT),
    "inference": one_of("auto", "exact", "sparse", "beam", "loopy"),
    "epsilon": number("a number above 0 and below 1", 0, 1 - 1e-12, above=True),
    "lattice": whole(1),
    "task": Kind("a list of tables, [[task]]", lambda v: isinstance(v, list)),
    "representation": Kind("a list of tables, [[representation]]", lambda v: isinstance(v, list)),
    "compare": TABLE,
}
SETTINGS = {
    "c1": AT_LEAST_0,
    "c2": Kind("auto or a number of at least 0", lambda v: v == "auto" or AT_LEAST_0.fits(v)),
    "method": one_of("auto", "lbfgs", "dual", "sgd", "perceptron"),
    "tolerance": ABOVE_0,
    "max_iterations": whole(1),
    "min_count": whole(1),
    "all_pairs": FLAG,
    "all_transitions": FLAG,
    "boundaries": FLAG,
    "constraints": one_of("auto", "IOB1", "IOB2", "IOBES"),
    "label_weights": table_of("a table of labels and numbers above 0", ABOVE_0),
    "precision": one_of("single", "double"),
    "seed": whole(0, 2**31),
    "memory_limit": ABOVE_0,
}
"""Settings of a Tagger that a recipe can give."""
OF_A_MODEL = {"name": NAME, "model": TEXT, "weight": AT_LEAST_0}
OF_ANY_TASK = {
    **OF_A_MODEL,
    "kind": one_of("crf", "linear", "aso"),
    "data": FILES,
    "format": one_of(*FORMATS),
    "columns": list_of("a list of column names", ANY_TEXT),
    "label": NAME,
    "features": TEXT,
    "lexicons": NAMED_FILES,
    "tables": NAMED_FILES,
    "reads": Kind("a list of tasks", lambda v: isinstance(v, list) and all(map(TEXT.fits, v))),
    "conjoin": FLAG,
    "compound": FLAG,
}
OF_A_LINEAR_TASK = {
    "loss": one_of("modified_huber", "logistic", "squared_hinge"),
    "penalty": ABOVE_0,
    "min_count": whole(1),
    "tolerance": ABOVE_0,
    "calibrate": FLAG,
}
OF_AN_ASO = {
    **OF_A_LINEAR_TASK,
    "parts": whole(0),
    "h": whole(1),
    "rounds": whole(1),
    "by_columns": FLAG,
    "auxiliary": FILES,
    "text": FILES,
    "masked": list_of('a list of columns to predict, such as ["pos", "pos[1]"]', TEXT),
}
TASKS: dict[str, dict[str, Kind]] = {
    "crf": SETTINGS,
    "linear": OF_A_LINEAR_TASK,
    "aso": OF_AN_ASO,
}
"""Keys of a task's settings, by its kind."""
TASK = {**OF_ANY_TASK, **SETTINGS}
OF_TEXT = {
    "kind": one_of("hmm", "biased", "layered", "classes", "vectors", "structure", "consistency"),
    "text": FILES,
    "source": FILES,
    "target": FILES,
    "format": one_of(*FORMATS),
    "target_format": one_of(*FORMATS),
    "columns": list_of("a list of column names", ANY_TEXT),
    "name": NAME,
    "column": NAME,
    "value": VALUE,
    "min_count": whole(1),
    "rare": one_of("form", "one"),
    "seed": whole(0, 2**31),
}
OF_AN_HMM = {
    **OF_TEXT,
    "states": whole(1),
    "rounds": whole(1),
    "start": one_of("classes", "random"),
    "update": one_of("bayes", "em"),
    "soft": FLAG,
}
OF_A_BIASED_HMM = {
    **{key: kind for key, kind in OF_AN_HMM.items() if key != "text"},
    "labels": NAME,
    "entropy": AT_LEAST_0,
    "distance": AT_LEAST_0,
    "sigma": ABOVE_0,
}
REPRESENTATIONS: dict[str | None, dict[str, Kind]] = {
    None: {"model": TEXT},
    "ready": {"from": TEXT, **{key: OF_TEXT[key] for key in ("name", "column", "value")}},
    "hmm": OF_AN_HMM,
    "biased": OF_A_BIASED_HMM,
    "layered": {**OF_AN_HMM, **OF_A_BIASED_HMM, "layers": whole(1), "repel": AT_LEAST_0},
    "classes": {**OF_TEXT, "classes": whole(1)},
    "vectors": {
        **{key: OF_TEXT[key] for key in ("kind", "name", "column", "value", "seed")},
        "vectors": TEXT,
        "clusters": whole(1),
    },
    "consistency": {
        **{key: OF_TEXT[key] for key in ("kind", "name", "column")},
        "task": NAME,
        "soft": FLAG,
    },
    "structure": {
        **{k: OF_TEXT[k] for k in ("kind", "text", "format", "columns", "name", "value")},
        **{key: kind for key, kind in OF_A_LINEAR_TASK.items() if key != "calibrate"},
        **{key: OF_AN_ASO[key] for key in ("h", "rounds", "by_columns", "masked")},
        "features": TEXT,
    },
}
"""Keys of a representation, by its kind: None from a file, ``ready`` from a package of data."""
COMPARE = {
    "systems": list_of(f"a list of some of {', '.join(SYSTEMS)}", one_of(*SYSTEMS)),
    "splits": whole(1),
    "train": number("a share above 0 and below 1", 0, 1 - 1e-12, above=True),
    "folds": whole(2),
    "test": FILES,
    "sizes": list_of("a list of whole numbers of at least 1", whole(1)),
}


def check_keys(table: Mapping[str, Any], kinds: Mapping[str, Kind], where: str) -> None:
    """Refuse keys that there are not, and values that do not belong to their keys."""
    for key, value in table.items():
        if key not in kinds:
            raise DataError(f"{where}: there is no key '{key}'; {nearest(key, kinds)}")
        if not kinds[key].fits(value):
            raise DataError(f"{where}: {key} is {_shown(value)}; give {kinds[key].words}")


def nearest(name: str, known: Collection[str]) -> str:
    """What somebody who wrote a wrong name may have meant.

    >>> nearest("wieght", ["name", "weight"]), nearest("colour", ["name", "weight"])
    ("did you mean 'weight'?", 'there are name, weight')
    """
    close = get_close_matches(name, known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"there are {', '.join(known)}"


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "a table" if isinstance(value, dict) else repr(value)
