"""The page and its parts: read once, served from memory. No path that a client names is opened."""

from __future__ import annotations

from dovetail.serve.assets import SHARED, Asset

PAGE = (
    "index.html",
    "annotation.js",
    "api.js",
    "chart.js",
    "desk.js",
    "dialogs.js",
    "hands.js",
    "keys.js",
    "labels.js",
    "legend.js",
    "list.js",
    "outbox.js",
    "page.css",
    "page.js",
    "paper.js",
    "parts.js",
    "points.js",
    "progress.js",
    "questions.js",
    "views.js",
)

ASSETS = {
    **{
        "/" if name == "index.html" else f"/page/{name}": Asset(name, __package__).__call__
        for name in PAGE
    },
    **{f"/page/{name}": Asset(name).__call__ for name in SHARED},
}
