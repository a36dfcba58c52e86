"""Which kernels are loaded, and what is said where none can be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click
import pytest

import dovetail
from dovetail import _native
from dovetail._native import _cpu
from dovetail._native.loading import chosen
from dovetail.errors import DovetailError, NativeCodeError

X86 = ("v2", "v3", "v4")
USABLE = [level for level in _cpu.RUNNABLE if level in _cpu.BUILT]
CPUINFO = Path("/proc/cpuinfo")


class Done(NamedTuple):
    code: int
    out: str
    err: str


def cli(*arguments: str, wanted: str = "", copy: Path | None = None) -> Done:
    """A command with this ``DOVETAIL_CPU``, perhaps of a copy of the package in that folder."""
    script = "from dovetail.cli import main; main(prog_name='dovetail')"
    command = [sys.executable, "-c", script, *arguments]
    environment = {**os.environ, "DOVETAIL_CPU": wanted}
    if copy:
        others = Path(click.__file__).parents[1]
        environment["PYTHONPATH"] = os.pathsep.join([str(copy), str(others)])
        command.insert(1, "-S")  # or an editable install would come first
    done = subprocess.run(
        command, env=environment, capture_output=True, encoding="utf-8", timeout=60
    )
    return Done(done.returncode, done.stdout, done.stderr)


def failure(done: Done) -> str:
    """The one sentence of a command that failed."""
    assert done.code == 1
    (line,) = done.err.splitlines()
    prefix, _, sentence = line.partition(": ")
    assert prefix == "dovetail"
    return sentence


@pytest.mark.parametrize(
    ("wanted", "runnable", "built", "level"),
    [
        ("", X86, X86, "v4"),
        ("", X86[:2], X86, "v3"),
        ("", X86[:1], X86, "v2"),
        ("", X86, ("v3",), "v3"),
        ("v2", X86, X86, "v2"),
        ("v3", X86, X86, "v3"),
        ("", ("neon",), ("neon",), "neon"),
    ],
)
def test_best_level_or_the_wanted_one(
    wanted: str, runnable: tuple[str, ...], built: tuple[str, ...], level: str
) -> None:
    assert chosen(wanted, runnable, built) == level


@pytest.mark.parametrize(
    ("wanted", "runnable", "built", "sentence"),
    [
        ("v5", X86, X86, "is 'v5', which is no CPU level; this build has v2, v3 and v4"),
        ("V3", X86, ("v3",), "DOVETAIL_CPU is 'V3', which is no CPU level; this build has v3"),
        ("v2", X86, ("v3", "v4"), "asks for level v2, but this build has only v3 and v4"),
        ("neon", X86, X86, "asks for level neon, but this build has only v2, v3 and v4"),
        ("v4", X86[:2], X86, "DOVETAIL_CPU asks for level v4, but this CPU runs only v2 and v3"),
        ("", (), X86, "this CPU is older than x86-64-v2"),
        ("v2", (), X86, "this CPU is older than x86-64-v2"),
        ("", X86[:2], ("v4",), "built for CPU level v4, but this CPU runs only v2 and v3: build"),
    ],
)  # fmt: skip
def test_one_sentence_where_there_is_none(
    wanted: str, runnable: tuple[str, ...], built: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(NativeCodeError, match=sentence):
        chosen(wanted, runnable, built)


def test_a_failed_import_is_an_import_error_and_one_of_ours() -> None:
    assert issubclass(NativeCodeError, ImportError)
    assert issubclass(NativeCodeError, DovetailError)


def test_loaded_level_is_the_one_asked_for() -> None:
    assert chosen(os.environ.get("DOVETAIL_CPU", ""), _cpu.RUNNABLE, _cpu.BUILT) == _native.LEVEL


@pytest.mark.parametrize("level", USABLE)
def test_every_level_can_be_asked_for(level: str) -> None:
    done = cli("--version", wanted=level)
    assert done == (0, f"dovetail {dovetail.__version__} (CPU level {level})\n", "")


def test_unknown_level_in_the_environment() -> None:
    done = cli("--version", wanted="sse9")
    assert "DOVETAIL_CPU is 'sse9', which is no CPU level" in failure(done)
    assert done.out == f"dovetail {dovetail.__version__}\n"
    assert "DOVETAIL_CPU is 'sse9'" in failure(cli("info", "a.dovetail", wanted="sse9"))


def test_help_needs_no_kernels() -> None:
    assert cli("--help", wanted="sse9").code == 0


def test_no_native_code_for_this_platform(tmp_path: Path) -> None:
    package = Path(dovetail.__file__).parent
    binaries = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(package, tmp_path / "dovetail", ignore=binaries)
    sentence = failure(cli("--version", copy=tmp_path))
    assert sentence.startswith("Dovetail's native code cannot be loaded by CPython 3.")
    assert "install the wheel for this platform" in sentence
    suffix = ".pyd" if os.name == "nt" else ".abi3.so"
    (tmp_path / "dovetail" / "_native" / f"_cpu{suffix}").write_bytes(b"of another platform")
    again = failure(cli("info", "a.dovetail", copy=tmp_path))
    assert again.startswith("Dovetail's native code cannot be loaded")
    assert again != sentence


@pytest.mark.skipif("v2" not in _cpu.RUNNABLE, reason="for x86-64")
@pytest.mark.skipif(not CPUINFO.exists(), reason="for Linux, which says what the CPU has")
def test_cpu_is_asked_the_right_way() -> None:
    lines = CPUINFO.read_text(encoding="utf-8").splitlines()
    flags = set(next(line for line in lines if line.startswith("flags")).split())
    needed = {
        "v2": {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"},
        "v3": {"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "xsave"},
        "v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    }
    assert tuple(level for level in X86 if needed[level] <= flags) == _cpu.RUNNABLE
