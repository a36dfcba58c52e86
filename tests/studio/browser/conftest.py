"""Debian's Chromium, driven by Playwright, on a studio in a process of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from studio.browser.process import Labelling

CHROMIUM = os.environ.get("DOVETAIL_CHROMIUM") or shutil.which("chromium")
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
LABELS = "fields=SPEAKER,LOCATION,STIME,ETIME"
NETWORK = "Failed to load resource: net::"  # what a browser says when a server is away

MakePage = Callable[..., Any]
Start = Callable[..., Labelling]


@pytest.fixture(scope="module")  # one Playwright at a time: other tests have theirs
def browser() -> Iterator[Any]:
    for needed in ("starlette", "uvicorn"):
        pytest.importorskip(needed)
    api = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt install chromium")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture
def start(tmp_path: Path, browser: Any) -> Iterator[Start]:  # noqa: ARG001  (skips without one)
    """Starts a studio for texts by their names."""
    running: list[Labelling] = []

    def begin(*arguments: object, labels: str = LABELS, **texts: str) -> Labelling:
        files = []
        for name, text in texts.items():
            file = tmp_path / f"{name}.txt"
            file.write_text(text, encoding="utf-8")
            files.append(file)
        more = [part for one in labels.split(";") for part in ("--labels", one)]
        imports = [part for file in files for part in ("--import", file)]
        plain = ["--format", "text"] if texts else []
        given = [*arguments, *more, *plain, *imports]
        running.append(Labelling(tmp_path / "project", *given))
        return running[-1]

    yield begin
    for one in running:
        one.kill()


@pytest.fixture
def make_page(browser: Any) -> Iterator[MakePage]:
    """Opens pages; complains of anything that goes wrong or leaves the machine."""
    contexts: list[Any] = []
    troubles: list[str] = []

    def make(
        link: str,
        *,
        width: int = 1200,
        height: int = 760,
        expected: str = "",
        first: bool = True,
        **settings: Any,
    ) -> Any:
        def hear(message: Any) -> None:
            known = expected and f"status of {expected}" in message.text
            if not known and not message.text.startswith(NETWORK):
                troubles.append(message.text)

        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        context.set_default_timeout(10_000)
        contexts.append(context)
        opened = context.new_page()
        opened.on("console", hear)
        opened.on("pageerror", lambda error: troubles.append(str(error)))
        address = link.partition("#")[0]
        opened.on(
            "request",
            lambda one: one.url.startswith((address, "blob:")) or troubles.append(one.url),
        )
        opened.goto(f"{link}&document=1" if first else link)
        opened.wait_for_selector("#text .token")
        return opened

    yield make
    for context in contexts:
        for opened in context.pages:
            shown = opened.viewport_size["width"]
            assert opened.evaluate("document.documentElement.scrollWidth") <= shown
        context.close()
    assert troubles == []
