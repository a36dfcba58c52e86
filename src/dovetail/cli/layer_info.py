"""What ``dovetail info`` says of a layer that was trained in a pipeline: above all by ``auto``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = tuple[str, str]


def training_rows(training: Mapping[str, Any]) -> list[Row]:
    """How the layer was trained, on what, and which candidates were compared."""
    rows: list[Row] = []
    if "training" in training:
        size = f"{training['sequences']:,} sequences, {training['tokens']:,} tokens"
        rows.append(("  trained", f"{training['training']}, on {size}{_date(training)}"))
    if training.get("data"):
        rows.append(("  data", ", ".join(training["data"])))
    if "features" in training:
        rows.append(("  feature set", training["features"]))
    scores = training.get("candidates")
    if scores:
        best = sorted(scores.items(), key=lambda item: -item[1])
        listed = ", ".join(f"{name} {100 * score:.1f}" for name, score in best)
        rows.append(("  candidates", f"{listed} (cross-validated)"))
    if "selected" in training:
        ended = ", interrupted" if training.get("interrupted") else ""
        rows.append(("  selected", f"{training['selected']}{ended}"))
    return rows


def _date(training: Mapping[str, Any]) -> str:
    """Files of earlier versions have none."""
    return f", {training['date']}" if "date" in training else ""


def member_rows(model: Mapping[str, Any]) -> list[Row]:
    """What a layer is made of, member by member."""
    rows: list[Row] = []
    if model["kind"] == "recalibrated":
        if model["span_threshold"] is not None:
            rows.append(("  spans", f"above a probability of {model['span_threshold']:.3g}"))
        return rows + member_rows(model["of"])
    if model["kind"] == "pool":
        return [("  member", _describe_member(member)) for member in model["members"]]
    return [("  member", _describe_member(model))] if "types" in model else []


def _describe_member(member: Mapping[str, Any]) -> str:
    parts = [f"{member['weight']:.3g} x {member['kind']}" if "weight" in member else member["kind"]]
    if "reads" in member:
        parts.append(f"reads {', '.join(member['reads']) or 'nothing'}")
    if member.get("scheme"):
        parts.append("plain labels" if member["scheme"] == "none" else str(member["scheme"]))
    if member.get("c2") is not None:
        parts.append(f"c2 {member['c2']:.3g}")
    if "n_features" in member:
        parts.append(f"{member['n_features']:,} features, {member['n_weights']:,} weights")
    if "types" in member:
        found = (
            f"{old} is {new['type']} ({new['probability']:.2f})"
            for old, new in member["types"].items()
        )
        parts.append(", ".join(found))
    return "; ".join(parts)
