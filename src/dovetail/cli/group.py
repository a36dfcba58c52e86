"""A group of commands that loads them on demand and turns what goes wrong into one sentence."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

import click

from dovetail.errors import DovetailError

SUMMARIES = {
    "train": "Train a tagger on labelled sequences, or a pipeline from a recipe.",
    "tag": "Label sequences with a trained model.",
    "eval": "Score a model on labelled data, or two columns of a file.",
    "info": "Show what is in a model.",
    "compare": "Compare ways of transfer on a recipe's data.",
    "represent": "Learn what words are like from unlabelled text.",
    "tune": "Choose the strengths of a representation on development text.",
    "features": "Show what a template makes of data.",
    "convert": "Change the format of a corpus.",
    "import-model": "Make a model of CRFsuite, CRF++ or Wapiti one of ours.",
    "export-model": "Write a model for CRFsuite, or as JSON.",
}
INTERRUPTED = 128 + 2
PIPE_CLOSED = 128 + 13


class Failure(click.ClickException):
    """An error that is shown as ``dovetail: <one sentence>``."""

    def show(self, file: Any = None) -> None:
        click.echo(f"dovetail: {self.format_message()}", file=file, err=file is None)


class CommandGroup(click.Group):
    """Commands by their names in `SUMMARIES`; the module of the same name, with _ for -, holds
    each."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in SUMMARIES:
            return None
        module = cmd_name.replace("-", "_")
        command: click.Command = import_module(f"dovetail.cli.{module}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; known errors become a sentence and an exit code, never a traceback."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except DovetailError as error:
            raise Failure(str(error)) from None
        except BrokenPipeError:
            _drop_output()
            ctx.exit(PIPE_CLOSED)
        except KeyboardInterrupt:
            click.echo("dovetail: interrupted", err=True)
            ctx.exit(INTERRUPTED)
        except MemoryError as error:
            raise Failure(str(error) or "there is not enough memory") from None
        except OSError as error:
            _drop_output()
            where = f"{error.filename}: " if error.filename else "reading or writing failed: "
            raise Failure(f"{where}{error.strerror or error}") from None
        return result


def _drop_output() -> None:
    """Send what standard output still holds nowhere, or Python would complain on leaving."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
