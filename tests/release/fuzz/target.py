"""What a target is: where its cases come from, and what is done with one."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from random import Random
from typing import NamedTuple

from tests.support.hostile import Case


class Target(NamedTuple):
    """Something that takes what a stranger hands in."""

    make: Callable[[Random], bytes]
    """Makes a case; the same chance makes the same one."""
    run: Callable[[bytes], object]
    """Takes a case. A list of texts is what the program says of it."""
    errors: tuple[type[Exception], ...] = ()
    """What it may raise: the documented errors."""
    together: int = 1
    """How many changes a case tries together, where one run is expensive: it counts as so many."""
    hostile: Sequence[Case] = ()
    """Hostile inputs, which are the first cases."""
    sample: bytes = b""
    """The valid input from which those are made."""

    def answer(self, data: bytes) -> list[str]:
        """What the program says of a case."""
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
    """A target, ready.

    Args:
        name: one of :func:`names`.
        directory: an empty one, for its files.
    """
    target: Target = import_module(f"tests.release.fuzz.targets.{name}").prepare(directory)
    return target
