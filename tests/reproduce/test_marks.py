"""Marks of code change with what it does, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail.reproduce import marks


def test_comments_docstrings_and_layout_do_not_count() -> None:
    source = "C = 1\nclass A:\n    'An A.'\n    def f(self): return C\n"
    told = '"""All."""\nC = 1  # one\n\n\nclass A:\n    def f(self):\n        return C\n'
    assert marks.bare(source) == marks.bare(told)
    assert marks.bare(source) != marks.bare(source.replace("C = 1", "C = 2"))


def test_a_changed_kernel_is_another_tagger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "KERNELS", tmp_path)
    made = marks.tagger_code.__wrapped__
    without = made()
    (tmp_path / "a.hpp").write_text("int a;")
    first = made()
    (tmp_path / "a.hpp").write_text("int b;")
    assert len({without, first, made()}) == 3
