"""Labelling by keyboard alone, and by mouse."""

from __future__ import annotations

from studio.browser.conftest import MakePage, Start
from studio.browser.page import centre, drag, go_to, marks, press, saved, token

MAIL = "Speaker: Ada Lopez\nWhere: Wean Hall 5409\nWhen: from 3:30 pm to 5:00 pm\n"
OTHER = "Bob Miller speaks at noon in Doherty Hall.\n"
PART = "xyzzy"
MIXED = f"🎉 Dr. 👩‍💻 Ada Lopez\n\n李明在北京大学讲话。\n\n𝒜 {PART} 🎉\n\nولدت آدا لوبيز في روما\n"

LETTERS = """([word, first, end]) => {
  const token = [...document.querySelectorAll(".token")].find((one) => one.textContent === word);
  return [first, end].map((place) => {
    const range = document.createRange();
    range.setStart(token.firstChild, place);
    const box = range.getBoundingClientRect();
    return [box.left + 0.5, box.top + box.height / 2];
  });
}"""  # where letters of a word begin


def test_a_document_by_keyboard_alone(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL, b=OTHER)
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1")
    go_to(page, "Wean")
    press(page, "Shift+ArrowRight", "Shift+ArrowRight", "2")
    go_to(page, "from")
    press(page, "ArrowRight", "Shift+ArrowRight", "3")
    saved(page)
    assert studio.spans() == [
        ("Ada Lopez", "SPEAKER"),
        ("Wean Hall 5409", "LOCATION"),
        ("3:30 pm", "STIME"),
    ]
    press(page, "Delete")  # the span that the cursor is on
    go_to(page, "Hall")
    press(page, "Shift+ArrowLeft", "Enter")  # its end is moved, its label stays
    press(page, "4")  # and another label
    press(page, "Shift+F", "Shift+C")
    page.keyboard.insert_text("Which room?")
    press(page, "Control+Enter")
    page.locator("#note", has_text="Which room?").wait_for()
    press(page, "Control+Enter")  # done, next
    page.locator("#name", has_text="b.txt").wait_for()
    assert studio.spans() == [("Ada Lopez", "SPEAKER"), ("Wean Hall", "ETIME")]
    kept = studio.get("documents/1")["annotations"]["fields"]
    assert (kept["done"], kept["flag"], kept["note"]) == (True, True, "Which room?")
    press(page, "Shift+B")
    page.locator("#name", has_text="a.txt").wait_for()
    assert marks(page) == ["Ada LopezSPEAKER", "Wean HallETIME"]
    press(page, "/")
    page.keyboard.insert_text("doherty")
    page.locator("#list .item").nth(1).wait_for(state="detached")
    press(page, "Enter")
    page.locator("#name", has_text="b.txt").wait_for()
    press(page, "?")
    assert "SPEAKER" in page.locator("#dialog").inner_text()
    press(page, "Escape", "Control+Home", "1")
    page.locator("mark.reviewed").wait_for()


def test_undo_and_redo(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL)
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "1", "2", "Shift+ArrowRight", "1", "Shift+D")
    saved(page)
    assert studio.spans() == [("Ada Lopez", "SPEAKER")]
    press(page, *["Control+z"] * 3)
    saved(page)
    assert studio.spans() == [("Ada", "SPEAKER")]
    press(page, *["Control+Shift+z"] * 3)
    saved(page)
    assert studio.spans() == [("Ada Lopez", "SPEAKER")]
    assert studio.get("documents/1")["annotations"]["fields"]["done"]
    page.reload()
    page.wait_for_selector("mark.reviewed")
    press(page, *["Control+z"] * 4)  # also what this page does not know any more
    saved(page)
    page.wait_for_selector("mark.reviewed", state="detached")
    assert studio.spans() == []
    assert page.locator("#undo").is_disabled()


def test_mouse(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL)
    page = make_page(studio.link)
    token(page, "Ada").click()
    page.locator(".swatch", has_text="SPEAKER").click()
    drag(page, centre(token(page, "Wean")), centre(token(page, "5409")))
    page.locator(".swatch", has_text="LOCATION").click()
    page.locator(".sticky").click()
    drag(page, centre(token(page, "from")), centre(token(page, "to")))
    saved(page)
    assert studio.spans() == [
        ("Ada", "SPEAKER"),
        ("Wean Hall 5409", "LOCATION"),
        ("from 3:30 pm to", "LOCATION"),
    ]
    page.locator(".sticky").click()
    token(page, "Ada").click()
    token(page, "Lopez").click(modifiers=["Shift"])
    page.locator(".swatch", has_text="SPEAKER").click()
    token(page, "Wean").click()
    page.locator("#bar button", has_text="Remove").click()
    page.locator("#undo").click()
    page.locator("#redo").click()
    saved(page)
    assert studio.spans() == [("Ada Lopez", "SPEAKER"), ("from 3:30 pm to", "LOCATION")]


def test_characters_and_scripts(start: Start, make_page: MakePage) -> None:
    studio = start(a=MIXED, labels="fields=PER,ORG")
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1")
    drag(page, centre(token(page, "北")), centre(token(page, "学")))
    press(page, "2")
    letters = page.evaluate(LETTERS, [PART, 1, 3])
    page.keyboard.down("Alt")
    drag(page, *letters)
    page.keyboard.up("Alt")
    press(page, "2")
    go_to(page, "ولدت")
    press(page, "ArrowLeft", "Shift+ArrowLeft", "1")  # further on is to the left
    saved(page)
    assert studio.spans() == [
        ("Ada Lopez", "PER"),
        ("北京大学", "ORG"),
        (PART[1:3], "ORG"),
        ("آدا لوبيز", "PER"),
    ]
    shown = page.locator("mark", has_text=PART)
    assert shown.locator(".outside").all_inner_texts() == [PART[0], PART[3:]]


def test_layers_overlap(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL, labels="fields=SPEAKER,LOCATION;ner=PER,LOC")
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1", "Shift+L")
    go_to(page, "Lopez")
    press(page, "1")
    saved(page)
    assert studio.spans() == [("Ada Lopez", "SPEAKER")]
    assert studio.spans(layer="ner") == [("Lopez", "PER")]
    assert page.locator(".under-name").inner_text() == "SPEAKER"
    press(page, "Control+z", "Control+z")
    saved(page)
    assert studio.spans() == studio.spans(layer="ner") == []


def test_a_span_ends_where_its_sequence_ends(start: Start, make_page: MakePage) -> None:
    studio = start(a="One line\n\nAnother line\n")
    page = make_page(studio.link)
    go_to(page, "line")
    press(page, "Shift+ArrowRight", "1")
    page.locator("#toast", has_text="A span ends where its sequence ends").wait_for()
    assert studio.spans() == []
