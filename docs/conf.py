"""The documentation site: ``pip install '.[docs,cuda]' ./plugins/*`` and ``sphinx-build -W docs docs/_build``.

Reference pages of architectures, metrics, hooks and commands, and all figures, are made by archdef itself when the site is built.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import generate

import archdef

project = "archdef"
version = release = archdef.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]   # links to files of the repository, which the site does not hold; tests/docs follows them
exclude_patterns = ["_build", "examples/plugins/**"]
html_theme = "furo"
html_static_path = ["_static", "_generated/static"]
html_css_files = ["figures.css"]
html_js_files = ["interactive.js"]
html_title = f"archdef {release}"
autodoc_member_order = "bysource"
nitpicky = False


(Path(__file__).parent / "_generated" / "static").mkdir(parents=True, exist_ok=True)   # Sphinx looks for it before pages are made


def setup(app):
    """Make the generated pages first."""
    app.connect("builder-inited", lambda _: generate.main(Path(__file__).parent / "_generated"))
