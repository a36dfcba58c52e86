"""With the model in the loop: suggestions arrive while one labels, and get better."""

from __future__ import annotations

from typing import Any

from studio.browser.conftest import MakePage, Start
from studio.browser.page import go_to, marks, press, saved

NAMES = ["Ada Lopez", "Bob Miller", "Carla Jensen", "Dora Smith", "Emil Novak", "Finn Olsen"]


def mail(name: str, number: int) -> str:
    return (
        f"Speaker: {name}\nWhere: Wean Hall {5400 + number}\nThe talk by {name} begins at noon.\n"
    )


def finish(page: Any) -> None:
    """Done, and on to the next document, when a model has learnt from it."""
    version = page.locator("#learning").get_attribute("data-version")
    before = page.locator("#name").inner_text()
    press(page, "Control+Enter")
    page.wait_for_function(
        "(name) => document.getElementById('name').textContent !== name", arg=before
    )
    page.wait_for_function(
        "(version) => document.getElementById('learning').dataset.version !== version",
        arg=version,
    )
    saved(page)


def test_suggestions_arrive_and_improve(start: Start, make_page: MakePage) -> None:
    texts = {f"m{k}": mail(name, k) for k, name in enumerate(NAMES)}
    studio = start(labels="fields=SPEAKER,LOCATION", **texts)
    page = make_page(studio.link, first=False)
    found: list[list[str]] = []
    for _ in NAMES[:4]:
        found.append(marks(page, "suggested"))
        name = page.locator("#text").inner_text().split("\n")[0].removeprefix("Speaker: ")
        first = name.split()[0]
        press(page, "Control+Home")
        go_to(page, first)
        press(page, "Shift+ArrowRight", "1")
        go_to(page, "Wean")
        press(page, *["Shift+ArrowRight"] * 2, "2")
        finish(page)
    assert found[0] == []
    page.locator("mark.suggested", has_text="SPEAKER").first.wait_for()
    page.locator("mark.suggested", has_text="LOCATION").first.wait_for()
    press(page, "Shift+A", "Control+Enter")
    saved(page)
    assert studio.get("project")["counts"]["done"] == 5
    page.locator("#menu button", has_text="Progress").click()
    page.locator("#view-progress", has_text="documents done").wait_for()
    page.locator("#menu button", has_text="Doubts").click()
    page.locator("#view-doubts p").first.wait_for()


def test_questions_are_those_of_the_model(start: Start, make_page: MakePage) -> None:
    texts = {f"m{k}": mail(name, k) for k, name in enumerate(NAMES)}
    studio = start(labels="fields=SPEAKER,LOCATION", **texts)
    page = make_page(studio.link)
    press(page, "Shift+Q")
    page.locator("#toast", has_text="There is nothing to ask. nothing is labelled yet").wait_for()
    for _ in range(3):
        name = page.locator("#text").inner_text().split("\n")[0].removeprefix("Speaker: ")
        go_to(page, name.split()[0])
        press(page, "Shift+ArrowRight", "1")
        finish(page)
    press(page, "Shift+Q")
    page.locator("#question", has_text="SPEAKER?").wait_for()
    asked = page.locator("#question b").first.inner_text()
    press(page, "n")
    page.wait_for_function(
        "(asked) => document.querySelector('#question b')?.textContent !== asked", arg=asked
    )
    saved(page)
    found = [studio.get(f"documents/{k}")["annotations"]["fields"] for k in range(1, 7)]
    assert [span["label"] for one in found for span in one["rejected"]] == [""]
