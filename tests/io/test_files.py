from __future__ import annotations

import gc
import gzip
import io
import os
import threading
from pathlib import Path

import pytest

from dovetail.errors import DataError
from dovetail.io.files import atomic_write, check_writable, open_text, write_text


def test_text_is_read_without_mark_and_with_any_line_end(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\n")
    with open_text(path) as file:
        assert list(file) == ["one\n", "two\n"]


def test_malformed_bytes_are_reported_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\n" * 5000 + b"b\xffd\n")
    with pytest.raises(DataError, match=r"a\.txt:5001 is not UTF-8 \(byte 0xff"):  # noqa: SIM117
        with open_text(path) as file:
            list(file)


def test_malformed_bytes_in_a_pipe_are_reported_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"good\nb\xffd\n",))
    writer.start()
    with pytest.raises(DataError, match=r"pipe is not UTF-8 \(byte 0xff"):  # noqa: SIM117
        with open_text(path) as file:
            list(file)
    writer.join()


@pytest.mark.parametrize(
    "damage", [lambda b: b[:-12], lambda _: b"plain", lambda b: b[:10] + b"x" * 9]
)
def test_damaged_gzip_is_refused(tmp_path: Path, damage) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(damage(gzip.compress(b"hello " * 1000)))
    with pytest.raises(DataError, match="gzip"):  # noqa: SIM117
        with open_text(path) as file:
            file.read()


def test_missing_file_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(DataError, match=r"cannot read .*nothing.*No such file"),
        open_text(tmp_path / "nothing"),
    ):
        pass


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_written_text_reads_back(tmp_path: Path, name: str) -> None:
    with write_text(tmp_path / name) as file:
        file.write("Käse\n")
    with open_text(tmp_path / name) as file:
        assert file.read() == "Käse\n"
    assert os.listdir(tmp_path) == [name]


def test_compressed_bytes_do_not_depend_on_the_name(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with write_text(tmp_path / name) as file:
            file.write("text\n")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"text\n"


def test_same_text_gives_same_compressed_bytes(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with write_text(tmp_path / name) as file:
            file.write("x")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_permissions_are_those_of_new_files_or_of_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = os.umask(0o027)
    try:
        monkeypatch.delattr(os, "umask")  # other threads may be making files
        for name, mode in (("new", None), ("secret", 0o600), ("shared", 0o666)):
            path = tmp_path / name
            if mode is not None:
                path.touch()
                path.chmod(mode)
            with atomic_write(path) as file:
                (temporary,) = tmp_path.glob(f".{name}.*")
                assert temporary.stat().st_mode & 0o777 == (mode or 0o640)
                file.write(b"x")
            assert path.stat().st_mode & 0o777 == (mode or 0o640)
    finally:
        monkeypatch.undo()
        os.umask(before)


def test_failure_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), write_text(path) as file:  # noqa: PT012
        file.write("new")
        raise RuntimeError
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_links_are_followed_and_devices_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_write(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    with write_text(os.devnull) as text:
        text.write("gone")
    assert not Path(os.devnull).is_file()


def test_open_files_and_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    target = io.StringIO()
    with write_text(target) as file:
        file.write("x")
    assert target.getvalue() == "x"
    with write_text("-") as file:
        file.write("y")
    assert capsys.readouterr().out == "y"


def test_standard_input_can_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    source = io.TextIOWrapper(io.BytesIO("\ufeffé\n".encode()))
    monkeypatch.setattr("sys.stdin", source)
    with open_text("-") as file:
        assert file.read() == "é\n"
    gc.collect()
    assert not source.buffer.closed


def test_names_that_no_file_can_have() -> None:
    with pytest.raises(DataError, match=r"cannot read 'a\\x00b'"), open_text("a\0b"):
        pass


def test_unwritable_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot write"), write_text(tmp_path / "no" / "file"):
        pass
    with pytest.raises(DataError, match="cannot write"), write_text(tmp_path):
        pass
    for path, said in (
        (tmp_path, "it is a directory"),
        (tmp_path / "no" / "file", "there is no directory"),
    ):
        with pytest.raises(DataError, match=said):
            check_writable(path)
    check_writable(tmp_path / "new")
    (tmp_path / "new").write_text("")
    check_writable(tmp_path / "new")


def test_a_file_in_a_folder_that_takes_no_files_is_refused_beforehand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").write_text("old")
    (tmp_path / "link").symlink_to("model")
    monkeypatch.setattr(os, "access", lambda path, _: Path(path) != tmp_path)
    for name in ("model", "link", "new"):
        with pytest.raises(DataError, match="no file can be made in"):
            check_writable(tmp_path / name)
    check_writable("/dev/null")
