"""Every exception of the packages can be sent from one process to another."""

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator
from typing import TypeVar

import pytest

import c4core
import cli
import db
import workers
from c4core import MoveError, parse_moves
from c4core.errors import LearningMissingError

Raised = TypeVar("Raised", bound=BaseException)
TOPS = ("c4core", "db", "workers", "cli")
NOT_IMPORTED = (
    "__main__",
    "db.migrations.env",
    "c4core.search_x86_v3",
    "c4core.search_x86_v3_pext",
)
"""Modules that run something when imported, or that need another processor."""


def exception_classes() -> list[type[BaseException]]:
    found = {
        value
        for package in (c4core, db, workers, cli)
        for module in modules(package.__name__, package.__path__)
        for value in vars(importlib.import_module(module)).values()
        if isinstance(value, type) and issubclass(value, BaseException)
    }
    return sorted(
        (kind for kind in found if kind.__module__.partition(".")[0] in TOPS),
        key=lambda kind: (kind.__module__, kind.__qualname__),
    )


def modules(name: str, path: list[str]) -> Iterator[str]:
    yield name
    for module in pkgutil.walk_packages(path, f"{name}.", onerror=pytest.fail):
        if not module.name.endswith(NOT_IMPORTED) and is_importable(module.name):
            yield module.name


def is_importable(name: str) -> bool:
    try:
        importlib.import_module(name)
    except ImportError as error:
        if (error.name or "").partition(".")[0] in TOPS:
            raise
        return False  # part of an extra that is not installed
    return True


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


def sent(error: Raised, protocol: int | None = None) -> Raised:
    """The error as received by another process."""
    back: Raised = pickle.loads(pickle.dumps(error, protocol))  # noqa: S301  (it was written here)
    return back


@pytest.mark.parametrize("kind", exception_classes())
def test_exceptions_round_trip(kind: type[BaseException]) -> None:
    error = instance(kind)
    error.add_note("seen on the way")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        back = sent(error, protocol)
        assert (type(back), str(back), back.args) == (kind, str(error), error.args)
        assert vars(back) == vars(error)
    assert vars(copy.copy(error)) == vars(error)


def test_all_exceptions_are_tested() -> None:
    names = {kind.__name__ for kind in exception_classes()}
    assert {"MoveError", "PlayerFailure", "GameFileError", "JobNotFoundError"} < names
    assert {"BookIncompleteError", "StopPlaying", "SavedGameError", "ModelError"} < names


def test_attributes_are_sent() -> None:
    with pytest.raises(MoveError) as caught:
        parse_moves("44?")
    back = sent(caught.value)
    assert (back.kind, back.column, back.index) == ("syntax", None, 2)


def test_the_text_of_an_import_error_is_sent() -> None:
    back = sent(LearningMissingError("no torch"))
    assert (str(back), back.msg) == ("no torch", "no torch")
