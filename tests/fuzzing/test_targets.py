"""What the fuzzer attacks: a slice of it on every run, and all that it has ever found."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzzing.mutators import MUTATORS
from fuzzing.plain import altered
from fuzzing.targets import TARGETS

FINDINGS = Path(__file__).parent / "findings"
SLICE = 150


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("name", TARGETS)
def test_what_we_begin_with_can_be_read(name: str) -> None:
    seeds = list(TARGETS[name].seeds())
    assert seeds
    for seed in seeds:
        assert len(seed) <= TARGETS[name].longest
        assert TARGETS[name].survives(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_altered_files_are_read_or_refused(name: str) -> None:
    """Any other exception fails the test; some are read and some refused, or nothing is tested."""
    target = TARGETS[name]
    seeds, alter = list(target.seeds()), MUTATORS[target.mutator]
    read = [
        target.survives(alter(seeds[number % len(seeds)], target.longest, number))
        for number in range(SLICE)
    ]
    assert any(read)
    assert name == "text" or not all(read)


def test_plain_inputs_are_numbered() -> None:
    """Whoever starts at another number tries other inputs, and the same number is the same."""
    target = TARGETS["conll"]
    alter, again = altered(target, list(target.seeds())), altered(target, list(target.seeds()))
    assert [alter(n) for n in range(5_000, 5_050)] == [again(n) for n in range(5_000, 5_050)]
    assert len({alter(n) for n in (*range(25), *range(5_000, 5_025))}) > 40


@pytest.mark.parametrize("path", sorted(FINDINGS.iterdir()), ids=lambda path: path.name)
def test_findings_are_mended(path: Path) -> None:
    """Files called as their target, a dash and anything."""
    name = next(name for name in TARGETS if path.name.startswith(f"{name}-"))
    TARGETS[name].survives(path.read_bytes())
