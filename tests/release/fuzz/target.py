"""Targets: the source of their cases, and the code under test."""

from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
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
        try:
            found = self.run(data)
        except self.errors as error:
            return [str(error)]
        assert isinstance(found, list)
        return found


TARGETS = {
    "boards": ("grids", "keys", "positions"),
    "books": ("books", "booktexts", "pons"),
    "database": ("database",),
    "datasets": ("cards", "evaluation_sets", "jsonl", "npz"),
    "games": ("games", "lines_csv"),
    "modelfiles": ("modelfiles",),
    "models": ("models",),
    "parquet": ("book_parquet", "parquet"),
    "players": ("players",),
}
"""The modules in ``targets/``, and the targets in each."""


def names() -> list[str]:
    return sorted(chain.from_iterable(TARGETS.values()))


def load(name: str, directory: Path) -> Target:
    """Prepare a target, with an empty directory for its files."""
    (module,) = (module for module, targets in TARGETS.items() if name in targets)
    prepare = getattr(import_module(f"tests.release.fuzz.targets.{module}"), f"prepare_{name}")
    target: Target = prepare(directory)
    return target
