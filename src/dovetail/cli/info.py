"""``dovetail info``: what is in a model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from dovetail import Tagger, load

SHOWN_TRANSITIONS = 20


@click.command("info")
@click.argument("model")
@click.option(
    "--top", type=click.IntRange(0), default=5, metavar="N", help="Weights for each label (5)."
)
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
def command(model: str, top: int, as_json: bool) -> None:
    """Show what is in a model: labels, sizes, the largest weights, and how it was trained."""
    facts = _facts(load(model), model, top)
    click.echo(json.dumps(facts, ensure_ascii=False) if as_json else _as_text(facts))


def _facts(tagger: Tagger, path: str, top: int) -> dict[str, Any]:
    facts = tagger.model_.facts
    moves = sorted(tagger.transitions().items(), key=lambda item: -abs(item[1]))
    return {
        "model": path,
        "bytes": Path(path).stat().st_size,
        "dovetail": facts.get("dovetail"),
        "labels": tagger.labels_,
        "label_column": tagger.label_column_,
        "scheme": facts["scheme"],
        "features": facts["features"],
        "n_features": tagger.n_features_,
        "n_weights": tagger.n_weights_,
        "training": tagger.training_,
        "top_weights": {
            label: [
                {"feature": feature, "weight": weight}
                for feature, _, weight in tagger.top_weights(top, label=label)
            ]
            for label in tagger.labels_
        },
        "transitions": [{"from": a, "to": b, "weight": weight} for (a, b), weight in moves],
    }


def _as_text(facts: Mapping[str, Any]) -> str:
    spec = facts["features"] or {}
    kind = "given as lists or feature text" if not spec else spec["kind"]
    if spec.get("columns"):
        kind += f" over {', '.join(spec['columns'])}"
    rows = [
        ("model", f"{click.format_filename(facts['model'])}, {facts['bytes'] / 1e6:,.1f} MB"),
        ("made by", f"dovetail {facts['dovetail']}"),
        ("labels", f"{len(facts['labels'])} ({_scheme(facts)}): {', '.join(facts['labels'])}"),
        ("features", f"{facts['n_features']:,}, {kind}"),
        ("weights", f"{facts['n_weights']:,}"),
    ]
    lines = [*_aligned(rows), "", "training"]
    lines += _aligned([(f"  {k}", _value(v)) for k, v in _flat(facts["training"]) if v is not None])
    for label, weights in facts["top_weights"].items():
        if weights:
            lines += ["", f"largest weights for {label}"]
            lines += [f"  {entry['weight']:8.3f}  {entry['feature']}" for entry in weights]
    moves = [move for move in facts["transitions"] if move["weight"]]
    lines += ["", "largest transitions" if len(moves) > SHOWN_TRANSITIONS else "transitions"]
    lines += [f"  {m['weight']:8.3f}  {m['from']} -> {m['to']}" for m in moves[:SHOWN_TRANSITIONS]]
    return "\n".join(lines)


def _scheme(facts: Mapping[str, Any]) -> str:
    return "plain" if facts["scheme"] == "none" else str(facts["scheme"])


def _flat(facts: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Facts with nested ones, such as the settings, in line."""
    rows: list[tuple[str, Any]] = []
    for name, value in facts.items():
        rows += value.items() if isinstance(value, Mapping) else [(name, value)]
    return rows


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int):
        return f"{value:,}"
    return str(value) if value not in ([], {}) else "none"


def _aligned(rows: list[tuple[str, str]]) -> list[str]:
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name:<{width}}  {text}" for name, text in rows]
