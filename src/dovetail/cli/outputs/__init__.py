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

__all__ = ["OUTPUTS", "LayeredResult", "OutputFormat", "Result", "Shown", "best_spans"]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a format shows of what a model says.

    ``spans`` tells whether they are shown: where there is a text they can be always, or only on
    request. ``marginals`` tells whether there is room for the probabilities of all labels.
    ``is_text`` is for a format that is nothing but the words with marks between them: it needs
    words, and a blank line divides documents. ``confidences`` tells whether those of tokens are
    needed unasked.
    """

    spans: Literal["never", "on request", "with text", "always"] = "never"
    marginals: bool = False
    is_text: bool = False
    confidences: bool = False


@dataclass(frozen=True, kw_only=True)
class OutputFormat(Shown):
    """How what a tagger says is written, and what a pipeline says.

    What stands before, between and after the pieces that are written makes them one file, whose
    name ends in ``suffix``.
    """

    write: Callable[[Corpus, Sequence[Result], TextIO], None]
    write_layered: Callable[[Corpus, Sequence[LayeredResult], TextIO], None]
    suffix: str
    before: str = ""
    between: str = ""
    after: str = ""


OUTPUTS = {
    "conll": OutputFormat(
        write=write_columns, write_layered=write_layered_columns, suffix=".conll"
    ),
    "jsonl": OutputFormat(
        write=write_json,
        write_layered=write_layered_json,
        suffix=".jsonl",
        spans="with text",
        marginals=True,
    ),
    "text": OutputFormat(
        write=write_inline,
        write_layered=write_layered_inline,
        suffix=".txt",
        spans="always",
        is_text=True,
    ),
    "label-studio": OutputFormat(
        write=write_tasks,
        write_layered=write_layered_tasks,
        suffix=".json",
        spans="always",
        confidences=True,
        before="[\n",
        between=BETWEEN,
        after="\n]\n",
    ),
}
