"""Links of the API pages: each name is documented in one place, and linked from everywhere.

What `dovetail` itself exports is documented under that name (`dovetail.Corpus`), not again under
that of its package. Annotations name the module that defines a class; they lead to the same place.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

import dovetail


def load_names(*_: Any) -> None:
    """Load names that packages would load when they are used, so that their pages have them."""
    for package in ("dovetail.pipeline", "dovetail.recipe"):
        module = import_module(package)
        for name in module.__all__:
            setattr(module, name, getattr(module, name))


def skip_top_level_names(
    _: Sphinx, what: str, name: str, member: Any, _skip: bool, _options: Any
) -> bool | None:
    """In the pages of packages, leave out what is documented as a name of `dovetail`."""
    known = what == "module" and name in dovetail.__all__
    if known and member is getattr(dovetail, name):
        return True
    if type(member).__name__ == "_tuplegetter":  # fields of a NamedTuple: the signature has them
        return True
    return True if name.startswith("set_") and name.endswith("_request") else None  # scikit-learn's


def unlink_namesakes(_: Sphinx, doctree: nodes.document) -> None:
    """In annotations, `Scores` and `Labels` are arrays and `Sequence` is Python's, not ours."""
    for node in list(doctree.findall(pending_xref)):
        names = ("Scores", "Labels", "Sequence")
        alias = node.get("reftype") == "class" and node["reftarget"] in names
        if alias and node.get("py:module") != "dovetail.evaluate":
            node.replace_self(nodes.Text(node["reftarget"]))


def resolve_by_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Find a name of the API by its last part, if only one documented object is called so."""
    package, _, short = node["reftarget"].rpartition(".")
    if node.get("refdomain") != "py" or package.partition(".")[0] not in ("", "dovetail"):
        return None
    objects = env.domains["py"].objects
    if f"dovetail.{short}" in objects:
        known = [f"dovetail.{short}"]
    else:
        known = [name for name in objects if name.rpartition(".")[2] == short]
    if len(known) != 1 or (node["reftype"] == "obj" and known[0].count(".") > 2):
        return None
    entry = objects[known[0]]
    return make_refnode(
        app.builder, node["refdoc"], entry.docname, entry.node_id, content, known[0]
    )


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", load_names)
    app.connect("autodoc-skip-member", skip_top_level_names)
    app.connect("doctree-read", unlink_namesakes)
    app.connect("missing-reference", resolve_by_name)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
