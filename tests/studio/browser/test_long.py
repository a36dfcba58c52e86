"""Long documents: a key costs no more than a blink, however much text there is."""

from __future__ import annotations

from statistics import quantiles

import pytest

from studio.browser.conftest import MakePage, Start
from studio.browser.page import press, saved

PARAGRAPH = (
    "Ada Lopez will speak in Wean Hall at noon , and Bob Miller in Doherty Hall after . " * 4
)
LINES = (PARAGRAPH + "\n\n") * 147
ONE_LINE = PARAGRAPH * 147


@pytest.mark.parametrize("text", [LINES, ONE_LINE], ids=["paragraphs", "one paragraph"])
def test_ten_thousand_tokens(start: Start, make_page: MakePage, text: str) -> None:
    """Milliseconds of the page's own processor time for each key: other programs do not matter."""
    studio = start(a=text)
    page = make_page(studio.link)
    assert page.locator(".token").count() >= 9_900
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        listed = session.send("Performance.getMetrics")["metrics"]
        found = {one["name"]: one["value"] for one in listed}
        return 1000 * float(found["TaskDuration"])

    drawn = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
    costs = []
    for place in ("Control+Home", "Control+End"):
        press(page, place)
        page.evaluate(drawn)
        step, back = ("Right", "Left") if place == "Control+Home" else ("Left", "Right")
        for key in (
            *[f"Arrow{step}", "1", f"Shift+Arrow{step}", f"Arrow{step}", "2"] * 2,
            "ArrowUp",
            "Delete",
            "Control+z",
            "Control+Shift+z",
            f"Shift+Arrow{back}",
            "Enter",
        ):
            before = spent()
            press(page, key)
            page.evaluate(drawn)
            costs.append(spent() - before)
    saved(page)
    assert quantiles(costs, n=20)[-1] < 50, sorted(costs)[-5:]
