"""Nothing is lost: reloads, a server that dies, two annotators at once, what goes out again."""

from __future__ import annotations

from pathlib import Path

from studio.browser.conftest import MakePage, Start
from studio.browser.page import go_to, marks, press, saved

MAIL = "Speaker: Ada Lopez\nWhere: Wean Hall 5409\n"
CONLL = "Ada\tB-PER\r\nspoke\tO\r\n\r\nin\tO\r\nRome\tB-LOC\r\n\r\n"


def test_reload(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL, b=MAIL)
    page = make_page(studio.link)
    press(page, "Alt+ArrowDown")
    page.locator("#name", has_text="b.txt").wait_for()
    go_to(page, "Ada")
    press(page, "Shift+ArrowRight", "1")
    saved(page)
    page.reload()
    page.wait_for_selector("mark.reviewed")
    assert page.locator("#name").inner_text() == "b.txt"
    assert "token" not in page.url
    assert studio.spans(2) == [("Ada Lopez", "SPEAKER")]


def test_a_killed_server_loses_nothing(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL)
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "1")
    saved(page)
    studio.kill()
    press(page, "Shift+ArrowRight", "2")  # goes on without
    go_to(page, "Wean")
    press(page, "1", "Delete", "3", "Control+z", "Shift+ArrowRight", "2")
    page.locator("#saved.wrong", has_text="6 changes wait").wait_for()
    page.once("dialog", lambda dialog: dialog.accept())  # that there are changes
    studio.start()
    saved(page)
    assert studio.spans() == [("Ada Lopez", "LOCATION"), ("Wean Hall", "LOCATION")]
    assert len(marks(page)) == 2
    press(page, "Control+z", "Control+z")
    saved(page)
    assert studio.spans() == [("Ada Lopez", "LOCATION"), ("Wean", "SPEAKER")]


def test_what_waits_outlives_a_reload(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL)
    page = make_page(studio.link)
    page.on("dialog", lambda dialog: dialog.accept())
    page.route("**/actions", lambda route: route.abort())
    go_to(page, "Ada")
    press(page, "1")
    page.locator("#saved.wrong").wait_for()
    page.unroute("**/actions")
    page.reload()
    page.wait_for_selector("mark.reviewed")
    saved(page)
    assert studio.spans() == [("Ada", "SPEAKER")]


def test_an_answer_that_got_lost_makes_no_second_action(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL)
    page = make_page(studio.link)
    go_to(page, "Ada")
    press(page, "1", "2", "3")
    saved(page)
    lost: list[str] = []

    def lose(route: object) -> None:
        if lost:
            route.continue_()  # type: ignore[attr-defined]
            return
        lost.append(str(route.fetch().status))  # type: ignore[attr-defined]
        route.abort()  # type: ignore[attr-defined]

    page.route("**/undo", lose)
    press(page, "Control+z")
    page.locator("#saved.wrong").wait_for()
    saved(page)
    assert lost == ["200"]
    assert studio.spans() == [("Ada", "LOCATION")]


def test_two_windows_of_one_annotator(start: Start, make_page: MakePage) -> None:
    studio = start(a=MAIL)
    one, other = (make_page(studio.link, expected="409") for _ in range(2))
    go_to(one, "Ada")
    press(one, "1")
    saved(one)
    go_to(other, "Wean")
    press(other, "2")
    other.locator("#toast", has_text="changed in another window").wait_for()
    other.locator("mark.reviewed", has_text="SPEAKER").wait_for()
    press(other, "2")
    saved(other)
    assert studio.spans() == [("Ada", "SPEAKER"), ("Wean", "LOCATION")]


def test_two_annotators_at_once(start: Start, make_page: MakePage) -> None:
    studio = start("--annotator", "Kim", "--annotator", "Lee", a=MAIL)
    links = [studio.link_of("Kim"), studio.link_of("Lee")]
    pages = [make_page(link) for link in links]
    for page, keys in zip(pages, (["Shift+ArrowRight", "1"], ["2"]), strict=True):
        go_to(page, "Ada")
        press(page, *keys)
    for page in pages:
        press(page, "Shift+D")
        saved(page)
    assert studio.spans(link=links[0]) == [("Ada Lopez", "SPEAKER")]
    assert studio.spans(link=links[1]) == [("Ada", "LOCATION")]
    pages[0].locator("#menu button", has_text="Agreement").click()
    pages[0].locator("td", has_text="Kim, Lee").wait_for()
    assert pages[0].locator(".said").all_inner_texts() == ["SPEAKER Ada Lopez", "LOCATION Ada"]
    pages[0].locator("button", has_text="Show both").click()
    pages[0].locator(".compared").nth(1).wait_for()
    assert pages[0].locator(".differs").all_inner_texts() == ["Ada", "Lopez"] * 2
    pages[0].locator("button", has_text="As Lee").click()
    pages[0].locator("#view-agreement .card").wait_for(state="detached")
    assert studio.get("agreement", links[0])["differences"] == []


def test_export_is_import(start: Start, make_page: MakePage, tmp_path: Path) -> None:
    file = tmp_path / "a.conll"
    file.write_bytes(CONLL.encode())
    studio = start("--import", file, "--columns", "word,ner", labels="ner=PER,LOC")
    page = make_page(studio.link)
    assert marks(page) == ["AdaPER"]
    page.locator("#menu button", has_text="Export").click()
    with page.expect_download() as taken:
        page.locator(".export:has(b:text-is('conll')) button", has_text="all").click()
    assert Path(taken.value.path()).read_bytes() == CONLL.encode()
