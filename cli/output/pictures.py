"""The one style of all pictures. Needs matplotlib.

Blue is good for the player concerned, orange for its opponent: colours that everybody can tell
apart.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import matplotlib as mpl
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

GOOD: Final = ("#8cc3ea", "#2171b5", "#08306b")
"""Shades of blue, the darkest last."""
BAD: Final = ("#f9a463", "#d2560b", "#7a2403")
"""Shades of orange, the darkest last."""
INK: Final = "#222222"
FAINT: Final = "#666666"

_STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.hashsalt": "c4",  # the same picture is the same file
}


@contextmanager
def figure(
    width: float,
    height: float,
    paths: Sequence[Path],
    *,
    dots_per_inch: int = 150,
    style: Any = None,
) -> Iterator[Figure]:
    """A figure of some inches to draw into, which is written at the end of the context."""
    with mpl.rc_context({**_STYLE, **(style or {})}):
        drawn = Figure(figsize=(width, height), layout="constrained", facecolor="white")
        yield drawn
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else None
            drawn.savefig(path, dpi=dots_per_inch, metadata=metadata)
