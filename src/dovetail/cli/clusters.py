"""The option of commands that workers elsewhere can do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from dovetail.base.executor import Executor

cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Let the workers of a Dask cluster do it: tcp://HOST:PORT of its scheduler, or local:N "
    "for N processes here.",
)


@contextmanager
def open_workers(where: str | None) -> Iterator[Executor | None]:
    """The workers at an address, None without one."""
    if where is None:
        yield None
        return
    from dovetail.base.cluster import open_executor

    with open_executor(where) as workers:
        yield workers
