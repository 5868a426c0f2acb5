"""Packages that are there only if somebody has installed them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def load_pyarrow(error: Callable[[str], Exception]) -> Any:  # noqa: ANN401
    """The pyarrow package, with what Parquet files need; it has no type information.

    Args:
        error: makes what is raised where it is not installed, from a message that says how.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute  # noqa: PLC0415
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError:
        raise error(
            "Parquet files need the package pyarrow: pip install 'c4-analysis[parquet]'"
        ) from None
    return pa
