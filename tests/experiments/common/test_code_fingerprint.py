"""Fingerprints of code change with what it does, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dovetail import DataError, Tagger
from experiments.common import code_fingerprint as code


def test_comments_docstrings_and_layout_do_not_count() -> None:
    source = "C = 1\nclass A:\n    'An A.'\n    def f(self): return C\n"
    told = '"""All."""\nC = 1  # one\n\n\nclass A:\n    def f(self):\n        return C\n'
    assert code.normalized_code(source) == code.normalized_code(told)
    assert code.normalized_code(source) != code.normalized_code(source.replace("C = 1", "C = 2"))


def test_a_changed_kernel_is_another_tagger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code, "KERNELS", tmp_path)
    made = code.tagger_fingerprint.__wrapped__
    without = made()
    (tmp_path / "a.hpp").write_text("int a;")
    first = made()
    (tmp_path / "a.hpp").write_text("int b;")
    assert len({without, first, made()}) == 3


def test_modules_are_found_by_what_they_define() -> None:
    assert code.module_fingerprint(Tagger) == code.code_fingerprint("chain/tagger.py")


def test_code_that_is_gone_is_told() -> None:
    with pytest.raises(DataError, match=r"there is no code gone\.py"):
        code.reader_fingerprint("gum", "gone")
