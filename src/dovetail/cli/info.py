"""``dovetail info``: what is in a model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import dovetail
from dovetail import Tagger, __version__, _native
from dovetail.cli.layer_info import member_rows, training_rows
from dovetail.cli.models import load
from dovetail.cli.states import (
    describe_aso_round,
    describe_briefly,
    describe_origin,
    list_words,
    summarize_representation,
    typical_words,
)
from dovetail.cli.terminal import printable
from dovetail.features.sets.capitals import readable_name
from dovetail.io.loading import kind_of
from dovetail.io.model_file import open_model
from dovetail.pipeline.layers.linear import is_linear_tagger

if TYPE_CHECKING:
    from dovetail.pipeline import Pipeline

SHOWN_TRANSITIONS = 20
SHOWN_WEIGHTS = 5
SHOWN_LABELS = 15
SHOWN_WORDS = 10


@click.command("info")
@click.argument("model")
@click.option(
    "--top",
    type=click.IntRange(0),
    metavar="N",
    help=f"How many weights to show for each label ({SHOWN_WEIGHTS} for a tagger, none for a "
    f"pipeline), or words for each state of a representation ({SHOWN_WORDS}).",
)
@click.option("--json", "as_json", is_flag=True, help="Write everything as JSON.")
def command(model: str, top: int | None, as_json: bool) -> None:
    """Show what is in a model: labels, sizes, the largest weights, and how it was trained.

    For a pipeline: its layers, what each of them reads, and how they are decoded. For a
    representation: the most typical words of each state or class.
    """
    kind = kind_of(model)
    file = {"model": model, "bytes": Path(model).stat().st_size, "cpu_level": _native.LEVEL}
    if kind not in ("tagger", "linear tagger", "pipeline"):
        facts = {**file, **_representation_facts(model, SHOWN_WORDS if top is None else top)}
        text: Callable[[Mapping[str, Any]], str] = _representation_as_text
    elif isinstance(opened := load(model), Tagger):
        facts = {**file, **_facts(opened, SHOWN_WEIGHTS if top is None else top)}
        text = partial(_as_text, n_labels=SHOWN_LABELS if top is None else len(opened.labels_))
    else:
        facts = {**file, **_pipeline_facts(model, opened, top or 0)}
        text = _pipeline_as_text
    shown = text(facts) if not as_json else json.dumps(facts, ensure_ascii=False)
    click.echo(printable(shown))


def _representation_facts(model: str, top: int) -> dict[str, Any]:
    opened = dovetail.load(model)
    return {**summarize_representation(opened), "typical_words": typical_words(opened, top)}


def _representation_as_text(facts: Mapping[str, Any]) -> str:
    rows = [
        ("model", f"{click.format_filename(facts['model'])}, {facts['bytes'] / 1e6:,.1f} MB"),
        ("represents", f"words of '{facts['reads'][0]}': {describe_briefly(facts)}"),
        ("writes", ", ".join(facts["columns"])),
        _read_by(facts),
    ]
    if facts["origin"]:
        rows.append(("origin", describe_origin(facts["origin"])))
    if facts["stopped"]:
        rows.append(("stopped", facts["stopped"]))
    return "\n".join([*_aligned(rows), *list_words(facts["typical_words"])])


def _facts(tagger: Tagger, top: int) -> dict[str, Any]:
    facts = tagger.model_.facts
    moves = sorted(tagger.transitions().items(), key=lambda item: -abs(item[1]))
    return {
        "dovetail": facts.get("dovetail"),
        "labels": tagger.labels_,
        "label_column": tagger.label_column_,
        "scheme": facts["scheme"],
        "repaired": facts.get("repaired"),
        "tokens": facts.get("tokens"),
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


def _pipeline_facts(model: str, pipeline: Pipeline, top: int) -> dict[str, Any]:
    layers = []
    for place, layer in enumerate(pipeline.layers):
        annotator = pipeline[layer.name]
        lower = [other.name for other in layer.reads(pipeline.layers[:place])]
        facts: dict[str, Any] = {
            "name": layer.name,
            "kind": type(annotator).__name__.lower(),
            "reads": lower,
            "columns": [name for name in layer.annotator.reads_ if name not in pipeline.names],
            "weight": layer.weight,
            "labels": list(layer.labels),
            "fitting": pipeline.training_.get(layer.name, {}),
            "model": layer.annotator.describe(),
        }
        if isinstance(annotator, Tagger):
            facts |= _facts(annotator, top)
        elif is_linear_tagger(annotator):
            facts |= {"kind": annotator.kind, "training": annotator.training_}
        layers.append(facts)
    return {
        "kind": "pipeline",
        "dovetail": open_model(model).facts.get("dovetail"),
        "decode": pipeline.decode,
        "inference": pipeline.inference,
        "epsilon": pipeline.epsilon,
        "lattice": pipeline.lattice,
        "notes": pipeline.notes_,
        "representations": [
            {**summarize_representation(one), "typical_words": typical_words(one, top)}
            for one in pipeline.representations
        ],
        "layers": layers,
    }


def _pipeline_as_text(facts: Mapping[str, Any]) -> str:
    layers = facts["layers"]
    order = " -> ".join(layer["name"] for layer in layers)
    decode = facts["decode"]
    if decode == "joint":
        decode += f", inference {facts['inference']}"
    if decode == "soft" and facts["lattice"]:
        decode += f", the {facts['lattice']} best labellings"
    rows = [
        ("model", f"{click.format_filename(facts['model'])}, {facts['bytes'] / 1e6:,.1f} MB"),
        ("made by", f"dovetail {facts['dovetail']}"),
        ("pipeline", order),
        ("decode", decode),
        _read_by(facts),
        *(("note", note) for note in facts["notes"]),
    ]
    for one in facts["representations"]:
        rows.append((one["name"], describe_briefly(one)))
        if one["origin"]:
            rows.append(("", describe_origin(one["origin"])))
    lines = _aligned(rows)
    for one in facts["representations"]:
        lines += list_words(one["typical_words"])
    for layer in layers:
        reads = [f"{name} (a layer)" for name in layer["reads"]] + layer["columns"]
        rows = [
            (
                "  labels",
                f"{len(layer['labels'])}{_named_scheme(layer)}: {', '.join(layer['labels'])}",
            ),
            ("  reads", ", ".join(reads) or "nothing"),
            ("  weight", f"{layer['weight']:g} in joint decoding"),
        ]
        if "n_features" in layer:
            rows.append(("  features", f"{layer['n_features']:,}"))
            rows.append(("  weights", f"{layer['n_weights']:,}"))
            rows.append(("  stopped", str(layer["training"].get("stopped", ""))))
            rows.append(("  penalty", _penalty(layer["model"])))
            if (used := _constraints(layer)) is not None:
                rows.append(("  constraints", used))
        else:
            rows.append(("  kind", layer["kind"]))
            rows += member_rows(layer["model"])
            learned = layer.get("training", {})
            rows += [("  round", describe_aso_round(one)) for one in learned.get("rounds", ())]
            if learned.get("sharing") is not None:
                rows.append(("  sharing", f"{learned['sharing']:g}"))
        rows += training_rows(layer["fitting"])
        lines += ["", layer["name"], *_aligned(rows)]
        for label, weights in layer.get("top_weights", {}).items():
            lines += _weight_lines(label, weights)
    return "\n".join(lines)


def _read_by(facts: Mapping[str, Any]) -> tuple[str, str]:
    return "read by", f"dovetail {__version__}, CPU level {facts['cpu_level']}"


def _named_scheme(facts: Mapping[str, Any]) -> str:
    return f" ({_scheme(facts)})" if "scheme" in facts else ""


def _penalty(model: Mapping[str, Any]) -> str:
    names = [f"{name} {model[name]:.3g}" for name in ("c1", "c2") if model[name]]
    return ", ".join(names) or "none"


def _weight_lines(label: str, weights: list[dict[str, Any]]) -> list[str]:
    if not weights:
        return []
    shown = [f"  {one['weight']:8.3f}  {readable_name(one['feature'])}" for one in weights]
    return ["", f"largest weights for {label}", *shown]


def _as_text(facts: Mapping[str, Any], n_labels: int) -> str:
    """All of it, with the weights of so many labels."""
    spec = facts["features"] or {}
    training = facts["training"]
    kind = "given as lists or feature text" if not spec else spec["kind"]
    if "feature_set" in training:
        kind += f" {training['feature_set']}"
    if spec.get("columns"):
        kind += f" over {', '.join(spec['columns'])}"
    made = f"dovetail {facts['dovetail']}"
    if "date" in training:
        made += f", {training['date']}"
    rows = [
        ("model", f"{click.format_filename(facts['model'])}, {facts['bytes'] / 1e6:,.1f} MB"),
        ("made by", made),
        _read_by(facts),
        *(("data", ", ".join(files)) for files in [training.get("data")] if files),
        ("labels", f"{len(facts['labels'])} ({_scheme(facts)}): {', '.join(facts['labels'])}"),
        ("features", f"{facts['n_features']:,}, {kind}"),
        ("weights", f"{facts['n_weights']:,}"),
    ]
    lines = [*_aligned(rows), "", "training"]
    shown = describe_training(facts)
    lines += _aligned([(f"  {k}", _value(v)) for k, v in _flat(shown) if v is not None])
    for label, weights in islice(facts["top_weights"].items(), n_labels):
        lines += _weight_lines(label, weights)
    if n_labels < len(facts["labels"]):
        lines += ["", f"and of {len(facts['labels']) - n_labels} more labels: --top N shows all"]
    moves = [move for move in facts["transitions"] if move["weight"]]
    lines += ["", "largest transitions" if len(moves) > SHOWN_TRANSITIONS else "transitions"]
    lines += [f"  {m['weight']:8.3f}  {m['from']} -> {m['to']}" for m in moves[:SHOWN_TRANSITIONS]]
    return "\n".join(lines)


def describe_training(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a training, with the constraints that were in force, not only those asked
    for."""
    shown_above = ("constraints_used", "date", "data", "feature_set")
    training = {k: v for k, v in facts["training"].items() if k not in shown_above}
    used = _constraints(facts)
    if used is not None and isinstance(training.get("settings"), Mapping):
        training["settings"] = {**training["settings"], "constraints": used}
    return training


def _constraints(facts: Mapping[str, Any]) -> str | None:
    """The constraints that a model has; None if none were asked for, or that is not known."""
    training = facts["training"]
    asked = (training.get("settings") or {}).get("constraints")
    used = training.get("constraints_used")
    if asked is None or used is None:
        return None
    text = str(used) if asked == used else f"{used} (asked for: {asked})"
    if facts["repaired"]:
        text += (
            f"; {facts['repaired']['sequences']:,} of {training['sequences']:,} sequences repaired"
        )
    return text


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
