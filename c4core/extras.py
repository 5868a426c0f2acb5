"""Optional packages, which only some features need.

The messages name the packages themselves, because ``pip install '.[plot]'`` would work only in a
checkout. In pyproject.toml the same packages are extras.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class Extra(NamedTuple):
    """The packages that a feature needs."""

    need: str
    """The beginning of a sentence, the feature and a verb: ``drawing needs``."""
    packages: tuple[str, ...]
    """Their names, for both ``pip install`` and ``import``."""


IMPORTED_AS: Final = {"pillow": "PIL"}
"""Packages that are imported under another name than they are installed under."""

PICTURES: Final = Extra("pictures with dots need", ("pillow",))
PLOT: Final = Extra("drawing needs", ("matplotlib",))
PARQUET: Final = Extra("Parquet files need", ("pyarrow",))
LEARN: Final = Extra("learning players need", ("torch",))
WEB: Final = Extra("the server needs", ("starlette", "uvicorn", "httptools", "msgspec", "uvloop"))


def require(extra: Extra, error: Callable[[str], Exception]) -> None:
    """Check that packages are installed, without an import, which may take seconds.

    Args:
        extra: the packages.
        error: makes the exception if one is missing, from a message that says what to install.
    """
    missing = [name for name in extra.packages if find_spec(IMPORTED_AS.get(name, name)) is None]
    if missing:
        packages = f"the package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}"
        raise error(f"{extra.need} {packages}: pip install {' '.join(missing)}")


def load_pyarrow(error: Callable[[str], Exception]) -> Any:  # noqa: ANN401
    """The pyarrow package, with its modules for Parquet files; it has no type information.

    Args:
        error: makes the exception if it is missing, from a message that says what to install.
    """
    require(PARQUET, error)
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    return pa
