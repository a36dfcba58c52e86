"""What killed processes leave behind, and files that two processes write."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dovetail.errors import DataError
from dovetail.io.files import atomic_write
from dovetail.io.temporary import _clean_once

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
