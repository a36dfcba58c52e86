"""The page that changes the label set: nothing that is in use goes without a question."""

from __future__ import annotations

from typing import Any

from studio.browser.conftest import MakePage, Start
from studio.browser.page import go_to, press, saved

MAIL = "Speaker: Ada Lopez\nWhere: Wean Hall\n"
LABELS = "fields=SPEAKER,PLACE;ner=PER"
KEEP = "Change the labels"


def open_labels(page: Any) -> None:
    page.locator("#menu button", has_text="Label set").click()
    page.wait_for_selector("#view-labels .label-row")


def labelled(start: Start, make_page: MakePage) -> tuple[Any, Any]:
    studio = start(a=MAIL, labels=LABELS)
    page = make_page(studio.link, expected="400")
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1")
    go_to(page, "Wean")
    press(page, "Shift+ArrowRight", "2")
    saved(page)
    return studio, page


def test_add_rename_and_recolour(start: Start, make_page: MakePage) -> None:
    studio, page = labelled(start, make_page)
    other = make_page(studio.link)
    open_labels(page)
    assert page.locator(".label-row", has_text="1 span").count() == 2
    page.get_by_label("Name of SPEAKER").fill("PERSON")
    page.get_by_label("Colour of PLACE").fill("77")
    page.get_by_label("Key of PLACE").fill("p")
    page.get_by_role("button", name="Add a label").first.click()
    page.keyboard.type("TIME")
    page.get_by_role("button", name=KEEP).click()
    page.locator(
        "#toast", has_text="The labels are changed. What was said of 1 document"
    ).wait_for()
    fields, ner = studio.get("project")["layers"]
    assert [(one["name"], one["key"]) for one in fields["labels"]] == [
        ("PERSON", "1"),
        ("PLACE", "p"),
        ("TIME", "2"),
    ]
    assert fields["labels"][1]["hue"] == 77
    hues = [one["hue"] for layer in (fields, ner) for one in layer["labels"]]
    assert len(set(hues)) == 4  # no two share one, in all layers
    assert studio.spans() == [("Ada Lopez", "PERSON"), ("Wean Hall", "PLACE")]
    other.locator("#legend", has_text="TIME").wait_for()  # the other window hears of it
    page.locator("#menu button", has_text="Label").first.click()
    page.locator("mark.reviewed", has_text="PERSON").wait_for()
    press(page, "Control+z")
    saved(page)
    assert studio.spans() == [("Ada Lopez", "PERSON")]


def test_what_is_in_use_goes_by_a_question(start: Start, make_page: MakePage) -> None:
    studio, page = labelled(start, make_page)
    open_labels(page)
    page.get_by_label("Remove PLACE").click()
    assert "Its span becomes" in page.locator(".gone").inner_text()
    page.get_by_role("button", name=KEEP).click()
    page.locator("#view-labels .report", has_text="Say what the spans of PLACE become").wait_for()
    assert len(studio.get("project")["layers"][0]["labels"]) == 2  # nothing has changed
    page.get_by_label("What spans of PLACE become").select_option("SPEAKER")
    page.get_by_role("button", name=KEEP).click()
    page.wait_for_selector(".gone", state="detached")
    assert studio.spans() == [("Ada Lopez", "SPEAKER"), ("Wean Hall", "SPEAKER")]
    page.get_by_label("Remove PER").click()  # unused: no question, but a layer needs a label
    page.get_by_role("button", name=KEEP).click()
    page.locator("#view-labels .report", has_text="'ner' has no labels").wait_for()
    page.get_by_role("button", name="Remove the layer").click()
    page.get_by_role("button", name=KEEP).click()
    page.locator("#toast", has_text="The labels are changed").wait_for()
    assert [one["name"] for one in studio.get("project")["layers"]] == ["fields"]


def test_spans_can_be_dropped_and_names_must_differ(start: Start, make_page: MakePage) -> None:
    studio, page = labelled(start, make_page)
    open_labels(page)
    page.get_by_label("Name of PLACE").fill("SPEAKER")
    page.get_by_role("button", name=KEEP).click()
    page.locator("#view-labels .report", has_text="has the label 'SPEAKER' twice").wait_for()
    page.get_by_label("Name of PLACE").fill("PLACE")
    page.get_by_label("Remove PLACE").click()
    page.get_by_label("What spans of PLACE become").select_option("nothing: they are deleted")
    page.get_by_role("button", name=KEEP).click()
    page.locator("#toast", has_text="The labels are changed").wait_for()
    assert studio.spans() == [("Ada Lopez", "SPEAKER")]
    page.get_by_role("button", name="Add a layer").click()
    page.keyboard.type("X")
    page.get_by_label("Name of the layer").fill("topic")
    page.get_by_role("button", name=KEEP).click()
    page.locator("#toast", has_text="The labels are changed").wait_for()
    assert [one["name"] for one in studio.get("project")["layers"]] == ["fields", "ner", "topic"]
