"""Errors of learning: missing packages, and files or settings that cannot be used."""

from __future__ import annotations

from c4core.errors import C4Error


class LearningMissingError(C4Error, ImportError):
    """The packages that learning needs are not installed; the message says how to get them."""


class ModelError(C4Error, ValueError):
    """A file that is no model of this program, or one that cannot be used here.

    Attributes:
        path: the file.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class ModelMismatchError(ModelError):
    """A model that is not what was asked for: of another kind, or trained in another way."""


class LearningError(C4Error, ValueError):
    """A training that is impossible: too few games, or too small a board."""
