from __future__ import annotations

from pathlib import Path

from dovetail.io.fingerprint import fingerprint


def test_fingerprint_depends_on_every_part_and_on_where_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"b")
    same = {fingerprint("a", "b"), fingerprint("a", b"b"), fingerprint("a", file)}
    assert len(same) == 1
    assert not same & {fingerprint("ab"), fingerprint("a", "b", ""), fingerprint("b", "a")}


def test_of_a_folder_names_and_contents_count(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        (folder / "a").write_bytes(b"x" * 3_000_000)
        (folder / "b").write_bytes(b"y")
    assert fingerprint(one) == fingerprint(other)
    (other / "b").rename(other / "c")
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one / "b") == fingerprint(other / "c") == fingerprint(b"y")
    assert fingerprint(one / "a") == fingerprint(b"x" * 3_000_000)
