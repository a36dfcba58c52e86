"""The site's navigation, taken from what the pages link to: pages need no directives of Sphinx.

Each section of the index becomes a part of the sidebar, with the pages that it links to under the
words of the links; and the page of the examples lists the examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from posixpath import normpath

from sphinx.application import Sphinx

LISTS = ("docs/index", "examples/README")  # pages whose links make up the navigation


def toctrees(docname: str, text: str) -> Iterator[str]:
    """A hidden table of contents for each section of a page that links to other pages."""
    for section in re.split(r"^(?=## )", text, flags=re.MULTILINE):
        heading = re.match(r"## (.*)", section)
        links = re.findall(r"\[([^]]+)\]\(([^)#:\s]+)\.(?:md|rst|py)\)", section)
        if links:
            folder = PurePosixPath(docname).parent
            titles = {normpath(folder / target): title for title, target in reversed(links)}
            caption = [f":caption: {heading[1]}"] if heading else []
            entries = [
                f"{title[0].upper()}{title[1:]} </{document}>"
                for document, title in reversed(titles.items())
            ]
            yield "\n".join(["```{toctree}", ":hidden:", *caption, "", *entries, "```"])


def add_toctrees(_: Sphinx, docname: str, source: list[str]) -> None:
    if docname in LISTS:
        source[0] = "\n\n".join([source[0], *toctrees(docname, source[0])]) + "\n"


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("source-read", add_toctrees)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
