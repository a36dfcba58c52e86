"""Mistakes in C++ text: each is chosen when the program runs, and all are in one build."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tools.reliability.native.build import Candidate, blame
from tools.reliability.native.mutants import find_mutants, with_mutants

HEADER = Path(__file__).parents[2] / "tools" / "reliability" / "native" / "mutants.hpp"
PROGRAM = """\
#include <cstdio>
#include <vector>
#if 0
int nowhere() { return 1 + 1; }
#endif
template <class T> T largest(const std::vector<T>& all) {
    T high = 0;
    for (T one : all) high = std::max(high, one);
    return high;
}
int below(int limit) {
    int sum = 0;
    for (int k = 0; k < limit; ++k) {
        if (k % 2 == 0 && k > 0) continue;
        sum += k * 10 + 1;  // 3 < 4
    }
    return sum;
}
int main() {
    constexpr int size = 3;
    std::vector<int> values{size, 5};
    values.push_back(below(5));
    if (values.empty()) return 1;
    std::printf("%d", largest(values));
}
"""
# What the program says with each mistake in it; without any it is 43.
EXPECTED = [
    (7, "another 0", "43"),
    (8, "without high = std::max(high, one)", "0"),
    (8, "max -> min", "0"),
    (12, "another 0", "44"),
    (13, "another 0", "42"),
    (13, "< -> <=", "94"),
    (14, "if turned", "62"),
    (14, "% -> *", "105"),
    (14, "another 2", "74"),
    (14, "== -> !=", "63"),
    (14, "another 0", "63"),
    (14, "without what follows &&", "42"),
    (14, "> -> >=", "42"),
    (14, "another 0", "43"),
    (14, "without continue", "105"),
    (15, "without sum += k * 10 + 1", "5"),
    (15, "+= turned", "5"),
    (15, "* -> +", "37"),
    (15, "another 10", "47"),
    (15, "+ -> -", "37"),
    (15, "another 1", "46"),
    (21, "another 5", "43"),
    (22, "without values.push_back(below(5))", "5"),
    (22, "another 5", "94"),
    (23, "if turned", ""),
    (23, "another 1", "43"),
    (24, 'without std::printf("%d", largest(values))', ""),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    folder = tmp_path_factory.mktemp("program")
    text = with_mutants(PROGRAM, dict(enumerate(find_mutants(PROGRAM))))
    (folder / "program.cpp").write_text(f'#include "{HEADER}"\n{text}')
    command = [compiler, "-std=c++20", "-w", "-o", str(folder / "run"), str(folder / "program.cpp")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "run"


def said(program: Path, **environment: str) -> str:
    return subprocess.run([program], env=environment, capture_output=True, text=True).stdout


def test_each_mistake_is_made_when_it_is_chosen_and_no_other(program: Path) -> None:
    assert said(program) == "43"
    found = [
        (mutant.line, mutant.what, said(program, DOVETAIL_MUTANT=str(number)))
        for number, mutant in enumerate(find_mutants(PROGRAM))
    ]
    assert found == EXPECTED


def test_mistakes_that_are_come_past_are_noted(program: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.write_bytes(bytes(4096))
    said(program, DOVETAIL_MUTANTS_SEEN=str(seen))
    found = [n for n, byte in enumerate(seen.read_bytes()) if byte]
    mutants = find_mutants(PROGRAM)
    missed = [mutants[n].line for n in range(len(mutants)) if n not in found]
    assert missed == [23]  # the code that the program would end with


def test_what_does_not_compile_is_known_by_its_number_or_its_line() -> None:
    one, *_, last = (Candidate(Path("native/a.hpp"), mutant) for mutant in find_mutants(PROGRAM))
    kept = {3: one, 7: last}
    assert blame("native/b.hpp:1:2: error: in mutants::other<7>(0)", kept) == {7}
    assert blame("note: x\nnative/a.hpp:7:9: error: no\nnative/a.hpp:23:1: note: y", kept) == {3}
    assert blame("native/b.hpp:7:9: error: no", kept) == set()
