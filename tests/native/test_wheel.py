"""A wheel as users get it: a fresh environment, no compiler, CPUs of every level."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from wheels import interpreter, is_musl

DEMO = Path(__file__).parents[2] / "src" / "dovetail" / "demo"  # the package is not installed here
FOLDER = os.environ.get("DOVETAIL_WHEELS")
QEMU = shutil.which("qemu-x86_64")
MACHINE = platform.machine()
LEVELS = {"x86_64": ["v2", "v3", "v4"], "aarch64": ["neon"]}
pytestmark = pytest.mark.skipif(
    not FOLDER, reason="make wheel makes wheels, and make test-wheel gives their folder"
)
emulated = pytest.mark.skipif(not QEMU or MACHINE != "x86_64", reason="needs qemu-x86_64")


@pytest.fixture(scope="module", params=[11, 12, 13, 14], ids=lambda minor: f"3.{minor}")
def python(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of a new environment that has the wheel, and what that needs, and no more."""
    base = interpreter(request.param)
    if base is None:
        pytest.skip(f"no Python 3.{request.param} here")
    abi = "cp311-cp311" if request.param == 11 else "cp312-abi3"
    libc = "musllinux" if is_musl() else "manylinux"
    wheels = list(Path(FOLDER or "").glob(f"dovetail-*-{abi}-{libc}*_{MACHINE}.whl"))
    if not wheels:
        pytest.skip(f"no wheel for {abi} in {FOLDER}")
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([base, "-m", "venv", folder], check=True)
    made = folder / "bin" / "python"
    newest = max(wheels, key=lambda file: file.stat().st_mtime)
    install = ["-m", "pip", "install", "-q", "--only-binary", ":all:", newest]
    subprocess.run([made, *install], check=True)
    return made


def call(
    python: Path, *arguments: object, cpu: str = "", level: str = ""
) -> subprocess.CompletedProcess[str]:
    """``dovetail`` with nothing else on the path, perhaps on another CPU."""
    script = "from dovetail.cli import main; main(prog_name='dovetail')"
    emulator = [str(QEMU), "-cpu", cpu] if cpu else []
    command = [*emulator, str(python), "-c", script, *(str(a) for a in arguments)]
    environment = {
        "PATH": str(python.parent),
        "DOVETAIL_CPU": level,
        "HOME": str(python.parents[1]),
    }
    return subprocess.run(
        command,
        env=environment,
        cwd=python.parent,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )


def trained(python: Path, folder: Path, **where: str) -> tuple[Path, str]:
    """A model of the demo's announcements, and what it makes of others."""
    model = folder / "m.dovetail"
    done = call(python, "train", DEMO / "few.conll", "--model", model, **where)
    assert done.returncode == 0, done.stderr
    return model, tagged(python, model, **where)


def tagged(python: Path, model: Path, **where: str) -> str:
    done = call(python, "tag", model, DEMO / "test.conll", **where)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_trains_and_tags_without_a_compiler(python: Path, tmp_path: Path) -> None:
    assert shutil.which("c++", path=str(python.parent)) is None
    model, labels = trained(python, tmp_path)
    assert "B-SPEAKER" in labels
    runnable = call(python, "--version").stdout.partition("level ")[2].strip(")\n")
    levels = LEVELS[MACHINE]
    for level in levels[: levels.index(runnable) + 1]:
        assert f"(CPU level {level})" in call(python, "--version", level=level).stdout
        assert tagged(python, model, level=level) == labels


def test_demo(python: Path, tmp_path: Path) -> None:
    if python.resolve().name not in ("python3.11", "python3.12"):
        pytest.skip("once for each wheel")
    command = [python, "-m", "dovetail.demo"]
    done = subprocess.run(
        command, env={"PATH": ""}, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "auto" in done.stdout


@emulated
@pytest.mark.parametrize(("cpu", "level"), [("Nehalem", "v2"), ("Haswell", "v3")])
def test_older_cpu(python: Path, tmp_path: Path, cpu: str, level: str) -> None:
    assert f"(CPU level {level})" in call(python, "--version", cpu=cpu).stdout
    higher = call(python, "--version", cpu=cpu, level="v4")
    assert higher.returncode == 1
    assert "DOVETAIL_CPU asks for level v4, but this CPU runs only v2" in higher.stderr
    if level == "v2":
        _, labels = trained(python, tmp_path, cpu=cpu)
        assert labels == trained(python, tmp_path, level="v2")[1]


@emulated
@pytest.mark.parametrize("cpu", ["core2duo", "qemu64"])
def test_too_old_cpu(python: Path, cpu: str) -> None:
    for arguments in (["--version"], ["tag", "a.dovetail"]):
        done = call(python, *arguments, cpu=cpu)
        assert done.returncode == 1
        assert done.stderr.splitlines()[-1].startswith("dovetail: this CPU is older than x86-64-v2")
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("package", ["serve", "studio"])
def test_pages_come_along(python: Path, package: str) -> None:
    listing = f"[f.name for f in resources.files('dovetail.{package}').joinpath('page').iterdir()]"
    script = f"from importlib import resources; print(*sorted({listing}))"
    done = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True)
    page = DEMO.parent / package / "page"
    assert done.stdout.split() == sorted(file.name for file in page.iterdir())


def test_labelling_page_in_a_browser(python: Path) -> None:
    """The browser tests, with the studio of the wheel."""
    if python.resolve().name not in ("python3.11", "python3.12"):
        pytest.skip("once for each wheel")
    extra = ["starlette>=0.47", "uvicorn>=0.30", "httptools>=0.6"]
    subprocess.run([python, "-m", "pip", "install", "-q", *extra], check=True)
    tests = Path(__file__).parents[1] / "studio" / "browser"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        tests,
        "--confcutdir",
        tests,
    ]
    done = subprocess.run(
        command,
        env={**os.environ, "DOVETAIL_PYTHON": str(python)},
        cwd=tests.parents[2],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]
