"""What is recognized as made here, and may be replaced."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dovetail.io.model_file import to_bytes
from dovetail.io.origin import WINDOW, is_ours

FILL = bytes(3 * WINDOW)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        to_bytes({"a": np.zeros(1_000_000, np.uint8)}, {"labels": [], "training": {}}),
        b'{"cell": "1/auto", "x": 1}\n' + FILL,
        b"# Written by dovetail tune\n[[task]]\n",
        b'<!doctype html><meta name="generator" content="Dovetail">' + FILL,
        b"<svg><dc:title>Dovetail</dc:title>" + FILL,
        b"\x89PNG" + FILL + b"tEXtSoftware\0Dovetail...",
        b"%PDF-1.4" + FILL + b"/Creator (Dovetail)\n",
    ],
)
def test_files_of_ours(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert is_ours(path) is True


@pytest.mark.parametrize(
    "content",
    [
        b"Ada\tB-PER\n",
        b'\n{"cell": "1/auto"}',
        b"x# Written by dovetail tune",
        FILL[:WINDOW] + b'<meta name="generator" content="Dovetail">' + FILL[:WINDOW],
        b'{"format":"other"}',
    ],
)
def test_files_of_others(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert is_ours(path) is False
