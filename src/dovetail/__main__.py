"""The command ``dovetail``, also as ``python -m dovetail``.

Until there is something to keep, Ctrl-C ends the process at once and without a word, also in the
midst of an import.
"""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Run the command line."""
    _fill_closed_descriptors()
    asked = signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    if asked:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from dovetail.cli import main as run
    from dovetail.cli.signals import handle_signals

    handle_signals()
    try:
        run(prog_name="dovetail")
    finally:
        if asked:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


def _fill_closed_descriptors() -> None:
    """A file that is opened must not become standard input or output where these are closed."""
    try:
        while (opened := os.open(os.devnull, os.O_RDWR)) <= 2:
            pass
        os.close(opened)
    except OSError:
        pass


if __name__ == "__main__":
    main()
