"""``python -m dovetail.demo``: run the show, and leave it quietly on Ctrl-C."""

from __future__ import annotations

import signal
import sys
from typing import Any, NoReturn

from dovetail.errors import NativeCodeError

INTERRUPTED = 128 + 2


class ShowEndedError(BaseException):
    """Ctrl-C. No KeyboardInterrupt: a training would end with that, and the show go on."""


def main() -> int:
    """Run the show here; the result is an exit code."""
    signal.signal(signal.SIGINT, _end)
    try:
        from pathlib import Path

        from rich.console import Console

        from dovetail.demo.show import run

        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(errors="replace")
        run(Console(), Path("demo-report.html"))
    except ShowEndedError:
        print("\nThe demo was interrupted; `make demo` begins it again.", file=sys.stderr)
        return INTERRUPTED
    except NativeCodeError as error:
        print(f"dovetail: {error}", file=sys.stderr)
        return 1
    return 0


def _end(*_: Any) -> NoReturn:
    raise ShowEndedError


if __name__ == "__main__":
    sys.exit(main())
