"""Sphinx makes a site of these documents: ``make docs``, then ``build/site/index.html``.

Docstrings are read from the modules themselves, compiled ones too. Compiled modules have no
annotations: their signatures are read from the stubs beside them.
"""

import ast
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sphinx.util.nodes import make_refnode

if TYPE_CHECKING:
    from docutils.nodes import Element
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
# Sphinx would document the stubs in place of the modules, and these have no docstrings.
os.environ["SPHINX_AUTODOC_IGNORE_NATIVE_MODULE_TYPE_STUBS"] = "1"

from c4core.version import __version__  # noqa: E402

project = "C4"
release = __version__
project_copyright = "the authors of C4; MIT licence"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinxcontrib.mermaid",
]
include_patterns = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**"]
exclude_patterns = ["docs/api/*.md"]  # made from the .rst files: make reference
root_doc = "docs/index"
if tags.has("markdown"):  # noqa: F821 (Sphinx defines it)
    extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_markdown_builder"]
    pages = ("index", "functions", "c4core", "players")
    include_patterns = [f"docs/api/{page}.rst" for page in pages]
    root_doc = "docs/api/index"
    markdown_anchor_signatures = True
html_theme = "furo"
html_title = f"C4 {release}"

myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 4
suppress_warnings = [
    "misc.highlighting_failure",  # examples of broken input are not valid JSON
    "ref.python",  # several classes have an attribute of this name
]

# Show members from our own base classes; members of Python's classes are well known.
autodoc_default_options = {
    "members": True,
    "inherited-members": "object, tuple, dict, Exception, StrEnum, str, Protocol",
}
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
toc_object_entries_show_parents = "hide"


@cache
def stub(module: str) -> ast.Module | None:
    """The stub of a compiled module; None if the module is not compiled, or has no stub."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".pyi")
    return ast.parse(path.read_text()) if path.exists() else None


def typed_signature(
    _app: "Sphinx", what: str, name: str, value: object, *_others: object
) -> tuple[str, str] | None:
    """The signature and the return type of a function in a stub; None if no stub has it."""
    if what not in {"class", "function", "method"}:
        return None
    of_class = getattr(value, "__objclass__", None)
    found: ast.AST | None = stub(getattr(value, "__module__", None) or of_class.__module__)
    for part in getattr(value, "__qualname__", name).split("."):
        found = member(found, part)
    if isinstance(found, ast.ClassDef):
        found = member(found, "__init__") or member(found, "__new__")
    if not isinstance(found, ast.FunctionDef):
        return None
    parameters = ast.unparse(found.args).removeprefix("self").removeprefix("cls")
    made = found.name in {"__init__", "__new__"} or found.returns is None
    return f"({parameters.lstrip(', ')})", "" if made else ast.unparse(found.returns)


def member(node: ast.AST | None, name: str) -> ast.AST | None:
    """The definition with this name in a module or a class."""
    return next(
        (one for one in getattr(node, "body", ()) if getattr(one, "name", "") == name), None
    )


def at_its_address(
    app: "Sphinx", env: "BuildEnvironment", node: "pending_xref", text: "Element"
) -> "Element | None":
    """The documented place of a name that is given with its module: ``c4core.solver.Solver``."""
    if node["refdomain"] != "py":
        return None
    domain = env.domains.python_domain
    _module, *parts = node["reftarget"].split(".")
    for start in range(len(parts)):
        tail = ".".join(parts[start:])
        for name, found in domain.objects.items():
            if name.endswith(f".{tail}") and found.objtype != "module":
                return make_refnode(
                    app.builder, node["refdoc"], found.docname, found.node_id, [text], name
                )
    return None


def as_prose(
    _app: "Sphinx", what: str, _name: str, _value: object, _options: object, lines: list[str]
) -> None:
    """Keep Napoleon from reading the text before a colon in an attribute's docstring as a type."""
    if what in {"attribute", "data", "property"}:
        lines[:0] = ["..", ""]  # an empty comment


def setup(app: "Sphinx") -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-signature", typed_signature)
    app.connect("autodoc-process-docstring", as_prose, priority=400)
    app.connect("missing-reference", at_its_address)
