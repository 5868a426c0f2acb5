"""Errors of data sets: of the sources of positions, and of files."""

from __future__ import annotations

from c4core.errors import C4Error


class EmptySourceError(C4Error, ValueError):
    """A source has no positions; the message says why."""


class DatasetError(C4Error, ValueError):
    """A file that is not a data set of this project, or is damaged, or cannot be written here.

    Attributes:
        path: the file; None if the error is not about a file.
    """

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class DatasetExistsError(C4Error, ValueError):
    """A directory has files that a data set would replace, and nobody allowed that.

    Attributes:
        path: the directory.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path
