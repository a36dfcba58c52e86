"""Gzip that grows without bounds, and lines without an end."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from dovetail.errors import DataError
from dovetail.io import bounded
from dovetail.io.files import open_bytes, open_text
from dovetail.limits import limits


def test_gzip_that_grows_a_thousandfold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "FREE", 1_000_000)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(bytes(50_000_000)))
    pieces: list[bytes] = []
    message = r"200 times its size.*DOVETAIL_EXPANSION"
    with pytest.raises(DataError, match=message), open_bytes(path) as file:
        pieces.extend(iter(lambda: file.read(1 << 16), b""))
    assert sum(map(len, pieces)) < 12_000_000
    monkeypatch.setattr(limits, "expansion", 2000)
    with open_bytes(path) as file:
        assert len(file.read()) == 50_000_000


def test_a_line_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "line_bytes", 1_000_000)
    path = tmp_path / "line.txt"
    path.write_bytes(b"one\ntwo\n" + bytes(3_000_000))
    with (
        pytest.raises(DataError, match=r"line.txt:3 has more than 1,000,000 bytes in one line"),
        open_text(path) as file,
    ):
        list(file)
    path.write_text(5 * (900_000 * "a" + "\n"))
    with open_text(path) as file:
        assert [len(line) for line in file] == 5 * [900_001]


def test_plain_gzip_is_read_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress("héllo\nthere\n".encode()))
    with open_text(path) as file:
        assert file.read() == "héllo\nthere\n"
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(DataError, match="is not a whole gzip file"), open_text(path) as file:
        file.read()


def test_closing_closes_what_is_read_through(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(b"a\n" * 100_000))
    with path.open("rb") as raw:
        reader = bounded.Expanding(raw, "x")
        assert reader.read(3) == b"a\na"
        reader.close()
        assert reader.closed
        assert reader._plain.closed
    assert io.BufferedReader(bounded.Lines(io.BytesIO(b"a\nb"), "x")).read() == b"a\nb"


def test_limits_are_what_may_just_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "FREE", 1000)
    monkeypatch.setattr(limits, "expansion", 1)
    monkeypatch.setattr(limits, "line_bytes", 1000)
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(bytes(1000)))
    with open_text(path) as file:
        assert len(file.read()) == 1000
    path.write_bytes(gzip.compress(bytes(1001)))
    with pytest.raises(DataError, match="1 times its size"), open_text(path) as file:
        file.read()
    path = tmp_path / "text"
    path.write_bytes(bytes(1001))
    with (
        pytest.raises(DataError, match="text:1 has more than 1,000 bytes"),
        open_text(path) as file,
    ):
        file.read()
