"""The same bits everywhere: one of each is trained under other libraries' choices of code for other
CPUs, at our own CPU levels, and on other numbers of threads."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from dovetail import Pipeline, Tagger, read
from dovetail._native import _cpu
from dovetail.demo import path

EVERYTHING = Path(__file__).with_name("everything.py")
KERNELS = {  # of OpenBLAS, and what a CPU needs for them
    "Prescott": "SSE3",
    "Nehalem": "SSE42",
    "Sandybridge": "AVX",
    "Haswell": "AVX2",
    "SkylakeX": "AVX512_SKX",
}
WIDE = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]  # what NumPy would use
FUSED = ("v3", "v4", "neon")


def digests(threads: int = 2, **environment: str) -> dict[str, str]:
    """Of all results, from a process of its own."""
    done = subprocess.run(
        [sys.executable, EVERYTHING, str(threads)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="session")
def usual() -> dict[str, str]:
    return digests()


def differing(usual: dict[str, str], other: dict[str, str]) -> list[str]:
    assert usual.keys() == other.keys()
    return [name for name, digest in usual.items() if other[name] != digest]


@pytest.mark.parametrize("threads", [1, 4])
def test_on_any_number_of_threads(threads: int, usual: dict[str, str]) -> None:
    assert not differing(usual, digests(threads))


@pytest.mark.parametrize("kernel", KERNELS)
def test_with_any_kernels_of_openblas(kernel: str, usual: dict[str, str]) -> None:
    if not __cpu_features__.get(KERNELS[kernel]):
        pytest.skip(f"this CPU cannot run OpenBLAS's kernels for {kernel}")
    assert not differing(usual, digests(OPENBLAS_CORETYPE=kernel))


@pytest.mark.parametrize("kept", range(len(WIDE)) or [0])
def test_with_any_features_of_numpy(kept: int, usual: dict[str, str]) -> None:
    if not WIDE:
        pytest.skip("NumPy has no code for other CPUs than the plainest that this one could run")
    assert not differing(usual, digests(NPY_DISABLE_CPU_FEATURES=" ".join(WIDE[kept:])))


def test_without_fused_operations_in_the_c_library(usual: dict[str, str]) -> None:
    if platform.libc_ver()[0] != "glibc" or platform.machine() != "x86_64":
        pytest.skip("only glibc on x86-64 can be told what to leave out")
    assert not differing(usual, digests(GLIBC_TUNABLES="glibc.cpu.hwcaps=-FMA,-FMA4,-AVX2"))


@pytest.mark.parametrize("level", FUSED)
def test_at_any_level_with_fused_operations(level: str, usual: dict[str, str]) -> None:
    _check_level(level)
    assert not differing(usual, digests(DOVETAIL_CPU=level))


def test_the_same_labels_without_fused_operations(tmp_path: Path) -> None:
    """One model, read at two levels: scores differ in the last bits, labels do not."""
    _check_level("v2")
    train, news = read(path("few.conll")), read(path("news.conll"))[:150]
    words = tmp_path / "words.conll"
    words.write_text("\n\n".join("\n".join(s) for s in read(path("test.conll")).lists("word")))
    taggers = {"ner": Tagger(c2=0.1), "fields": Tagger(c2=0.1)}
    Tagger(c2=0.1).fit(train).save(tmp_path / "one")
    Pipeline(taggers).fit({"ner": news, "fields": train}).save(tmp_path / "joint")
    for model in ("one", "joint"):
        command = [sys.executable, "-c", "from dovetail.cli import main; main()"]
        command += ["tag", tmp_path / model, words, "--format", "conll", "--columns", "word"]
        at = [
            subprocess.run(command, env=os.environ | level, capture_output=True, check=True).stdout
            for level in ({}, {"DOVETAIL_CPU": "v2"})
        ]
        assert len(at[0]) > 1000
        assert at[0] == at[1]


def _check_level(level: str) -> None:
    if level not in _cpu.BUILT:
        pytest.skip(f"this build has no kernels for the CPU level {level}")
    if level not in _cpu.RUNNABLE:
        pytest.skip(f"this CPU cannot run the level {level}")
