"""What one does on the page, and what one sees there."""

from __future__ import annotations

from typing import Any


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def go_to(page: Any, word: str) -> None:
    """The cursor on the first such token, by arrows alone."""
    press(page, "Control+Home")
    for _ in range(page.locator(".token").count()):
        if page.locator("#cursor").inner_text() == word:
            return
        press(page, "ArrowRight")
    raise AssertionError(f"there is no token {word!r}")


def saved(page: Any) -> None:
    """Waits until the server has everything."""
    page.locator("#saved", has_text="Saved").wait_for()


def marks(page: Any, kind: str = "reviewed") -> list[str]:
    """The spans that are shown, each with its label."""
    found = page.locator(f"#text mark.{kind}").all_inner_texts()
    return [" ".join(text.replace("\n", " ").split()) for text in found]


def token(page: Any, word: str) -> Any:
    """The first such token."""
    return page.locator("#text .token", has_text=word).first


def centre(node: Any) -> tuple[float, float]:
    box = node.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Any, start: tuple[float, float], end: tuple[float, float]) -> None:
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, steps=4)
    page.mouse.move(*end, steps=4)
    page.mouse.up()
