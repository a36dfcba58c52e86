"""Settings of the documentation site; ``make docs`` builds it into build/docs.

The project's root is the source folder, so that pages, examples, the change log and the guide for
contributors link to one another here just as they do in the repository.
"""

from __future__ import annotations

import sys
from pathlib import Path

SITE = Path(__file__).parent
sys.path.insert(0, str(SITE))

import dovetail  # noqa: E402

project = "Dovetail"
author = "The Dovetail developers"
copyright = author
version = release = dovetail.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx.ext.githubpages",
    "sphinx_copybutton",
    "navigation",
    "gallery",
    "api_links",
]
root_doc = "docs/index"
include_patterns = ["docs/**", "examples/**", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
exclude_patterns = [
    *("build", "dist", ".*", "**/__pycache__", "docs/site", "docs/*.py"),
    *("benchmarks", "cmake", "experiments", "native", "src", "tests", "tools"),
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext", ".py": "example"}

myst_heading_anchors = 4
myst_enable_extensions = ["smartquotes"]
suppress_warnings = [
    "myst.header",  # the reference's tables of keys begin at the fourth level
    "ref.python",  # several packages have Scores and Report; annotations name them without it
]

nitpicky = True
nitpick_ignore_regex = [
    ("py:obj", ".*"),  # the default role: code that becomes a link where there is something to link
    ("py:(class|data|exc)", ".*"),  # types in annotations: Python's, NumPy's, and private ones
]
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True}
autosummary_generate = False
napoleon_google_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"Dovetail {release}"
html_static_path = [str(SITE / "static")]
html_css_files = ["site.css"]
html_extra_path = [str(SITE / "index.html")]
html_show_copyright = False
html_copy_source = False
html_theme_options = {
    "source_repository": "https://github.com/dovetail-nlp/dovetail",
    "source_branch": "main",
    "source_directory": "",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
