"""Which of the compiled kernels to load.

Each CPU level is an extension module of its own, so that no instruction of a higher level can be
run by accident on a lower one; `_cpu` asks the CPU and knows what was built.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from dovetail.errors import NativeCodeError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

LEVELS = ("v2", "v3", "v4", "neon")
VARIABLE = "DOVETAIL_CPU"


def kernels() -> ModuleType:
    """The extension module for the level that the environment asks for, or else the best one."""
    cpu = _imported("_cpu")
    return _imported(chosen(os.environ.get(VARIABLE, ""), cpu.RUNNABLE, cpu.BUILT))


def chosen(wanted: str, runnable: Sequence[str], built: Sequence[str]) -> str:
    """The wanted level if it can be had, or without a wish the highest that can.

    >>> chosen("", runnable=("v2", "v3"), built=("v2", "v3", "v4"))
    'v3'
    >>> chosen("v2", runnable=("v2", "v3"), built=("v2", "v3", "v4"))
    'v2'
    """
    if wanted and wanted not in LEVELS:
        raise NativeCodeError(
            f"{VARIABLE} is '{wanted}', which is no CPU level; this build has {_listed(built)}"
        )
    if wanted and wanted not in built:
        raise NativeCodeError(
            f"{VARIABLE} asks for level {wanted}, but this build has only {_listed(built)}"
        )
    if not runnable:
        raise NativeCodeError(
            "this CPU is older than x86-64-v2 (it lacks SSE4.2 or POPCNT), "
            "the lowest level that Dovetail can run on"
        )
    if wanted and wanted not in runnable:
        raise NativeCodeError(
            f"{VARIABLE} asks for level {wanted}, but this CPU runs only {_listed(runnable)}"
        )
    usable = [level for level in runnable if level in built]
    if not usable:
        raise NativeCodeError(
            f"this Dovetail was built for CPU level {_listed(built)}, but this CPU runs only "
            f"{_listed(runnable)}: build it again here, or install a wheel, which has all levels"
        )
    return wanted or usable[-1]


def _imported(name: str) -> ModuleType:
    try:
        return import_module(f"dovetail._native.{name}")
    except ImportError as error:
        import platform  # a millisecond that only those pay for whom it matters

        python = f"{platform.python_implementation()} {platform.python_version()}"
        raise NativeCodeError(
            f"Dovetail's native code cannot be loaded by {python} on {platform.system()} "
            f"{platform.machine()}: install the wheel for this platform, or build from source "
            f"({error})"
        ) from None


def _listed(levels: Sequence[str]) -> str:
    return " and ".join([", ".join(levels[:-1]), levels[-1]] if levels[1:] else levels)
