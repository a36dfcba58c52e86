"""A group of commands that loads them on demand and turns what goes wrong into one sentence."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from dovetail.cli.signals import exit_code
from dovetail.cli.terminal import printable
from dovetail.errors import DovetailError

SUMMARIES = {
    "train": "Train a tagger on labelled sequences, or a pipeline from a recipe.",
    "tag": "Label sequences with a trained model.",
    "label": "Label text in the browser, with a model that learns meanwhile.",
    "serve": "Serve models over HTTP, with a page to try them on.",
    "eval": "Score a model on labelled data; list its errors and suspicious labels.",
    "explain": "Explain why a model gave a sequence its labels.",
    "info": "Show what is in a model.",
    "compare": "Compare ways of transfer learning on your own data.",
    "represent": "Learn word representations from unlabelled text.",
    "tune": "Choose the settings of a tagger or a representation.",
    "features": "Show the features that a template makes of data.",
    "convert": "Convert a corpus to another format.",
    "import-model": "Convert a model of CRFsuite, CRF++ or Wapiti.",
    "export-model": "Export a model for CRFsuite, or as JSON.",
}
INTERRUPTED = 128 + 2
PIPE_CLOSED = 128 + 13
FILE_METAVARS = {"FILE", "MODEL", "OUT"}


class Failure(click.ClickException):
    """An error that is shown as ``dovetail: <one sentence>``."""

    def show(self, file: Any = None) -> None:
        click.echo(f"dovetail: {printable(self.format_message())}", file=file, err=file is None)


class CommandGroup(click.Group):
    """Commands by their names in `SUMMARIES`; the module of the same name, with _ for -, holds
    each."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUMMARIES:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = import_module(f"dovetail.cli.{module}").command
        if ctx.resilient_parsing:
            _complete_files(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in SUMMARIES and not name.startswith("-") and not ctx.resilient_parsing:
            raise click.UsageError(f"No such command '{name}'.{_suggest(name)}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the arguments, and show the help; what goes wrong is told as later on."""
        try:
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            _drop_output()
            raise click.exceptions.Exit(PIPE_CLOSED) from None
        except OSError as error:
            raise _failure(error) from None
        except KeyboardInterrupt:
            click.echo("dovetail: interrupted", err=True)
            raise click.exceptions.Exit(exit_code()) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; known errors become a sentence and an exit code, never a traceback."""
        try:
            if sys.stdout is None:
                raise Failure("there is no standard output: it was closed before the start")
            result = super().invoke(ctx)
            sys.stdout.flush()
        except click.exceptions.Exit as left:
            raise click.exceptions.Exit(
                exit_code() if left.exit_code == INTERRUPTED else left.exit_code
            ) from None
        except DovetailError as error:
            raise Failure(str(error)) from None
        except BrokenPipeError:
            _drop_output()
            ctx.exit(PIPE_CLOSED)
        except KeyboardInterrupt:
            click.echo("dovetail: interrupted", err=True)
            ctx.exit(exit_code())
        except MemoryError as error:
            raise Failure(str(error) or "there is not enough memory") from None
        except OSError as error:
            raise _failure(error) from None
        return result


def _suggest(name: str) -> str:
    """A question that names the commands of similar spelling, if there are any."""
    from difflib import get_close_matches

    similar = get_close_matches(name.lower(), SUMMARIES)
    return f" Did you mean {' or '.join(repr(one) for one in similar)}?" if similar else ""


def _complete_files(command: click.Command) -> None:
    """Have a shell complete the names of files, where a command reads or writes them."""
    for parameter in command.params:
        argument = isinstance(parameter, click.Argument)
        if parameter.type is click.STRING and (argument or parameter.metavar in FILE_METAVARS):
            parameter.type = click.Path()


def _failure(error: OSError) -> Failure:
    _drop_output()
    where = f"{error.filename}: " if error.filename else "reading or writing failed: "
    return Failure(f"{where}{error.strerror or error}")


def _drop_output() -> None:
    """Send what standard output still holds nowhere, or Python would complain on leaving."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
