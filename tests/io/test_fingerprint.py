from __future__ import annotations

from pathlib import Path

from dovetail.io.fingerprint import fingerprint


def test_fingerprint_depends_on_every_part_and_on_where_it_ends(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"b")
    same = {fingerprint("a", "b"), fingerprint("a", b"b"), fingerprint("a", file)}
    assert len(same) == 1
    assert not same & {fingerprint("ab"), fingerprint("a", "b", ""), fingerprint("b", "a")}
