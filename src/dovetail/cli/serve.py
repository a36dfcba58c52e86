"""``dovetail serve``: models over HTTP, with a page to try them on."""

from __future__ import annotations

from math import isnan

import click

from dovetail.errors import DataError
from dovetail.serve.limits import Limits

DEFAULT_PORT = 8000
DEFAULT = Limits()


@click.command("serve")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="Where to listen (127.0.0.1).")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    metavar="N",
    help=f"Port to listen on ({DEFAULT_PORT}); 0: any that is free.",
)
@click.option(
    "--token",
    envvar="DOVETAIL_TOKEN",
    metavar="SECRET",
    help="What clients must send; needed on addresses that other machines reach. Also from the "
    "variable DOVETAIL_TOKEN, which other users do not see.",
)
@click.option(
    "--allow-host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A name that clients may call the service by, beside localhost and addresses.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1),
    default=DEFAULT.body,
    metavar="BYTES",
    help=f"Largest body of a request ({DEFAULT.body}).",
)
@click.option(
    "--max-tokens",
    type=click.IntRange(1),
    default=DEFAULT.tokens,
    metavar="N",
    help=f"Most tokens in a request ({DEFAULT.tokens}).",
)
@click.option(
    "--timeout",
    type=click.FloatRange(0.1, 86_400),
    default=DEFAULT.seconds,
    metavar="SECONDS",
    help=f"Longest time for a body to arrive, and for an answer ({DEFAULT.seconds:g}).",
)
@click.option(
    "--max-queue",
    type=click.IntRange(1),
    default=DEFAULT.queue,
    metavar="N",
    help=f"Requests that may wait; more are told to come back later ({DEFAULT.queue}).",
)
@click.option("--threads", type=click.IntRange(1), metavar="N", help="Threads; all cores.")
def command(
    models: tuple[str, ...],
    host: str,
    port: int,
    token: str | None,
    hosts: tuple[str, ...],
    max_body: int,
    max_tokens: int,
    timeout: float,
    max_queue: int,
    threads: int | None,
) -> None:
    """Serve models over HTTP, with a page to try them on.

    MODEL is a file, and the model is called as the file is, or NAME=FILE. A file that is replaced
    is opened again. /openapi.json describes the interface; docs/howto/service.md has examples.
    """
    try:
        from dovetail.serve.app import make_app
        from dovetail.serve.guard import check_token
        from dovetail.serve.models import ServedModels
        from dovetail.serve.server import open_socket, run
    except ModuleNotFoundError as error:
        missing = str(error.name).partition(".")[0]
        raise DataError(f"dovetail serve needs {missing}: pip install 'dovetail[studio]'") from None
    check_token(token, host)
    served = ServedModels.from_arguments(models, threads=threads)
    if isnan(timeout):
        raise click.BadParameter("give a number of seconds", param_hint="--timeout")
    limits = Limits(body=max_body, tokens=max_tokens, seconds=timeout, queue=max_queue)
    app = make_app(served, limits=limits, token=token, hosts=[*hosts, host])
    listening = open_socket(host, port)

    def tell() -> None:
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name}:{listening.getsockname()[1]}/"
        click.echo(f"Serving {', '.join(served.by_name)} on {address} (Ctrl-C stops)")

    run(app, listening, limits, started=tell)
