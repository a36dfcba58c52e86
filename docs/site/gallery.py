"""Examples as pages: what a script says of itself, its code, what it prints, and a picture of that.

``examples/*.py`` are source files of the site like any page. Each is run when it has changed.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from pathlib import Path

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from pictures import draw
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError

GALLERY = "examples/README"


class ExampleParser(MystParser):
    """Reads a script as the Markdown page that shows it."""

    supported = ("example",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        env = document.settings.env
        path = Path(env.doc2path(env.docname))
        output = run(path) if env.config.run_examples else ""
        super().parse(page(path.stem, inputstring, output), document)
        if picture := draw(output):
            pictures(env)[env.docname] = picture
            code = next(document.findall(nodes.literal_block))
            code.parent.insert(code.parent.index(code), picture_node(picture))


def run(path: Path) -> str:
    """What a script prints."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, str(path)], cwd=folder, capture_output=True, encoding="utf-8"
        )
    if done.returncode:
        raise ExtensionError(f"{path.name} fails:\n{done.stderr}")
    return done.stdout


def page(name: str, source: str, output: str) -> str:
    """A script as Markdown: its docstring as prose, then its code, then what it printed."""
    docstring = ast.parse(source).body[0]
    code = "\n".join(source.splitlines()[docstring.end_lineno :]).strip("\n")
    title = name.partition("_")[2].replace("_", " ").capitalize()
    parts = [f"# {title}", ast.get_docstring(ast.parse(source)) or "", f"```python\n{code}\n```"]
    if output:
        parts += ["It prints:", f"```text\n{output}```"]
    return "\n\n".join(parts) + "\n"


def pictures(env: BuildEnvironment) -> dict[str, str]:
    """The picture of each example, by the name of its page."""
    if not hasattr(env, "example_pictures"):
        env.example_pictures = {}
    return env.example_pictures


def picture_node(svg: str) -> nodes.raw:
    return nodes.raw("", f'<div class="example-picture">{svg}</div>', format="html")


def show_gallery(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give the list of examples its pictures."""
    if docname != GALLERY:
        return
    for item in doctree.findall(nodes.list_item):
        for link in item.findall(nodes.reference):
            example = f"examples/{Path(link.get('refuri', '')).stem}"
            if picture := pictures(app.env).get(example):
                item.parent["classes"] = ["gallery"]
                item.insert(0, picture_node(picture))
                break


def merge_pictures(
    _: Sphinx, env: BuildEnvironment, __: list[str], other: BuildEnvironment
) -> None:
    pictures(env).update(pictures(other))


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("run_examples", True, "env", bool)
    app.add_source_parser(ExampleParser)
    app.connect("env-merge-info", merge_pictures)
    app.connect("env-updated", lambda *_: [GALLERY])
    app.connect("doctree-resolved", show_gallery)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
