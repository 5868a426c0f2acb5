"""Optional packages: they are needed only for some features.

A message names the packages themselves: ``pip install '.[plot]'`` would work in a checkout only.
pyproject.toml has the same packages as extras.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Extra(NamedTuple):
    """The packages that a feature needs."""

    need: str
    """The feature and a verb, the beginning of a sentence: ``drawing needs``."""
    packages: tuple[str, ...]
    """Their names, under which they are both installed and imported."""


PLOT: Final = Extra("drawing needs", ("matplotlib",))
PARQUET: Final = Extra("Parquet files need", ("pyarrow",))
LEARN: Final = Extra("learning players need", ("torch", "safetensors"))
WEB: Final = Extra("the server needs", ("starlette", "uvicorn", "httptools", "uvloop"))


def require(extra: Extra, error: Callable[[str], Exception]) -> None:
    """Check that packages are installed, without importing them: that may take seconds.

    Args:
        extra: the packages.
        error: makes the exception where one is missing, from a message that says what to install.
    """
    missing = [name for name in extra.packages if find_spec(name) is None]
    if missing:
        packages = f"the package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}"
        raise error(f"{extra.need} {packages}: pip install {' '.join(missing)}")


def load_pyarrow(error: Callable[[str], Exception]) -> Any:  # noqa: ANN401
    """The pyarrow package, with what Parquet files need; it has no type information.

    Args:
        error: makes the exception where it is missing, from a message that says what to install.
    """
    require(PARQUET, error)
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    return pa
