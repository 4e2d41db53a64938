"""How the documents are built: `nox -s docs`. No network is used and the theme is the one Sphinx brings."""

from __future__ import annotations

from importlib.metadata import version as version_of

project = "capacity"
author = "the capacity authors"
copyright = "the capacity authors"
version = release = version_of("capacity-core")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 3
# A link may lead to a file outside docs; tests/architecture/test_links.py follows every link.
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
napoleon_google_docstring = True
napoleon_numpy_docstring = False

html_theme = "alabaster"
html_theme_options = {"description": "quota for fleets of coding agents", "fixed_sidebar": True, "page_width": "72rem"}
html_static_path: list[str] = []
