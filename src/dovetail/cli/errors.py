"""Errors of a model, and suspicious labels of a corpus, as ``dovetail eval`` lists them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from dovetail import Tagger
from dovetail.cli.inputs import CRFSUITE, Source
from dovetail.cli.labelled import (
    Labelled,
    complete_labels,
    find_label_column,
    read_as_trained,
)
from dovetail.cli.scores import Score
from dovetail.cli.terminal import printable
from dovetail.errors import DataError
from dovetail.io.files import write_text
from dovetail.review import ErrorReport, cross_validate, review, review_page

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

LISTED = 20
SURE = 0.9


def label_by_cross_validation(
    model: Tagger | Pipeline | None, source: Source, label: str | None, folds: int
) -> Labelled:
    """What models say of data that were trained on its other parts, with the settings of one."""
    if source.format == CRFSUITE:
        raise DataError("feature text holds no words: cross-validation needs a corpus")
    corpus = source.read() if model is None else read_as_trained(source, model)
    if label is None:
        label = find_label_column(corpus, model, source)
    gold = complete_labels(corpus, label)

    def note(part: int, parts: int) -> None:
        click.echo(f"trained without part {part} of {parts}", err=True)

    tagged = cross_validate(
        Tagger() if model is None else model, corpus, label, folds=folds, callback=note
    )
    predicted = [one.labels for one in tagged]
    words = corpus.lists(corpus.names[0])
    return Labelled(gold, predicted, corpus.document_bounds, words=words, tagged=tagged)


@dataclass(frozen=True)
class Listing:
    """What is to be listed, how much of it, and where."""

    errors: bool
    suspicious: bool
    top: int | None
    html: str | None
    as_json: bool

    def show(self, found: Mapping[str, Labelled], title: str) -> None:
        """List what there is of each layer; of a single tagger the name is empty."""
        scores = {name: Score.of(one) for name, one in found.items()}
        reports = {name: review(one.words, one.gold, one.tagged) for name, one in found.items()}
        for name, score in scores.items():
            score.note_unknown(f"'{name}'" if name else "the model")
        if self.html is not None:
            page = review_page(
                f"Errors: {title}",
                reports,
                scores={name: score.report for name, score in scores.items()},
                suspicious_at_least=SURE if self.suspicious else None,
            )
            with write_text(self.html) as file:
                file.write(page)
        if self.as_json:
            facts = {name: self._to_dict(scores[name], reports[name]) for name in found}
            shown = facts.get("", {"layers": facts})
            click.echo(json.dumps(shown, ensure_ascii=False))
            return
        texts = [self._to_text(name, scores[name], reports[name]) for name in found]
        click.echo(printable("\n\n\n".join(texts)))

    def _to_text(self, name: str, score: Score, report: ErrorReport) -> str:
        top = self.top or LISTED
        parts = [name] if name else []
        if self.errors:
            parts += [score.to_text(), report.to_text(top)]
        if self.suspicious:
            parts.append(report.suspicious_to_text(SURE, top))
        return "\n\n".join(parts)

    def _to_dict(self, score: Score, report: ErrorReport) -> dict[str, Any]:
        facts = score.to_dict()
        if self.errors:
            facts["errors"] = report.to_dict(self.top)
        if self.suspicious:
            facts["suspicious"] = report.suspicious_to_list(SURE)[: self.top]
        return facts
