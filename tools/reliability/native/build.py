"""A build of the native code with many mistakes in it, each to be chosen when it runs."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from tools.reliability.native.mutants import Mutant, find_mutants, with_mutants
from tools.reliability.trials import ROOT

FOLDER = ROOT / "build" / "mutants"
SOURCE, OBJECTS, SITE = FOLDER / "source", FOLDER / "objects", FOLDER / "site"
# What chooses the kernels is no part of them.
LEFT_OUT = ROOT / "native" / "cpu"
MOST = 4096  # mistakes in a build, as in mutants.hpp
FLAGS = ("-O2", "-w", "-Wno-narrowing")


class Candidate(NamedTuple):
    path: Path  # below the root
    mutant: Mutant

    @property
    def what(self) -> str:
        line = (ROOT / self.path).read_text(encoding="utf-8").splitlines()[self.mutant.line - 1]
        return f"{self.path}:{self.mutant.line}: {self.mutant.what:.70}: {line.strip()}"


def all_candidates(part: Path) -> list[Candidate]:
    """Every mistake that can be made in a folder or file of the native code."""
    files = [part] if part.is_file() else sorted([*part.rglob("*.hpp"), *part.rglob("*.cpp")])
    return [
        Candidate(path.relative_to(ROOT), mutant)
        for path in files
        if LEFT_OUT not in path.parents
        for mutant in find_mutants(path.read_text(encoding="utf-8"))
    ]


def build(candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """Build and install what compiles with these mistakes in it; they are numbered."""
    kept = dict(enumerate(candidates))
    shutil.rmtree(SOURCE, ignore_errors=True)
    write_source(kept)
    configure()
    commands = json.loads((OBJECTS / "compile_commands.json").read_text(encoding="utf-8"))
    own = [one["command"] for one in commands if one["file"].startswith(str(SOURCE / "native"))]
    while own:  # those that do not compile as yet
        failures = [(command, told) for command in own if (told := why_not(command))]
        blamed = {n for _, told in failures for n in blame(told, kept)}
        if failures and not blamed:
            raise SystemExit(f"the native code does not compile:\n{failures[0][1][:4000]}")
        kept = {n: candidate for n, candidate in kept.items() if n not in blamed}
        write_source(kept)
        own = [command for command, _ in failures]
    run("cmake", "--build", str(OBJECTS), "--parallel", "1")
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "dovetail", SITE / "dovetail")
    run("cmake", "--install", str(OBJECTS), "--prefix", str(SITE))
    return kept


def write_source(kept: Mapping[int, Candidate]) -> None:
    """A copy of the native code with mistakes in it."""
    numbered: dict[Path, dict[int, Mutant]] = defaultdict(dict)
    for n, candidate in kept.items():
        numbered[candidate.path][n] = candidate.mutant
    header = Path(__file__).with_name("mutants.hpp")
    for path in [ROOT / "CMakeLists.txt", header, *(ROOT / "native").rglob("*.?pp")]:
        text = path.read_text(encoding="utf-8")
        below = path.relative_to(ROOT) if path != header else Path("native", header.name)
        if below in numbered:
            text = f'#include "{header.name}"\n#line 1\n{with_mutants(text, numbered[below])}'
        copy = SOURCE / below
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() or copy.read_text(encoding="utf-8") != text:
            copy.write_text(text, encoding="utf-8")


def configure() -> None:
    options = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    given = (f"-DPython_EXECUTABLE={sys.executable}", f"-DDOVETAIL_FLAGS={';'.join(FLAGS)}")
    run("cmake", "-S", str(SOURCE), "-B", str(OBJECTS), *options, *given)


def run(*command: str) -> None:
    scripts = Path(sys.executable).parent  # of the virtual environment
    environment = {"PATH": f"{scripts}:/usr/local/bin:/usr/bin:/bin"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(command)} failed:\n{(done.stdout + done.stderr)[-4000:]}")


def why_not(command: str) -> str:
    """What the compiler says against it; nothing if it compiles."""
    done = subprocess.run(
        [*shlex.split(command), "-fsyntax-only"],
        cwd=OBJECTS, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stderr if done.returncode else ""


def blame(told: str, kept: Mapping[int, Candidate]) -> set[int]:
    """The mistakes that the compiler names, or those of the lines where it finds something."""
    named = {int(n) for n in re.findall(r"mutants::\w+<(\d+)", told)} & set(kept)
    errors = "\n".join(line for line in told.splitlines() if ": error: " in line)
    for text in (errors, told):
        places = re.findall(r"(native/[\w/]+\.[ch]pp):(\d+)", text)
        lines = {(Path(path), int(line)) for path, line in places}
        there = {n for n, one in kept.items() if (one.path, one.mutant.line) in lines}
        if there or named:
            return there | named
    return set()
