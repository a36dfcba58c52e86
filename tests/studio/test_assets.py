"""The files of the labelling page."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "src" / "dovetail" / "studio" / "page"


def test_the_page_is_small_and_needs_nothing_from_elsewhere() -> None:
    pytest.importorskip("starlette")
    from dovetail.studio.assets import PAGE as LISTED

    files = list(PAGE.iterdir())
    assert sorted(LISTED) == sorted(file.name for file in files)
    assert sum(file.stat().st_size for file in files) < 300_000
    for file in files:
        text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text, file
        assert "https:" not in text, file
        assert "innerHTML" not in text, file
