"""Targets: the source of their cases, and the code under test."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import NamedTuple

from tests.support.hostile import Case


class Target(NamedTuple):
    """Code that accepts untrusted input."""

    make: Callable[[Random], bytes]
    """Makes a case; the same generator state makes the same case."""
    run: Callable[[bytes], object]
    """Runs a case. A returned list of texts is the program's answer."""
    errors: tuple[type[Exception], ...] = ()
    """The documented errors, which it may raise."""
    together: int = 1
    """Number of changes in a case, if a run is expensive; the case counts as many cases."""
    hostile: Sequence[Case] = ()
    """Hostile inputs, which are the first cases."""
    sample: bytes = b""
    """The valid input from which the hostile ones are made."""

    def answer(self, data: bytes) -> list[str]:
        """The program's answer to a case."""
        try:
            found = self.run(data)
        except self.errors as error:
            return [str(error)]
        assert isinstance(found, list)
        return found


def names() -> list[str]:
    """The names of all targets."""
    package = import_module("tests.release.fuzz.targets")
    return sorted(module.name for module in iter_modules(package.__path__))


def load(name: str, directory: Path) -> Target:
    """Prepare a target, with an empty directory for its files."""
    target: Target = import_module(f"tests.release.fuzz.targets.{name}").prepare(directory)
    return target
