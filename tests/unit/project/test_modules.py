"""All modules: examples in docstrings run, exceptions can be sent, exports have signatures.

``make lint`` compares the signatures of compiled modules with their stubs.
"""

import copy
import doctest
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from types import ModuleType

import pytest

import c4core
import cli
import db
import workers

PACKAGES = (c4core, db, workers, cli)
TOPS = {package.__name__ for package in PACKAGES}
NOT_IMPORTED = (
    "__main__",
    "db.migrations.env",
    "x86_v3",
    "x86_v3_pext",
)
"""Ends of names: modules that run something when imported, and kernels for newer processors."""


def modules(*packages: ModuleType) -> Iterator[ModuleType]:
    """The packages and all their modules, except parts of extras that are not installed."""
    for package in packages:
        yield package
        path, prefix = package.__path__, f"{package.__name__}."
        for found in pkgutil.walk_packages(path, prefix, onerror=pytest.fail):
            if found.name.endswith(NOT_IMPORTED):
                continue
            try:
                yield importlib.import_module(found.name)
            except ImportError as error:
                if (error.name or "").partition(".")[0] in TOPS:
                    raise


def test_examples_in_docstrings_run() -> None:
    finder = doctest.DocTestFinder(exclude_empty=False)
    runner = doctest.DocTestRunner(verbose=False)
    found = [each for module in modules(c4core) for each in finder.find(module, module.__name__)]
    for docstring in found:
        assert runner.run(docstring).failed == 0, docstring.name
    with_examples = {docstring.name for docstring in found if docstring.examples}
    assert {"c4core", "c4core.book", "c4core.players"} <= with_examples
    names = {docstring.name for docstring in found if docstring.docstring}
    assert {"c4core.position.Position.play", "c4core.solver.Solver.solve"} <= names  # compiled


def exception_classes() -> list[type[BaseException]]:
    found = {
        value
        for module in modules(*PACKAGES)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    return sorted(
        (kind for kind in found if kind.__module__.partition(".")[0] in TOPS),
        key=lambda kind: (kind.__module__, kind.__qualname__),
    )


def instance(kind: type[BaseException]) -> BaseException:
    """An error with a different text for every argument."""
    arguments, named = [], {}
    _self, *parameters = inspect.signature(kind.__init__).parameters.items()
    for name, parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY:
            named[name] = f"{kind.__name__}.{name}"
        elif parameter.kind is not parameter.VAR_KEYWORD:
            arguments.append(f"{kind.__name__}: {name}")
    return kind(*arguments, **named)


@pytest.mark.parametrize("kind", exception_classes())
def test_exceptions_can_be_sent_to_another_process(kind: type[BaseException]) -> None:
    error = instance(kind)
    error.add_note("seen on the way")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 (it was written here)
        assert (type(back), str(back), back.args) == (kind, str(error), error.args)
        assert vars(back) == vars(error)
        assert getattr(back, "msg", None) == getattr(error, "msg", None)  # of an ImportError
    assert vars(copy.copy(error)) == vars(error)


def test_all_exceptions_are_tested() -> None:
    names = {kind.__name__ for kind in exception_classes()}
    assert {"MoveError", "PlayerFailure", "GameFileError", "JobNotFoundError"} < names
    assert {"BookIncompleteError", "StopPlaying", "ModelError"} < names


@pytest.mark.parametrize("name", sorted({*c4core.__all__} - {"C4Error"}))  # users do not raise it
def test_exported_callables_have_signatures(name: str) -> None:
    value = getattr(c4core, name)
    if callable(value):
        assert inspect.signature(value) is not None
        assert inspect.getdoc(value)
