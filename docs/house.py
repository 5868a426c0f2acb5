"""Prints the picture of the rooms in architecture.md: ``python docs/house.py``.

With ``--write`` the picture is put into the page.

A room is a package within one of the five. An arrow goes from a room to each room that it imports,
even if only for types. An arrow that follows from others is left out, and rooms with the same
arrows share a box. Between two of the five packages there is at most one arrow.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("cli", "web", "workers", "db", "c4core")

Graph = dict[str, set[str]]
"""The names that every name imports."""


@cache
def imports() -> list[tuple[str, str]]:
    """Every module, and the addresses that it imports from the five packages."""
    found = []
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.p*")):
            if path.suffix not in {".py", ".pyx", ".pxd", ".pxi"}:
                continue
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            names = python_imports if path.suffix == ".py" else cython_imports
            found += [
                (module, name) for name in names(path.read_text()) if name.split(".")[0] in PACKAGES
            ]
    return found


def python_imports(source: str) -> Iterator[str]:
    """The addresses that a Python file imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def cython_imports(source: str) -> Iterator[str]:
    """The addresses that a Cython file imports or cimports."""
    statement = r"^\s*from ([\w.]+) c?import (\([^)]*\)|.*)|^\s*c?import ([\w.]+)"
    for match in re.finditer(statement, source, re.MULTILINE):
        module, names, direct = match.groups()
        if direct:
            yield direct
        else:
            yield from (f"{module}.{name}" for name in re.findall(r"[\w*]+", names))


def rooms() -> dict[str, list[str]]:
    """The rooms of each package, by name; migrations are not a room."""
    return {
        package: sorted(
            f"{package}.{file.parent.name}"
            for file in (ROOT / package).glob("*/__init__.py")
            if file.parent.name != "migrations"
        )
        for package in PACKAGES
    }


def reduced(graph: Graph) -> Graph:
    """The graph without arrows that follow from others. It must not have circles."""

    def reached(name: str) -> set[str]:
        return graph[name].union(*map(reached, graph[name]))

    return {
        name: {to for to in direct if not any(to in reached(other) for other in direct - {to})}
        for name, direct in graph.items()
    }


def graph_of(names: Iterable[str], found: Iterable[tuple[str, str]]) -> Graph:
    """The imports between some packages."""
    graph: Graph = {name: set() for name in names}
    for module, imported in found:
        importers = [name for name in graph if is_within(module, name)]
        for name, other in product(importers, graph):
            if name != other and is_within(imported, other):
                graph[name].add(other)
    return graph


def is_within(module: str, package: str) -> bool:
    """Whether an address is a package or is in it."""
    return f"{module}.".startswith(f"{package}.")


def boxes(graph: Graph) -> dict[str, list[str]]:
    """The names in each box, by the first of them."""
    alike: dict[object, list[str]] = {}
    for name in sorted(graph):
        importers = frozenset(other for other in graph if name in graph[other])
        alike.setdefault((frozenset(graph[name]), importers), []).append(name)
    return {names[0]: names for names in alike.values()}


def picture() -> str:
    """The rooms and their imports, for Mermaid."""
    found = imports()
    lines = ["flowchart TB"]
    for package, names in rooms().items():
        graph = reduced(graph_of(names, found))
        shared = boxes(graph)
        lines.append(f"    subgraph {package}")
        for first, alike in shared.items():
            label = "<br/>".join(name.removeprefix(f"{package}.") for name in alike)
            lines.append(f'        {first}["{label}"]')
        for first in shared:
            lines += [f"        {first} --> {to}" for to in sorted(graph[first] & shared.keys())]
        lines.append("    end")
    between = reduced(graph_of(PACKAGES, found))
    lines += [f"    {name} ==> {to}" for name in PACKAGES for to in sorted(between[name])]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        page = ROOT / "docs" / "architecture.md"
        fence = re.compile(r"(?<=^```mermaid\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
        page.write_text(fence.sub(lambda _: f"{picture()}\n", page.read_text(), count=1))
    else:
        print(picture())
