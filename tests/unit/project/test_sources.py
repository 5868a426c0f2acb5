"""Sources import only declared packages, and hints in messages name the right packages."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from c4core import extras
from tests.support.running.command_line import ROOT

TOPS = ("c4core", "db", "workers", "web", "cli")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DISTRIBUTIONS = {
    "PIL": "pillow",
    "font_source_sans_pro": "font-source-sans-pro",
    "kaggle_environments": "kaggle-environments",
    "prometheus_client": "prometheus-client",
    "pyspiel": "open_spiel",
    "resvg_py": "resvg-py",
}
"""Distributions whose name differs from the imported one."""


Nodes = list[ast.AST]


@pytest.fixture(scope="module")
def sources() -> dict[Path, Nodes]:
    """The imports and calls of every module."""
    return {
        path: [
            node
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)
        ]
        for top in TOPS
        for path in sorted((ROOT / top).rglob("*.py"))
    }


def imports(nodes: Nodes) -> Iterator[str]:
    """The top-level modules that a module imports anywhere."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield str(node.module).partition(".")[0]


def test_all_imports_are_declared(sources: dict[Path, Nodes]) -> None:
    modules = {module for nodes in sources.values() for module in imports(nodes)}
    imported = modules - sys.stdlib_module_names - set(TOPS)
    installed = {DISTRIBUTIONS.get(name, name) for name in imported}
    optional = {name for name in extra_packages() if name in installed}
    needed = installed - optional
    assert needed == distributions(PROJECT["dependencies"])
    expected = """
        font-source-sans-pro gymnasium kaggle-environments mcp open_spiel
        pettingzoo pillow pyarrow resvg-py starlette torch uvicorn
    """
    assert optional == set(expected.split())


def extra_packages() -> set[str]:
    found = PROJECT["optional-dependencies"]
    used = found.keys() - {"dev", "test"}
    return {name for extra in used for name in distributions(found[extra])}


def distributions(requirements: Iterable[str]) -> set[str]:
    """The required distributions, without extras and versions."""
    return {re.split(r"[\[<>=,; ]", requirement)[0] for requirement in requirements}


@pytest.mark.parametrize("name", ["parquet", "pictures", "learn", "mcp", "web"])
def test_messages_name_the_packages_of_the_extra(name: str) -> None:
    extra: extras.Extra = getattr(extras, name.upper())
    brought = distributions(PROJECT["optional-dependencies"][name])
    assert set(extra.packages) == brought


def test_several_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    some = extras.Extra("both need", ("one", "other"))
    with pytest.raises(
        ValueError, match=r"need the packages one and other: pip install one other$"
    ):
        extras.require(some, ValueError)


MESSAGING = ("celery", "kombu", "amqp", "billiard")


@pytest.mark.parametrize("path", sorted((ROOT / "workers").rglob("*.py")), ids=str)
def test_the_messaging_library_is_used_as_it_is(path: Path) -> None:
    """No class of it is extended, and no private name of it is used."""
    tree = ast.parse(path.read_text())
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MESSAGING:
            assert not [each.name for each in node.names if each.name.startswith("_")]
            names |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Import):
            names |= {each.name for each in node.names if each.name.split(".")[0] in MESSAGING}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            assert not names & {ast.unparse(base).split(".")[0] for base in node.bases}, node.name
