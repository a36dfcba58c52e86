"""Parts of a corpus that stay open from one round to the next."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dovetail.errors import DataError
from dovetail.io import open_parts
from dovetail.io.open_parts import OpenParts


class Part:
    size = 10

    def __init__(self, folder: str, number: int, *, check: bool) -> None:
        self.number = number
        opened.append((Path(folder).name, number, check))


opened: list[tuple[str, int, bool]] = []


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenParts[Part]:
    opened.clear()
    monkeypatch.setattr(open_parts, "STAY_OPEN", 30)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for number in range(5):
            (tmp_path / folder / str(number)).touch()
    return OpenParts(lambda folder, number: Path(folder) / str(number), Part)


def test_those_that_came_first_stay_open_and_each_is_checked_once(
    parts: OpenParts[Part], tmp_path: Path
) -> None:
    for _ in range(3):
        assert [parts.get(str(tmp_path / "a"), k).number for k in range(5)] == list(range(5))
    again = [("a", 3, False), ("a", 4, False)]
    assert opened == [*(("a", k, True) for k in range(5)), *again, *again]


def test_parts_of_another_folder_take_their_place(parts: OpenParts[Part], tmp_path: Path) -> None:
    for folder in ("a", "b", "b"):
        for number in range(3):
            parts.get(str(tmp_path / folder), number)
    assert opened == [(folder, k, True) for folder in "ab" for k in range(3)]
    parts.close(str(tmp_path / "b"))
    parts.get(str(tmp_path / "b"), 0)
    assert opened[-1] == ("b", 0, False)


def test_one_part_stays_open_however_large_it_is(
    parts: OpenParts[Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_parts, "STAY_OPEN", 5)
    for _ in range(2):
        assert parts.get(str(tmp_path / "a"), 0).number == 0
    assert opened == [("a", 0, True)]


def test_a_file_that_has_changed_is_checked_again(parts: OpenParts[Part], tmp_path: Path) -> None:
    folder = str(tmp_path / "a")
    parts.get(folder, 0)
    os.utime(tmp_path / "a" / "0", ns=(1, 1))
    parts.get(folder, 0)
    assert opened == [("a", 0, True)] * 2


def test_a_part_that_is_missing_is_named(parts: OpenParts[Part], tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"part 7 of the corpus cannot be read: .*all workers"):
        parts.get(str(tmp_path / "a"), 7)
