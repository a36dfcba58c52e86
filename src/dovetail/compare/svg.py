"""From an SVG file as matplotlib writes it to an element that lives in a page."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from xml.etree import ElementTree

XLINK = "{http://www.w3.org/1999/xlink}"


def for_page(file: str, title: str, colors: Mapping[str, str]) -> str:
    """The ``svg`` element without size, fonts, metadata and namespaces, which the page has.

    ``colors`` says what to write in place of colours in styles. Names of parts begin with a hash of
    the title, since all plots of a page share one space of names.

    >>> file = '<svg width="9pt"><g id="a" style="fill: #123456"/></svg>'
    >>> for_page(file, "Dots", {"#123456": "red"})
    '<svg role="img" aria-label="Dots"><g id="p6de3-a" style="fill: red" /></svg>'
    """
    root = ElementTree.fromstring(file)
    prefix = f"p{hashlib.sha256(title.encode()).hexdigest()[:4]}-"
    for element in root.iter():
        for child in [child for child in element if child.tag.endswith(("metadata", "style"))]:
            element.remove(child)
        element.tag = element.tag.rpartition("}")[2]
        element.attrib = {
            name.removeprefix(XLINK): _value(name.removeprefix(XLINK), value, prefix, colors)
            for name, value in element.attrib.items()
        }
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib = {"role": "img", "aria-label": title, **root.attrib}
    return ElementTree.tostring(root, encoding="unicode")


def _value(name: str, value: str, prefix: str, colors: Mapping[str, str]) -> str:
    if name == "id":
        return prefix + value
    if name == "href":
        return value.replace("#", f"#{prefix}")
    if name == "clip-path":
        return value.replace("url(#", f"url(#{prefix}")
    if name == "style":
        value = re.sub(r"\bfont-family: [^;]*;?\s*", "", value)
        value = re.sub(r"\bfont: ([\d.]+px) [^;]*", r"font-size: \1", value)
        return re.sub("#[0-9a-f]{6}", lambda found: colors.get(found[0], found[0]), value)
    return value
