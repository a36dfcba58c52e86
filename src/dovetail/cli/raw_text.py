"""Whether a file called .txt, or standard input, is plain text or a table of tokens."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from dovetail import Tagger
from dovetail.cli.inputs import is_text_name
from dovetail.cli.models import known_columns, known_labels, reads_raw_text
from dovetail.corpus import format_of
from dovetail.corpus.tabular import has_equal_rows, read_rows

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

TEXT = "text"
SHARE_OF_ROWS = 0.8  # a table may have a bad line, and then it is to be named


def choose_format(source: str, model: Tagger | Pipeline) -> str | None:
    """Plain text where a name leaves that open, and the model or the file says so; else None."""
    if reads_raw_text(model) and (source == "-" or is_text_name(source)):
        if source != "-" and has_equal_rows(read_rows(source)):
            click.echo(
                f"dovetail: {source} is read as plain text, which the model was trained on, though "
                "it looks like columns; if it has columns, say --format conll",
                err=True,
            )
        return TEXT
    if not (is_text_name(source) and os.path.isfile(source) and format_of(source) == "conll"):
        return None
    return None if _is_table(read_rows(source), model) else TEXT


def _is_table(rows: list[list[str]], model: Tagger | Pipeline) -> bool:
    """Whether rows are like those that a model was trained on, or at least like each other."""
    widths = {len(names) for names in known_columns(model)}
    labels = known_labels(model)

    def is_row(row: list[str]) -> bool:
        """Rows as wide as those of the training data have a label."""
        return len(row) in widths and (len(row) < max(widths) or not labels.isdisjoint(row))

    if widths == {0}:  # features are all that is known of it
        return True
    return has_equal_rows(rows) or sum(map(is_row, rows)) >= SHARE_OF_ROWS * len(rows)
