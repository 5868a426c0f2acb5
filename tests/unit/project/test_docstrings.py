"""The examples in the engine's docstrings run, including those in compiled modules."""

import doctest
import importlib
import pkgutil
from collections.abc import Iterator

import c4core

ONLY_THERE = frozenset({"c4core.search_x86_v3", "c4core.search_x86_v3_pext"})
"""Modules that some processors lack; the same source is also compiled for all processors."""


def docstrings() -> Iterator[doctest.DocTest]:
    """Every docstring of the package, with or without examples."""
    finder = doctest.DocTestFinder(exclude_empty=False)
    names = [module.name for module in pkgutil.walk_packages(c4core.__path__, "c4core.")]
    for name in sorted({"c4core", *names}):
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            missing = (error.name or "").partition(".")[0] != "c4core"
            if not (missing or name in ONLY_THERE):
                raise
            continue  # part of an extra that is not installed
        yield from finder.find(module, name)


def test_examples_in_docstrings_run() -> None:
    runner = doctest.DocTestRunner(verbose=False)
    with_examples = set()
    for docstring in docstrings():
        if docstring.examples:
            with_examples.add(docstring.name)
            assert runner.run(docstring).failed == 0, docstring.name
    assert {"c4core", "c4core.book", "c4core.players"} <= with_examples


def test_docstrings_of_compiled_modules_are_included() -> None:
    names = {docstring.name for docstring in docstrings() if docstring.docstring}
    assert {"c4core.position.Position.play", "c4core.solver.Solver.solve"} <= names
