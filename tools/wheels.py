"""Builds what is uploaded: a source distribution, and wheels for Linux with all CPU levels.

No container is needed: Zig, a package of PyPI, compiles against an old glibc, and for musl and
other processors too. There is a wheel for Python 3.11 and one of the stable ABI for all later ones,
if interpreters for them are here. auditwheel and abi3audit check what comes out.

    python tools/wheels.py [--out dist] [TARGET ...]
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
MOST_BYTES = 8_000_000
X86, ARM = "v2;v3;v4", "neon"


class Target(NamedTuple):
    """What to compile for: Zig's name of it, the wheel's, and the CPU levels."""

    zig: str
    tag: str
    levels: str

    @property
    def machine(self) -> str:
        return self.zig.partition("-")[0]

    @property
    def runs_here(self) -> bool:
        return self.machine == platform.machine() and ("musl" in self.zig) == is_musl()


TARGETS = {
    target.tag: target
    for target in (
        Target("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", X86),
        Target("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", ARM),
        Target("x86_64-linux-musl", "musllinux_1_2_x86_64", X86),
        Target("aarch64-linux-musl", "musllinux_1_2_aarch64", ARM),
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(TARGETS)}")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    options = parser.parse_args()
    unknown = [name for name in options.targets if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target {unknown[0]}")
    sdist = source_distribution(options.out)
    for name in options.targets or ["manylinux_2_17_x86_64"]:
        for python in pythons():
            wheel = build(sdist, python, TARGETS[name], options.out)
            check(wheel)
    for file in sorted(options.out.iterdir()):
        print(f"{file.stat().st_size / 1e6:6.2f} MB  {file.name}")


def source_distribution(out: Path) -> Path:
    run(sys.executable, "-m", "build", "--sdist", "--outdir", out, ROOT)
    return max(out.glob("*.tar.gz"), key=lambda file: file.stat().st_mtime)


def pythons() -> list[Path]:
    """An interpreter for a wheel of 3.11, and one for the stable ABI, which begins with 3.12."""
    found = {minor: python for minor in range(11, 16) if (python := interpreter(minor))}
    later = [minor for minor in found if minor > 11]
    for wanted, here in (("3.11", 11 in found), ("3.12 or later", bool(later))):
        if not here:
            print(f"no Python {wanted} was found: there will be no wheel for it", file=sys.stderr)
    return [found[minor] for minor in [*filter(found.get, [11]), *later[:1]]]


def interpreter(minor: int) -> Path | None:
    """CPython 3.``minor`` on the path, or among those that pyenv has installed."""
    name = f"python3.{minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    on_path = [Path(found)] if (found := shutil.which(name)) else []
    for python in [*sorted(pyenv.glob(f"3.{minor}.*/bin/{name}")), *on_path]:
        ask = [python, "-c", "import sys, pip; print(sys.version_info[1])"]
        answer = subprocess.run(ask, capture_output=True, text=True, check=False)
        if answer.stdout.strip() == str(minor):
            return python
    return None


def build(sdist: Path, python: Path, target: Target, out: Path) -> Path:
    """A wheel of the source distribution, compiled by Zig and named for the target."""
    print(f"building for {target.tag} with {python.name}", flush=True)
    environment = {
        "CMAKE_TOOLCHAIN_FILE": str(ROOT / "cmake" / "zig.cmake"),
        "DOVETAIL_ZIG": str(zig()),
        "DOVETAIL_TARGET": target.zig,
        "ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build" / "zig-cache"),
    }
    settings = [f"cmake.define.DOVETAIL_LEVELS={target.levels}"]
    if not target.runs_here:
        libc = "musl" if "musl" in target.zig else "gnu"
        soabi = f"cpython-3{python.name.partition('.')[2]}-{target.machine}-linux-{libc}"
        environment["SETUPTOOLS_EXT_SUFFIX"] = f".{soabi}.so"
        settings += ["cmake.define.CMAKE_SYSTEM_NAME=Linux",
                     f"cmake.define.CMAKE_SYSTEM_PROCESSOR={target.machine}"]  # fmt: skip
    options = [part for setting in settings for part in ("--config-settings", setting)]
    with tempfile.TemporaryDirectory() as folder:
        run(python, "-m", "pip", "-q", "wheel", "--no-deps", "--wheel-dir", folder, *options, sdist,
            **environment)  # fmt: skip
        (made,) = Path(folder).glob("*.whl")
        return named(made, target, out)


def zig() -> Path:
    """The compiler itself: a build in isolation could not say ``python -m ziglang``."""
    import ziglang

    return Path(ziglang.__file__).with_name("zig")


def named(wheel: Path, target: Target, out: Path) -> Path:
    """The wheel under the name of its platform, in ``out``."""
    tags = ["-m", "wheel", "tags", "--remove", "--platform-tag"]
    run(sys.executable, *tags, f"linux_{target.machine}", wheel)
    (plain,) = wheel.parent.glob("*.whl")
    repaired = wheel.parent / "repaired"
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", target.tag, "-w", repaired, plain)
    (made,) = repaired.glob("*.whl")
    return Path(shutil.move(made, out / made.name))


def check(wheel: Path) -> None:
    """Is it of the stable ABI if it says so, and small enough?"""
    if "-abi3-" in wheel.name:
        run(sys.executable, "-m", "abi3audit", "--strict", "--summary", wheel)
    if wheel.stat().st_size > MOST_BYTES:
        sys.exit(f"{wheel.name} has {wheel.stat().st_size:,} bytes, more than {MOST_BYTES:,}")


def run(*command: object, **environment: str) -> None:
    """Run a program with these variables, and with the tools beside this Python on its path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {**os.environ, "PATH": path, **environment}
    done = subprocess.run([str(part) for part in command], env=variables, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(str(part) for part in command)} failed")


def is_musl() -> bool:
    return "musl" in (sysconfig.get_config_var("SOABI") or "")


if __name__ == "__main__":
    main()
