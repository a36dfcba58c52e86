"""``dovetail label --simulate``: what labelling a text costs by ways of being helped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from dovetail.corpus import read
from dovetail.errors import DataError
from dovetail.io.loading import load

TEST = 0.25  # of the text, drawn at random
SHARE = 0.9  # of the F1 of a model that all text has trained
FEWEST = 40  # sequences
HEADS = {
    "documents": "documents",
    "spans": "entities",
    "read": "tokens read",
    "actions": "actions",
    "keys": "keys",
}


def simulate(
    path: str,
    *,
    format: str | None,
    columns: str | None,
    taggers: Sequence[str] = (),
    same: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> None:
    """Print what it costs to reach 90 % of the F1 that all of a labelled text gives."""
    from dovetail.studio.simulate import METHODS, Gold, Simulation, cost_to_reach, full_score

    given: dict[str, Any] = {} if columns is None else {"columns": columns.split(",")}
    corpus = read(path, format=format, **given)
    label = corpus.names[-1]
    if len(corpus) < FEWEST or len(corpus.names) < 2:
        raise DataError(
            f"{path}: a simulation needs at least {FEWEST} labelled sequences; there are "
            f"{len(corpus)}, with the columns {', '.join(corpus.names)}"
        )
    rest, held_out = corpus.split(1 - TEST, seed=0)
    gold, test = (Gold.of(part, label, corpus.names[0]) for part in (rest, held_out))
    if not gold.labels:
        raise DataError(f"{path}: the column '{label}' has no spans, so there is nothing to label")
    target = SHARE * full_score(gold, test, gold.labels, threads)
    old = {f"old{number}": load(tagger) for number, tagger in enumerate(taggers, 1)}
    click.echo(f"until F1 {100 * target:.1f}, {SHARE:.0%} of that of all {len(rest):,} sequences")
    click.echo("".join([f"{'':12}", *(f"{head:>13}" for head in HEADS.values())]))
    for method in METHODS.values():
        if method.old and not old:
            continue
        simulation = Simulation(gold, test, gold.labels, old, same or {}, threads=threads)
        points = list(simulation.run(method, lambda point: point.f1 >= target))
        cost = cost_to_reach(points, target)
        shown = ["never"] if cost is None else [f"{cost[name]:,.0f}" for name in HEADS]
        click.echo("".join([f"{method.name:12}", *(f"{one:>13}" for one in shown)]))
