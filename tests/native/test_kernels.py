"""The kernels themselves: the same bits for every CPU, and vector code at every level.

They are compiled here a second time, without Python. ``kernels.txt`` has a checksum of every
result, which any CPU with a fused multiply-add must find again. After a change of a kernel that is
meant to change bits, write it anew with ``python tests/native/test_kernels.py``.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from dovetail._native import _cpu

HERE = Path(__file__).parent
NATIVE = HERE.parents[1] / "native"
EXPECTED = HERE / "kernels.txt"
FLAGS = "-std=c++20 -fno-math-errno -fno-trapping-math -ffp-contract=off -Wno-psabi -pthread"
FUSED = ("v3", "v4", "neon")
ARITHMETIC = r"v?(add|sub|mul|max|min|fn?m(add|sub)\d+)"


def compile_with(compiler: str | None, level: str, source: str, *options: str) -> None:
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    cpu = [] if level == "neon" else [f"-march=x86-64-{level}"]
    command = [compiler, *FLAGS.split(), f"-I{NATIVE}", *cpu, *options, str(HERE / source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def checksums(
    folder: Path, level: str, compiler: str | None, run: tuple[str, ...] = (), *options: str
) -> list[str]:
    program = folder / "kernels"
    compile_with(compiler, level, "kernels.cpp", "-O1", "-o", str(program), *options)
    done = subprocess.run([*run, str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def here() -> str | None:
    return shutil.which(os.environ.get("CXX", "c++"))


@pytest.mark.parametrize("level", FUSED)
def test_every_kernel_finds_the_same_bits(level: str, tmp_path: Path) -> None:
    if level not in _cpu.RUNNABLE:
        pytest.skip(f"this CPU cannot run the level {level}")
    assert checksums(tmp_path, level, here()) == EXPECTED.read_text().splitlines()


def test_every_kernel_finds_the_same_bits_on_another_architecture(tmp_path: Path) -> None:
    compiler, emulator = shutil.which("aarch64-linux-gnu-g++"), shutil.which("qemu-aarch64")
    if compiler is None or emulator is None:
        pytest.skip("needs a cross compiler and an emulator: g++-aarch64-linux-gnu and qemu-user")
    found = checksums(tmp_path, "neon", compiler, (emulator,), "-static")
    assert found == EXPECTED.read_text().splitlines()


@pytest.mark.parametrize("level", ["v2", "v3", "v4"])
def test_hot_loops_are_made_of_whole_vectors(level: str, tmp_path: Path) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("reads assembly of x86-64")
    compile_with(here(), level, "hot.cpp", "-O3", "-S", "-o", str(tmp_path / "hot.s"))
    text = (tmp_path / "hot.s").read_text()
    functions = re.findall(r"^(\w+):\n(.*?)\.cfi_endproc", text, re.MULTILINE | re.DOTALL)
    assert len(functions) == 8
    register = {"v2": "xmm", "v3": "ymm", "v4": "[yz]mm"}[level]
    for name, body in functions:
        lines = [line.strip() for line in body.splitlines()]
        packed = [line for line in lines if re.match(ARITHMETIC + r"p[sd]\b", line)]
        scalar = [line for line in lines if re.match(ARITHMETIC + r"s[sd]\b", line)]
        narrow = [line for line in packed if not re.search(f"%{register}", line)]
        reloaded = [line for line in lines if re.search(r"\(%r[sb]p[^,]*\), .*%[yz]mm", line)]
        assert packed, name
        assert not scalar, name
        assert not narrow, name
        assert not reloaded, f"{name} keeps vectors in memory"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        level = next(level for level in reversed(_cpu.RUNNABLE) if level in FUSED)
        EXPECTED.write_text("\n".join(checksums(Path(folder), level, here())) + "\n")
    sys.stdout.write(f"{EXPECTED} written\n")
