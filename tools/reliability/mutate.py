"""``make mutate NAME=io``: are mistakes in a package seen by its tests and examples?

Mistakes are made one at a time, in memory: no file is changed. Each is met by the tests that come
past its line, the quickest first, in a process of its own, and in a folder of its own: code with a
mistake in it may take any word for the name of a file that it is to write, and any file for one
that it may replace. So root, who may replace devices too, has these and the source read-only.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis  # noqa: F401 - so that no process has to
import numpy  # noqa: F401
import pytest

from tools.reliability.mutants import find_mutants, mutated
from tools.reliability.trials import KILLED, PYTEST, ROOT, SURVIVED, Chosen, in_child, tell

SOURCE = ROOT / "src" / "dovetail"
PATIENCE = 20.0  # seconds that tests may take beyond ten times what they took before
# Tests of other folders that are there for what a package promises.
ELSEWHERE = {
    "io": ("tests/chain/test_hostile_models.py", "tests/corpus/test_shards.py"),
    "corpus": ("tests/cli/test_convert.py", "tests/representation/test_consistency.py"),
    "evaluate": ("tests/cli/test_eval.py",),
}


class Reached(NamedTuple):
    """What tests come past."""

    lines: dict[str, list[str]]  # the tests that run a line, called file:number
    seconds: dict[str, float]


class Candidate(NamedTuple):
    path: Path
    number: int
    line: int
    what: str

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(SOURCE)}:{self.line}"


class Tracer:
    """A plugin of pytest that notes the lines of a package that each test runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder) + os.sep
        self.seen: set[tuple[str, int]] = set()
        self.lines: dict[str, list[str]] = defaultdict(list)
        self.seconds: dict[str, float] = {}

    def _enter(self, frame: Any, event: str, _: Any) -> Any:
        if event == "call" and frame.f_code.co_filename.startswith(self.folder):
            return self._note
        return None

    def _note(self, frame: Any, event: str, _: Any) -> Any:
        if event == "line":
            self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self._note

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.seen.clear()
        start = time.monotonic()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            self.seconds[item.nodeid] = time.monotonic() - start
            for name, number in self.seen:
                self.lines[f"{name}:{number}"].append(item.nodeid)
                self.lines[name].append(item.nodeid)

    def reached(self) -> Reached:
        lines = {place: list(dict.fromkeys(tests)) for place, tests in self.lines.items()}
        return Reached(lines, self.seconds)


class MutantFinder(importlib.abc.MetaPathFinder):
    """Finds one module with a mistake in it, and no other."""

    def __init__(self, candidate: Candidate) -> None:
        self.candidate = candidate
        parts = candidate.path.relative_to(SOURCE.parent).with_suffix("").parts
        self.name = ".".join(parts).removesuffix(".__init__")

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:  # noqa: ARG002
        if name != self.name:
            return None
        loader = _MutantLoader(name, self.candidate)
        return importlib.util.spec_from_file_location(name, self.candidate.path, loader=loader)


class _MutantLoader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, candidate: Candidate) -> None:
        super().__init__(name, str(candidate.path))
        self.candidate = candidate

    def get_code(self, fullname: str) -> Any:  # noqa: ARG002
        tree, _ = mutated(self.candidate.path, self.candidate.number)
        return compile(tree, str(self.candidate.path), "exec")


def trace_tests(package: Path, tests: Sequence[str], folder: Path) -> Reached:
    """Run the tests once, and note what they come past."""
    told = folder / "reached.json"

    def work() -> int:
        tracer = Tracer(package)
        code = pytest.main([*PYTEST, *(f"{ROOT}/{test}" for test in tests)], [tracer])
        told.write_text(json.dumps(tracer.reached()))
        return int(code)

    code = in_child(work, 3600)
    if code:
        raise SystemExit(f"the tests {' '.join(tests)} fail as it is (exit code {code})")
    return Reached(*json.loads(told.read_text()))


def try_mutant(candidate: Candidate, reached: Reached) -> int:
    """Whether any test that comes past its line fails."""
    path = str(candidate.path)
    tests = reached.lines.get(f"{path}:{candidate.line}", [])
    if not tests and not _is_in_function(candidate):
        own = f"/test_{candidate.path.stem}.py::"  # these may come past names alone
        mirrored = (test for test in reached.seconds if own in test)
        tests = [*dict.fromkeys([*reached.lines.get(path, []), *mirrored])]
    if not tests:
        return SURVIVED
    tests = sorted(tests, key=reached.seconds.__getitem__)
    files = list(dict.fromkeys(f"{ROOT}/{test.partition('::')[0]}" for test in tests))

    def work() -> int:
        sys.meta_path.insert(0, MutantFinder(candidate))
        return int(pytest.main([*PYTEST, "-x", *files], [Chosen(tests)]))

    allowed = 10 * sum(reached.seconds[test] for test in tests) + PATIENCE
    return KILLED if in_child(work, allowed) else SURVIVED


def _is_in_function(candidate: Candidate) -> bool:
    """Code outside of functions runs when a module is imported, before any test."""
    tree = ast.parse(candidate.path.read_text(encoding="utf-8"))
    return any(
        isinstance(node, ast.FunctionDef)
        and node.body[0].lineno <= candidate.line <= (node.end_lineno or 0)
        for node in ast.walk(tree)
    )


def all_candidates(package: Path) -> list[Candidate]:
    """Every mistake that can be made in a package, or in one module."""
    files = [package] if package.is_file() else sorted(package.rglob("*.py"))
    return [
        Candidate(path, number, mutant.line, mutant.what)
        for path in files
        for number, mutant in enumerate(find_mutants(ast.parse(path.read_text(encoding="utf-8"))))
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", help="below src/dovetail, such as io or corpus/conll.py")
    parser.add_argument("--tests", nargs="+", help="instead of its own and its examples")
    parser.add_argument("--sample", type=int, default=150, help="of the mistakes; 0: all of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.0, help="fail below this share of killed")
    options = parser.parse_args()
    os.chdir(ROOT)
    package = SOURCE / options.package
    name = Path(options.package).parts[0]
    mirrored = [f"tests/{name}", f"src/dovetail/{name}", *ELSEWHERE.get(name, ())]
    candidates = all_candidates(package)
    chosen = candidates
    if 0 < options.sample < len(candidates):
        chosen = sorted(random.Random(options.seed).sample(candidates, options.sample))
    folder = package if package.is_dir() else package.parent
    with tempfile.TemporaryDirectory() as made:
        reached = trace_tests(folder, options.tests or mirrored, Path(made))
    survivors = []
    for candidate in chosen:
        if try_mutant(candidate, reached) == SURVIVED:
            survivors.append(candidate)
            print(f"survived: {candidate.place}: {candidate.what}", flush=True)
    killed = len(chosen) - len(survivors)
    drawn = f"{len(candidates)} with seed {options.seed}"
    share = tell(options.package, killed, len(chosen), drawn)
    return int(share < options.least)


if __name__ == "__main__":
    sys.exit(main())
