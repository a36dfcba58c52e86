"""``python -m experiments.old_models``."""

from __future__ import annotations

import os
from pathlib import Path

import click

from experiments.common.command import COUNT
from experiments.old_models.repeats import find_repeats
from experiments.old_models.transfer import measure_transfer

PARTS = ("transfer", "repeats")


@click.command()
@click.argument("part", type=click.Choice(PARTS), required=False)
@click.option("--data", metavar="FOLDER", help="Data sets.  [default: DOVETAIL_DATA]")
@click.option("--splits", type=COUNT, default=10, show_default=True, help="Of the transfer.")
def main(part: str | None, data: str | None, splits: int) -> None:
    """The model that usaddress ships, as a part of ours.

    transfer: other labels learned from a few addresses, with and without it. repeats: the best
    labelling without repeats where usaddress refuses an address. By default both.
    """
    folder = Path(data or os.environ.get("DOVETAIL_DATA", "data")) / "usaddress"
    if part != "repeats":
        measure_transfer(folder, splits)
    if part != "transfer":
        find_repeats(folder)


if __name__ == "__main__":
    main()
