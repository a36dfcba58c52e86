"""Marks of files that Dovetail has made: what has one may be replaced by another."""

from __future__ import annotations

import os

from dovetail.io.files import PathLike

RESULTS = b'{"cell":'  # how files of results begin,
TUNED = b"# Written by dovetail tune"  # and recipes that a command has written
MARKS = (
    b'"format":"dovetail"',  # models
    b'<meta name="generator" content="Dovetail">',  # reports
    b"<dc:title>Dovetail</dc:title>",  # plots as SVG,
    b"Software\0Dovetail",  # as PNG,
    b"/Creator (Dovetail)",  # and as PDF
)
WINDOW = 1 << 16  # bytes at either end in which a file says who made it


def is_ours(path: PathLike) -> bool:
    """Whether a file says that it was made here, or is empty."""
    with open(path, "rb") as file:
        head = file.read(WINDOW)
        file.seek(max(0, os.fstat(file.fileno()).st_size - WINDOW))
        ends = head + file.read(WINDOW)
    return not head or head.startswith((RESULTS, TUNED)) or any(mark in ends for mark in MARKS)
