"""The packages that learning needs and that C4 does without."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final

from c4core.learning.errors import LearningMissingError

PACKAGES: Final = ("torch", "safetensors")


def require() -> None:
    """See whether the packages are there, without importing them: that takes seconds.

    Raises:
        LearningMissingError: one is not.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        names = f"package{'s' if len(missing) > 1 else ''} {' and '.join(missing)}"
        raise LearningMissingError(
            f"learning players need the {names}: pip install 'c4-analysis[learn]'"
        )
