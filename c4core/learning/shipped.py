"""The trained models that are shipped with this package."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Final

SHIPPED: Final = "shipped"
"""The name of the shipped model, where a file's name is asked for."""

_DIRECTORY: Final = Path(__file__).parents[1] / "data"


def shipped_file(kind: str) -> Path:
    """Where the shipped model of a kind is, if there is one. It plays on 7x6."""
    return _DIRECTORY / f"c4-7x6-{kind}.safetensors"


@functools.lru_cache
def named_file(name: str, kind: str) -> Path:
    """The file of a name: the shipped model of a kind, or a path."""
    return shipped_file(kind) if name == SHIPPED else Path(name)
