"""What can be wrong with a data set: where its positions come from, or its files."""

from __future__ import annotations

from c4core.errors import C4Error


class EmptySourceError(C4Error, ValueError):
    """A source has not a single position to offer; the message says why."""


class DatasetError(C4Error, ValueError):
    """A file that is no data set of this project, or is damaged, or cannot be written here.

    Attributes:
        path: the file, or None where none is concerned.
    """

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.path = path


class DatasetExistsError(C4Error, ValueError):
    """A directory has something that a data set would replace, and nobody has asked for that.

    Attributes:
        path: the directory.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path
