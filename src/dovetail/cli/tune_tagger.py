"""The parameters of a tagger, for ``dovetail tune --kind tagger``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from dovetail.cli.inputs import CRFSUITE, Source, read_all
from dovetail.cli.templates import DEFAULT, load_template
from dovetail.compare.tagger_tuning import FOLDS, TUNED, LabelledText, TaggerTuning
from dovetail.errors import DataError

KIND = "tagger"
USUAL_PENALTIES = (0.01, 0.1, 1)
OWN = ("c1", "scheme", "folds", "group_copies")
"""Options that only a tagger has."""


def make_tagger_tuning(options: Mapping[str, Any]) -> TaggerTuning:
    """The grid that the options give, on the text that they name."""
    if options["folds"] is not None and options["development"]:
        raise click.UsageError("--folds are of the training text: leave out --development")
    if options["group_copies"] and options["development"]:
        raise click.UsageError("--group-copies is for folds: leave out --development")
    names = (options["template"] or DEFAULT).split(",")
    grid = {name: options[name] for name in TUNED if options.get(name) is not None}
    if options["template"] is not None:
        grid["features"] = names
    grid = grid or {"c2": USUAL_PENALTIES}
    data = _read(options)
    read = data.train.names, data.label
    return TaggerTuning(
        grid,
        data,
        features={
            name: load_template(name, *read, *_files(options, name == DEFAULT)) for name in names
        },
        folds=options["folds"] or FOLDS,
        group_copies=options["group_copies"],
        seed=options["seed"] or 0,
        threads=options["threads"],
    )


def _files(options: Mapping[str, Any], is_default: bool) -> tuple[Any, Any]:
    """Lexicons and tables, which the default features do not use."""
    return ((), ()) if is_default else (options["lexicons"], options["tables"])


def _read(options: Mapping[str, Any]) -> LabelledText:
    def read(name: str) -> Any:
        sources = [Source.of(path, options["format"], options["columns"]) for path in options[name]]
        odd = next((one.path for one in sources if one.format == CRFSUITE), None)
        if odd is not None:
            raise DataError(f"{odd} is feature text, whose features cannot be chosen")
        return read_all(sources) if sources else None

    train = read("train")
    label, column = options["label"] or train.names[-1], options["column"] or train.names[0]
    return LabelledText(train, read("development"), label, column)
