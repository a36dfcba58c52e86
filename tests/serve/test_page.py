"""The page in a browser: Debian's Chromium, driven by Playwright."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from serve.process import serving

CHROMIUM = os.environ.get("DOVETAIL_CHROMIUM") or shutil.which("chromium")
ASSETS = Path(__file__).parents[2] / "src" / "dovetail" / "serve" / "page"
TEXT = "Speaker: 🎉 Dr. Ada Lopez\nWhen: Tuesday, 6 August at 4:30pm <b>bold</b>"

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: apt install chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with serving(folder / "talks.dovetail", folder / "both.dovetail") as running:
        yield f"http://127.0.0.1:{running.port}/"


@pytest.fixture
def page(browser: Any, address: str) -> Iterator[Any]:
    """The page, at the width of a phone; complains of anything that goes wrong or leaves the
    machine."""
    context = browser.new_context(viewport={"width": 360, "height": 700}, color_scheme="dark")
    context.set_default_timeout(30_000)
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("request", lambda one: one.url.startswith(address) or troubles.append(one.url))
    opened.goto(address)
    opened.wait_for_selector("#model option", state="attached")
    yield opened
    width = opened.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert troubles == []
    assert width <= 360


@needs_browser
def test_spans_alternatives_and_reasons_by_keyboard(page: Any) -> None:
    page.focus("#text")
    page.keyboard.insert_text(TEXT)
    page.wait_for_selector("mark")
    marks = page.locator("mark").all_inner_texts()
    assert any(re.fullmatch(r"Dr\. Ada Lopez\s*SPEAKER\s*[01]\.\d\d", mark) for mark in marks)
    assert page.locator(".text b").count() == 0  # markup in a text stays text
    assert "<b>bold</b>" in page.locator(".text").inner_text()
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.className") != "token":
        page.keyboard.press("Tab")
    focused = "document.activeElement.textContent"
    while page.evaluate(focused) != "Ada":
        page.keyboard.press("ArrowRight")
    card = page.locator("#card").inner_text()
    assert "SPEAKER" in card
    assert "nothing here" in card or "SPEAKER:" in card
    page.keyboard.press("Enter")
    page.wait_for_selector("#why table")
    assert page.locator("#why h2").inner_text().startswith("Ada: I-SPEAKER")
    page.select_option("#why select", "B-DATE")
    page.locator("#why h2", has_text="rather than B-DATE").wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#why").is_hidden()
    assert page.evaluate(focused) == "Ada"


@needs_browser
def test_layers_and_decodings_side_by_side(page: Any) -> None:
    page.select_option("#model", "both")
    page.fill("#text", "by Ada Lopez at noon")
    page.wait_for_selector(".bar")
    for decoding in ("none", "cascade"):
        page.check(f"#decodings input[value={decoding}]")
    page.locator(".result:not(.stale)").nth(2).wait_for()
    assert page.locator(".result h2").all_inner_texts() == ["joint", "none", "cascade"]
    first = page.locator(".result").first
    bars = [bar.split()[0] for bar in first.locator(".bar").all_inner_texts()]
    assert {"PER", "SPEAKER"} <= set(bars)
    speaker = first.locator(".bar", has_text="SPEAKER").bounding_box()
    person = first.locator(".bar", has_text="PER").first.bounding_box()
    assert speaker["y"] < person["y"]  # the last layer is on top
    first.locator(".token", has_text="Ada").click()
    page.wait_for_selector("#why table")
    page.select_option("#why select >> nth=0", "ner")
    page.locator("#why h2", has_text="B-PER").wait_for()


@needs_browser
def test_token_is_asked_for_and_taken_from_the_address(browser: Any, folder: Path) -> None:
    secret = "a-secret-of-sixteen"
    with serving(folder / "pos.dovetail", "--token", secret) as running:
        address = f"http://127.0.0.1:{running.port}/"
        opened = browser.new_page()
        opened.goto(address)
        opened.fill("#token", secret)
        opened.keyboard.press("Enter")
        opened.wait_for_selector("#model option", state="attached")
        other = browser.new_page()
        other.goto(f"{address}#token={secret}")
        other.wait_for_selector("#model option", state="attached")
        assert secret not in other.url
        opened.close()
        other.close()


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing_serious(browser: Any, address: str, scheme: str, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    context = browser.new_context(
        viewport={"width": width, "height": 700}, color_scheme=scheme, bypass_csp=True
    )
    opened = context.new_page()
    opened.goto(address)
    opened.fill("#text", TEXT)
    opened.locator("mark .token").first.click()
    opened.wait_for_selector("#why table")
    found = axe.run(opened).response["violations"]
    context.close()
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_page_needs_nothing_from_elsewhere() -> None:
    files = list(ASSETS.iterdir())
    assert sum(file.stat().st_size for file in files) < 300_000
    for file in files:
        text = file.read_text(encoding="utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
        assert "http:" not in text, file
        assert "https:" not in text, file
        assert "innerHTML" not in text, file
