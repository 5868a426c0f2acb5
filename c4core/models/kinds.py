"""The kinds of models, the limits of their sizes, and their errors.

It imports no numpy: every command that fails looks at the errors.
"""

from __future__ import annotations

from typing import Final

from c4core.errors import C4Error

KINDS: Final = ("cnn", "exact", "selfplay", "residual", "tuples")

ENGINE_KINDS: Final = ("residual", "tuples")
"""The kinds that play without PyTorch."""

ARCHITECTURES: Final = {
    "cnn": ("padding",),
    "exact": ("channels", "layers", "hidden"),
    "selfplay": ("channels", "layers", "hidden"),
    "residual": ("channels", "blocks", "hidden"),
    "tuples": ("tuples", "length"),
}
"""The names of the numbers and words that describe a model of each kind."""

LARGEST: Final = {"channels": 1024, "layers": 64, "blocks": 64, "hidden": 4096}
"""The limits of the numbers that describe a network of PyTorch."""


class LearningMissingError(C4Error, ImportError):
    """The packages that learning needs are not installed; the message says how to get them."""


class ModelError(C4Error, ValueError):
    """A file that is not a model of this program, or a model that cannot be used here.

    Attributes:
        path: the file.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class ModelMismatchError(ModelError):
    """A model of another kind than expected, or one that was trained in another way."""


class LearningError(C4Error, ValueError):
    """A training that is impossible: there are too few games, or the board is too small."""
