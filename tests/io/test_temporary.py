"""What killed processes leave behind, and files that two processes write."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dovetail.errors import DataError
from dovetail.io.files import atomic_write
from dovetail.io.temporary import _clean_once, lock, locked, remove_abandoned, temporary_beside

KILLED = """
import os, signal, sys
from dovetail.io.files import atomic_write
with atomic_write(sys.argv[1]) as file:
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_process_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "model"
    target.write_bytes(b"old")
    other = tmp_path / ".model.0123.part"  # of somebody else: not our pattern
    other.write_bytes(b"x")
    done = subprocess.run([sys.executable, "-c", KILLED, str(target)], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert target.read_bytes() == b"old"
    assert len([*tmp_path.iterdir()]) == 3
    _clean_once.cache_clear()  # as in a new process
    with atomic_write(target) as file:
        file.write(b"new")
    assert {path.name for path in tmp_path.iterdir()} == {"model", other.name}
    assert target.read_bytes() == b"new"


def test_a_file_that_is_being_written_is_not_taken_for_abandoned(tmp_path: Path) -> None:
    target = tmp_path / "model"
    with atomic_write(target) as first:
        first.write(b"first")
        with atomic_write(target) as second:
            second.write(b"second")
        assert target.read_bytes() == b"second"
    assert target.read_bytes() == b"first"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_names_as_long_as_a_folder_allows(tmp_path: Path) -> None:
    target = tmp_path / (255 * "m")
    with atomic_write(target) as file:
        file.write(b"x")
    assert target.read_bytes() == b"x"
    with pytest.raises(DataError, match="cannot write"), atomic_write(tmp_path / (256 * "m")):
        pass


def test_what_another_process_writes_is_not_removed(tmp_path: Path) -> None:
    with temporary_beside(tmp_path / "model", 0o600) as (file, temporary):
        assert temporary.stat().st_mode & 0o777 == 0o600
        with temporary.open("rb") as again:
            assert lock(again) is False
        remove_abandoned(tmp_path)
        assert temporary.exists()
        file.write(b"x")
    assert [*tmp_path.iterdir()] == []


def test_only_abandoned_files_are_removed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("x")
    (tmp_path / ".model.0123456789ab.part").write_text("x")
    link = tmp_path / ".link.0123456789ab.part"
    link.symlink_to(victim)
    folder = tmp_path / ".folder.0123456789ab.part"
    folder.mkdir()
    kept = [victim, link, folder, tmp_path / ".model.0123456789AB.part", tmp_path / "..part"]
    for path in kept[3:]:
        path.write_text("x")
    remove_abandoned(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted(kept)
    remove_abandoned(tmp_path / "no folder")


def test_an_open_file_is_kept_for_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "results"
    path.write_text("")
    with path.open() as one, path.open() as other:
        with locked(one):
            assert lock(other) is False
        assert lock(other) is True


def test_names_of_bytes_that_are_no_text(tmp_path: Path) -> None:
    target = tmp_path / "m\udcff\udcfe"
    with atomic_write(target) as file:
        file.write(b"x")
    assert [*tmp_path.iterdir()] == [target]


def test_no_descriptors_are_left_open(tmp_path: Path) -> None:
    before = len([*Path("/proc/self/fd").iterdir()])
    for number in range(20):
        with atomic_write(tmp_path / str(number)) as file:
            file.write(b"x")
    assert len([*Path("/proc/self/fd").iterdir()]) == before
