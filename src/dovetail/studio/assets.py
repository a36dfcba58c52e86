"""The labelling page and its parts; what it has in common with the service's page comes from there."""

from __future__ import annotations

from dovetail.serve.assets import SHARED, Asset

PAGE = (
    "index.html",
    "page.css",
    "page.js",
)
ASSETS = {
    **{f"/page/{name}": Asset(name).__call__ for name in SHARED},
    **{"/" if name == "index.html" else f"/page/{name}": Asset(name, __package__).__call__ for name in PAGE},
}
