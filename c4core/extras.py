"""Packages that C4 does without until somebody asks for what needs them.

A message names the packages themselves, for that works wherever C4 came from: ``pip install
'.[plot]'`` does in a checkout only. pyproject.toml has the same packages as extras.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Extra(NamedTuple):
    """What to install for something."""

    need: str
    """What needs it, with the verb: the beginning of a sentence."""
    packages: tuple[str, ...]
    """Their names, of which each is both what is installed and what is imported."""


PLOT: Final = Extra("drawing needs", ("matplotlib",))
PARQUET: Final = Extra("Parquet files need", ("pyarrow",))
LEARN: Final = Extra("learning players need", ("torch", "safetensors"))


def require(extra: Extra, error: Callable[[str], Exception]) -> None:
    """See whether packages are there, without importing them: that may take seconds.

    Args:
        extra: names them.
        error: makes what is raised where one is not installed, from a message that says how.
    """
    missing = [name for name in extra.packages if find_spec(name) is None]
    if missing:
        packages = f"the package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}"
        raise error(f"{extra.need} {packages}: pip install {' '.join(missing)}")


def load_pyarrow(error: Callable[[str], Exception]) -> Any:  # noqa: ANN401
    """The pyarrow package, with what Parquet files need; it has no type information.

    Args:
        error: makes what is raised where it is not installed, from a message that says how.
    """
    require(PARQUET, error)
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    return pa
