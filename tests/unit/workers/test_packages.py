"""The docstring of each package in ``workers`` names every module and package in it."""

import ast
import re
from pathlib import Path

import pytest

import workers

ROOT = Path(workers.__file__).parent
PACKAGES = sorted(path.parent for path in ROOT.rglob("__init__.py"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: path.name)
def test_the_docstring_names_all_modules(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    modules = {path.stem for path in package.glob("[!_]*.py")}
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    assert modules | packages <= set(re.findall("``([a-z_]+)``", text))
