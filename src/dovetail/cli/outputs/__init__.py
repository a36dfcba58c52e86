"""How tagged sequences are written: a module a format, and the table of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TextIO

from dovetail.cli.outputs.conll import write_columns, write_layered_columns
from dovetail.cli.outputs.jsonl import write_json, write_layered_json
from dovetail.cli.outputs.label_studio import BETWEEN, write_layered_tasks, write_tasks
from dovetail.cli.outputs.results import LayeredResult, Result, best_spans
from dovetail.cli.outputs.text import write_inline, write_layered_inline
from dovetail.corpus import Corpus

__all__ = ["OUTPUTS", "LayeredResult", "OutputFormat", "Result", "best_spans"]


@dataclass(frozen=True)
class OutputFormat:
    """How what a tagger says is written, and what a pipeline says.

    ``spans`` tells whether they are shown; ``marginals`` whether there is room for the
    probabilities of all labels. ``is_text`` is for a format that is nothing but the words with
    marks between them: it needs words, and a blank line divides documents. ``confidences`` tells
    whether those of tokens are needed unasked. What stands before, between and after the pieces
    that are written makes them one file.
    """

    write: Callable[[Corpus, Sequence[Result], TextIO], None]
    write_layered: Callable[[Corpus, Sequence[LayeredResult], TextIO], None]
    spans: Literal["never", "on request", "always"] = "never"
    marginals: bool = False
    is_text: bool = False
    confidences: bool = False
    before: str = ""
    between: str = ""
    after: str = ""


OUTPUTS = {
    "conll": OutputFormat(write_columns, write_layered_columns),
    "jsonl": OutputFormat(write_json, write_layered_json, "on request", marginals=True),
    "text": OutputFormat(write_inline, write_layered_inline, "always", is_text=True),
    "label-studio": OutputFormat(
        write_tasks,
        write_layered_tasks,
        "always",
        confidences=True,
        before="[\n",
        between=BETWEEN,
        after="\n]\n",
    ),
}
