"""``dovetail represent --from``: files of what others have found out about words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dovetail.cli.states import describe_briefly, describe_origin, summarize_representation
from dovetail.cli.targets import check_outputs
from dovetail.representation.ready_made import LISTS, ready_made, ready_made_list, write_list
from dovetail.units import format_megabytes

TAKEN = ("ready", "out", "name", "column", "value", "force", "as_json")


def write_ready_made(ctx: click.Context, options: Mapping[str, Any]) -> None:
    """Write a representation or a list of names that an installed package has."""
    given = (n for n in options if ctx.get_parameter_source(n) is not ParameterSource.DEFAULT)
    odd = next((name for name in given if name not in TAKEN and options[name] != ()), None)
    if odd is not None:
        what = "text to learn from" if odd == "source" else f"--{odd.replace('_', '-')}"
        raise click.UsageError(f"{what} does not go with --from, which learns nothing")
    check_outputs([options["out"]], [], force=options["force"])
    facts = _list(options) if options["ready"] in LISTS else _representation(options)
    facts |= {"model": options["out"], "bytes": Path(options["out"]).stat().st_size}
    click.echo(json.dumps(facts, ensure_ascii=False) if options["as_json"] else _as_text(facts))


def _representation(options: Mapping[str, Any]) -> dict[str, Any]:
    settings = {name: options[name] for name in ("name", "column", "value")}
    made = ready_made(options["ready"], **{k: v for k, v in settings.items() if v is not None})
    made.save(options["out"])
    return {**summarize_representation(made), "from": options["ready"]}


def _list(options: Mapping[str, Any]) -> dict[str, Any]:
    odd = next((name for name in ("name", "column", "value") if options[name] is not None), None)
    if odd is not None:
        raise click.UsageError(f"--{odd} does not go with a list of names, {options['ready']}")
    lexicon, origin = ready_made_list(options["ready"])
    write_list(lexicon, origin, options["out"])
    return {"from": options["ready"], "entries": len(lexicon), "origin": origin}


def _as_text(facts: Mapping[str, Any]) -> str:
    file = f"{click.format_filename(facts['model'])}, {format_megabytes(facts['bytes'])}"
    if "entries" in facts:
        rows = [("list", f"{facts['entries']:,} entries"), ("file", file)]
    else:
        rows = [("represents", describe_briefly(facts)), ("model", file)]
    rows.insert(1, ("origin", describe_origin(facts["origin"])))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)
