"""Suggestions: seen apart from what was reviewed, accepted, rejected, mended; and questions."""

from __future__ import annotations

from pathlib import Path

from studio.browser.conftest import MakePage, Start
from studio.browser.page import go_to, marks, press, saved, token
from studio.browser.suggested import answer, teach

MAIL = "Speaker: Ada Lopez\nWhere: Wean Hall 5409\nWhen: from 3:30 pm to 5:00 pm\n"
OTHER = "Reminder: Ada Lopez speaks.\n\nBring Ada Lopez a cup.\n"
FOUND = {
    "Ada Lopez": "SPEAKER",
    "Wean Hall": "LOCATION",
    "3:30 pm": "STIME",
    "5:00 pm": "STIME",
}


def test_accept_reject_and_mend(start: Start, make_page: MakePage, tmp_path: Path) -> None:
    known = teach(tmp_path / "known.dovetail", MAIL, FOUND)
    studio = start("--with", known, "--unit", "line", a=MAIL)
    page = make_page(studio.link)
    page.locator("mark.suggested").nth(3).wait_for()
    found = studio.get("documents/1")["suggestions"]["fields"]
    shown = [f"{one['label']} {100 * one['probability']:.0f} %" for one in found]
    pairs = zip(marks(page, "suggested"), shown, strict=True)
    assert all(mark.endswith(end) for mark, end in pairs)
    assert marks(page, "suggested")[0].startswith("Ada Lopez")
    strengths = page.locator("mark").evaluate_all(
        "(all) => all.map((one) => +one.style.getPropertyValue('--strength'))"
    )
    shares = [one["probability"] for one in found]
    assert strengths == [round(0.15 + 0.55 * 0.7 * share, 2) for share in shares]
    press(page, "Enter")  # the first one; and on to the next
    assert page.locator("#cursor").inner_text() == "Hall"
    press(page, "Shift+ArrowRight", "Enter")  # one token more, of the same label
    press(page, "Tab", "Tab", "4")  # the second time is another label
    press(page, "Shift+Tab", "Delete")
    assert marks(page, "suggested") == []
    saved(page)
    assert studio.spans() == [
        ("Ada Lopez", "SPEAKER"),
        ("Wean Hall 5409", "LOCATION"),
        ("5:00 pm", "ETIME"),
    ]
    kept = studio.get("documents/1")["annotations"]["fields"]
    assert [span["label"] for span in kept["rejected"]] == ["STIME"]
    press(page, "Control+z")
    assert len(marks(page, "suggested")) == 1
    page.locator("mark.suggested .token").first.dblclick()
    saved(page)
    assert len(studio.spans()) == 4


def test_accept_all_at_once_and_take_back(
    start: Start, make_page: MakePage, tmp_path: Path
) -> None:
    known = teach(tmp_path / "known.dovetail", MAIL, FOUND)
    studio = start("--with", known, "--unit", "line", a=MAIL)
    page = make_page(studio.link)
    page.locator("mark.suggested").nth(3).wait_for()
    token(page, "Where").click()
    press(page, "Shift+A")
    assert len(marks(page)) == 4
    saved(page)
    assert len(studio.spans()) == 4
    press(page, "Control+z")
    saved(page)
    assert studio.spans() == []
    assert len(marks(page, "suggested")) == 4
    press(page, "Shift+D")  # what is shown is right
    page.wait_for_selector("mark.suggested", state="detached")
    saved(page)
    assert len(studio.spans()) == 4
    press(page, "Control+z")
    saved(page)
    assert studio.spans() == []


def test_the_same_string_everywhere(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL, b=OTHER)
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1", "Shift+E")
    page.locator("#dialog", has_text="2 places").wait_for()
    assert page.locator("#dialog li strong").all_inner_texts() == ["Ada Lopez"] * 2
    assert studio.spans(2) == []  # shown first
    press(page, "Enter")
    page.locator("#dialog").wait_for(state="hidden")
    page.locator("#toast", has_text="2 places are SPEAKER now").wait_for()
    assert studio.spans(2) == [("Ada Lopez", "SPEAKER")] * 2
    press(page, "Alt+ArrowDown")
    page.locator("#name", has_text="b.txt").wait_for()
    press(page, "Control+z")
    saved(page)
    page.wait_for_selector("mark.reviewed", state="detached")
    assert studio.spans(2) == []
    assert studio.spans(1) == [("Ada Lopez", "SPEAKER")]


def test_questions(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL, b=OTHER)
    page = make_page(studio.link)
    asked = {"document": 2, "start": 2, "end": 4, "label": "SPEAKER", "probability": 0.7}
    answer(page, "questions", {"question": asked})
    press(page, "Shift+Q")
    page.locator("#question", has_text="Is Ada Lopez SPEAKER?").wait_for()
    assert page.locator(".block.asked").inner_text().startswith("Reminder")
    asked.update(start=8, end=9)
    press(page, "n")
    page.locator("#question", has_text="Is Lopez SPEAKER?").wait_for()
    saved(page)
    kept = studio.get("documents/2")["annotations"]["fields"]
    assert kept["rejected"] == [{"start": 2, "end": 4, "label": ""}]
    asked.update(document=1, start=2, end=3)
    press(page, "f", "Shift+ArrowLeft", "2")
    page.locator("#name", has_text="a.txt").wait_for()
    page.locator("#question").wait_for()
    answer(page, "questions", {"question": None})
    press(page, "y")
    page.locator("#question").wait_for(state="hidden")
    saved(page)
    assert studio.spans(1) == [("Ada", "SPEAKER")]
    assert [label for _, label in studio.spans(2)] == ["LOCATION"]
