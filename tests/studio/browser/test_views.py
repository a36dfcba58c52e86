"""Every view, for every eye and ear: widths, light and dark, axe-core, no JavaScript; the README's
picture."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.browser.conftest import MakePage, Start
from studio.browser.page import go_to, press, saved
from studio.browser.suggested import answer, suggest

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "images" / "label.png"
MAIL = """Seminar: How Little Text a Tagger Needs

Speaker: Dr. Ada Lopez, Institute for Weather
Where: Wean Hall 5409
When: Tuesday, 6 August, from 3:30 pm to 5:00 pm

Dr. Lopez will show how a model that learns while one labels asks for less and less. There is
coffee at 3:15 pm in Doherty Hall; Bob Miller has the key.
"""
REMINDER = "Reminder: Carla Jensen speaks at noon in Porter Hall 100.\n"
FOUND = {
    "Dr. Lopez": ("SPEAKER", 0.91),
    "Doherty Hall": ("LOCATION", 0.74),
    "3:30 pm": ("STIME", 0.97),
    "5:00 pm": ("ETIME", 0.93),
    "3:15 pm": ("STIME", 0.42),
    "Bob Miller": ("SPEAKER", 0.31),
}
PROGRESS = {
    "score": {"f1": 0.834, "low": 0.79, "high": 0.87, "documents": 21, "note": "Of 21 documents."},
    "curve": [
        {"documents": 10 * k, "f1": 0.9 - 0.6 / k, "low": 0.85 - 0.6 / k, "high": 0.95 - 0.6 / k}
        for k in range(1, 11)
    ],
    "forecast": {
        "sentence": "About 40 more documents to F1 85.",
        "points": [{"documents": 100 + 10 * k, "f1": 0.9 - 0.6 / (10 + k)} for k in range(6)],
    },
    "labels": [
        {"label": "SPEAKER", "f1": 0.81, "precision": 0.84, "recall": 0.78, "spans": 40},
        {"label": "STIME", "f1": None, "precision": None, "recall": None, "spans": 0},
    ],
    "calibration": {
        "bins": [{"predicted": k / 10, "correct": k / 10.5, "count": 9} for k in range(1, 11)],
        "error": 0.03,
    },
    "gain": {"sentence": "The old taggers bring 6.1 points."},
    "time": {
        "median_seconds": 24,
        "curve": [{"documents": 10 * k, "seconds": 60 / k + 15} for k in range(1, 9)],
    },
}
DOUBTS = {
    "items": [
        {
            "document": 1,
            "name": "a.txt",
            "start": 2,
            "end": 4,
            "label": "SPEAKER",
            "suggested": "LOCATION",
            "probability": 0.98,
            "context": ["Speaker: ", "Ada", " Lopez"],
        }
    ]
}
Open = Callable[[Any], None]


def show(name: str, ready: str) -> Open:
    def run(page: Any) -> None:
        page.locator("#menu button", has_text=name).click()
        page.wait_for_selector(ready)

    return run


def ask(page: Any) -> None:
    press(page, "Shift+Q")
    page.wait_for_selector("#question button")


def dialog(key: str) -> Open:
    def run(page: Any) -> None:
        press(page, key)
        page.wait_for_selector("#dialog[open]")

    return run


def show_labels(page: Any) -> None:
    """With a question what becomes of the spans of a label."""
    show("Label set", ".label-row")(page)
    page.get_by_label("Remove LOCATION").click()
    page.wait_for_selector(".gone")


VIEWS: dict[str, Open] = {
    "label": lambda page: press(page, "Tab"),
    "keys": dialog("?"),
    "comment": dialog("Shift+C"),
    "everywhere": dialog("Shift+E"),
    "question": ask,
    "progress": show("Progress", ".chart"),
    "doubts": show("Doubts", ".card"),
    "agreement": show("Agreement", "#view-agreement h2"),
    "labels": show_labels,
    "export": show("Export", "#view-export button"),
}


def prepared(start: Start, make_page: MakePage, **settings: Any) -> Any:
    """A page with something of everything on it."""
    studio = start(
        seminar=MAIL, reminder=REMINDER, labels="fields=SPEAKER,LOCATION,STIME,ETIME;ner=PER,LOC"
    )
    page = make_page(studio.link, **settings)
    answer(page, "progress", PROGRESS)
    answer(page, "suspicious", DOUBTS)
    asked = {"document": 1, "start": 9, "end": 11, "label": "SPEAKER", "probability": 0.7}
    answer(page, "questions", {"question": asked})
    press(page, "Shift+L")
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1", "Shift+L")
    go_to(page, "Dr.")
    press(page, *["Shift+ArrowRight"] * 2, "1")
    go_to(page, "Wean")
    press(page, *["Shift+ArrowRight"] * 2, "2")
    saved(page)
    suggest(page, FOUND)
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 360])
def test_every_view(
    start: Start, make_page: MakePage, scheme: str, width: int, tmp_path: Path
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = prepared(start, make_page, width=width, height=760, color_scheme=scheme)
    pictures = Path(os.environ.get("DOVETAIL_PICTURES") or tmp_path)
    for name, show_view in VIEWS.items():
        show_view(page)
        page.screenshot(path=pictures / f"{name}-{width}-{scheme}.png")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = axe.run(page).response["violations"]
        serious = [
            (one["id"], [node["html"] for node in one["nodes"]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]
        assert serious == [], name
        press(page, "Escape")
        if name == "question":
            page.locator("#question").wait_for(state="hidden")


def test_without_javascript(browser: Any, start: Start) -> None:
    studio = start(a=MAIL)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(studio.link)
    assert "This page needs JavaScript. Nothing is lost" in page.inner_text("body")
    context.close()


def test_a_link_without_its_token(browser: Any, start: Start) -> None:
    studio = start(a=MAIL)
    address, _, token = studio.link.partition("#token=")
    page = browser.new_page()
    page.goto(address)
    page.fill("#token", token)
    page.keyboard.press("Enter")
    page.wait_for_selector("#text .token")
    page.close()


def test_what_screen_readers_hear(start: Start, make_page: MakePage) -> None:
    page = prepared(start, make_page)
    text = page.locator("#text")
    assert text.get_attribute("aria-activedescendant") == "cursor"
    go_to(page, "Ada")
    assert page.locator("#said").inner_text() == "Dr. Ada Lopez, SPEAKER, reviewed; ner: PER"
    press(page, "Tab")
    assert "STIME? suggested, 97 %" in page.locator("#said").inner_text()


def test_picture_of_the_readme(start: Start, make_page: MakePage, tmp_path: Path) -> None:
    """Made anew where DOVETAIL_PICTURES names a folder; else the picture there is still right, but
    for what another font changes."""
    image = pytest.importorskip("PIL.Image")
    page = prepared(start, make_page, width=1200, height=600, color_scheme="light")
    page.locator("#toast").wait_for(state="hidden")
    go_to(page, "Bob")
    fresh = PICTURE if "DOVETAIL_PICTURES" in os.environ else tmp_path / "fresh.png"
    page.screenshot(path=fresh)
    pictures = [image.open(path).convert("L") for path in (PICTURE, fresh)]
    assert pictures[0].size == pictures[1].size
    pixels = zip(*(picture.tobytes() for picture in pictures), strict=True)
    differing = sum(abs(one - other) > 40 for one, other in pixels)
    assert differing < 0.12 * 1200 * 600, "make it anew: DOVETAIL_PICTURES=/tmp/pictures pytest ..."
    assert PICTURE.stat().st_size < 120_000
