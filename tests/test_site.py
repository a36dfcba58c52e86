"""The documentation site is built without a warning, and has every page and every public name."""

from __future__ import annotations

import importlib
import inspect
import re
import runpy
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from posixpath import normpath

import pytest

import dovetail

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "docs" / "site"
PACKAGES = ("corpus", "features", "pipeline", "recipe", "representation", "multitask", "grid")
PACKAGES += ("evaluate", "compare", "interop", "base")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, but for what the examples print: they have tests of their own."""
    for tool in ("sphinx", "myst_parser", "furo", "sphinx_copybutton"):
        pytest.importorskip(tool, reason="`make test` and `make docs` install it")
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-D", "run_examples=0"]
    done = subprocess.run(
        [*command, "-c", str(SITE), "-d", str(out / "cache"), str(ROOT), str(out / "html")],
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


def test_every_page_is_in_the_navigation(site: Path) -> None:
    index = (site / "docs" / "index.html").read_text(encoding="utf-8")
    sidebar = index.partition('<div class="sidebar-tree">')[2].partition("</aside>")[0]
    linked = {normpath(f"docs/{link}") for link in re.findall(r'href="([^"#]+)"', sidebar)}
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.py")]
    names = {page.relative_to(ROOT).with_suffix(".html").as_posix() for page in pages}
    assert names - linked == {"docs/index.html"}


def test_examples_show_their_code(site: Path) -> None:
    page = (site / "examples" / "01_tagger.html").read_text(encoding="utf-8")
    assert "Train a tagger, score it" in page
    assert "TemporaryDirectory" in page


def test_api_has_every_exported_class_and_function(site: Path) -> None:
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    known = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    assert {f"dovetail.{name}" for name in dovetail.__all__} <= known
    for package in PACKAGES:
        module = importlib.import_module(f"dovetail.{package}")
        exported = {name: getattr(module, name) for name in module.__all__}
        documented = {n for n, o in exported.items() if inspect.isclass(o) or inspect.isroutine(o)}
        missing = {name for name in documented if f"dovetail.{package}.{name}" not in known}
        assert missing <= set(dovetail.__all__), package


@pytest.fixture(scope="module")
def draw() -> Callable[[str], str]:
    return runpy.run_path(str(SITE / "pictures.py"))["draw"]


def test_scores_become_bars(draw: Callable[[str], str]) -> None:
    picture = draw("alone   F1 0.50\nabove the rule  F1 of speakers 0.62\n")
    assert picture.count("<rect") == 2
    assert ">above the rule<" in picture
    assert ">0.62<" in picture


def test_spans_become_labelled_text(draw: Callable[[str], str]) -> None:
    picture = draw("F1 0.90\nSPEAKER   0.99  Dr. Ada & Lopez\n   7-28  LOCATION 0.94  Room 12\n")
    assert picture.count("<rect") == 2
    assert ">Dr. Ada &amp; Lopez<" in picture
    assert ">LOCATION 0.94<" in picture


def test_nothing_to_draw_is_no_picture(draw: Callable[[str], str]) -> None:
    assert draw("done\n") == ""
