"""Code with a mistake in it, tried out where it can do no harm."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PYTEST = ["-q", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist"]
PYTEST += [f"--rootdir={ROOT}", "-c", f"{ROOT}/pyproject.toml"]
SURVIVED, KILLED = 0, 1
MOST_MEMORY = 16 << 30  # addresses that a process may use


class Chosen:
    """A plugin of pytest that keeps some tests, in the order given."""

    def __init__(self, tests: Sequence[str]) -> None:
        self.order = {test: number for number, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [item for item in items if item.nodeid in self.order]
        items[:] = sorted(kept, key=lambda item: self.order[item.nodeid])


def protect(folder: str) -> None:
    """Have this process see a folder, without what is mounted in it, as read-only."""
    libc = ctypes.CDLL(None, use_errno=True)
    new_namespace, bind, recursive, private, read_only, again = 0x20000, 4096, 16384, 1 << 18, 1, 32
    path = folder.encode()
    done = (
        libc.unshare(new_namespace) == 0
        and libc.mount(None, b"/", None, recursive | private, None) == 0
        and libc.mount(path, path, None, bind | recursive, None) == 0
        and libc.mount(None, path, None, read_only | again | bind, None) == 0
    )
    if not done:
        raise OSError(ctypes.get_errno(), f"cannot protect {folder} from root")


def in_child(work: Callable[[], int], seconds: float) -> int:
    """The exit code of work in a forked process that says nothing; beyond the time it is killed.

    It works in an empty folder, which is gone afterwards as are the processes that it started."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if not child:
            os.setsid()
            signal.alarm(int(seconds) + 1)
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            code = 99
            try:
                if os.geteuid() == 0:
                    protect("/dev")
                    protect(str(ROOT))
                os.chdir(folder)
                code = work()
            finally:
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        return code


def tell(name: str, killed: int, tried: int, drawn: str) -> float:
    """Say what share of mistakes the tests saw, and return it."""
    share = killed / max(1, tried)
    print(f"{name}: {killed} of {tried} mutants killed ({share:.1%}), drawn from {drawn}")
    return share
