"""Optional packages, which only some features need.

The messages name the packages themselves, because ``pip install '.[parquet]'`` would work only in a
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
    """The feature and a verb, as the beginning of a sentence: ``drawing needs``."""
    packages: tuple[str, ...]
    """Package names for ``pip install``."""


IMPORTED_AS: Final = {
    "font-source-sans-pro": "font_source_sans_pro",
    "pillow": "PIL",
    "resvg-py": "resvg_py",
}
"""Import names that differ from the package names."""

PICTURES: Final = Extra("PNG and GIF pictures need", ("font-source-sans-pro", "pillow", "resvg-py"))
PARQUET: Final = Extra("Parquet files need", ("pyarrow",))
LEARN: Final = Extra("learning players need", ("torch",))
MCP: Final = Extra("tools for language models need", ("mcp",))
WEB: Final = Extra("the server needs", ("starlette", "uvicorn", "h11", "uvloop"))


def require(extra: Extra, error: Callable[[str], Exception]) -> None:
    """Check that packages are installed, without importing them, which may take seconds.

    If one is missing, ``error`` makes the exception from a message that says what to install.
    """
    missing = [name for name in extra.packages if find_spec(IMPORTED_AS.get(name, name)) is None]
    if missing:
        packages = f"the package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}"
        raise error(f"{extra.need} {packages}: pip install {' '.join(missing)}")


def load_pyarrow(error: Callable[[str], Exception]) -> Any:  # noqa: ANN401
    """Import pyarrow with its modules for Parquet files; it has no type information.

    If it is missing, ``error`` makes the exception from a message that says what to install.
    """
    require(PARQUET, error)
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute  # noqa: PLC0415
    import pyarrow.parquet  # noqa: PLC0415

    return pa
