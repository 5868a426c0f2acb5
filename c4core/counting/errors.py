"""Errors of counting: of its file, and of its memory."""

from __future__ import annotations

from c4core.errors import C4Error


class CountingError(C4Error):
    """Base class of all errors of counting."""


class CountFileError(CountingError):
    """A file is no kept count, or it is damaged.

    Attributes:
        path: the file.
    """

    def __init__(self, message: str, *, path: str) -> None:
        super().__init__(message)
        self.path = path


class CountMemoryError(CountingError):
    """The diagrams need more memory than they may take.

    Attributes:
        most_bytes: what they may take.
    """

    def __init__(self, message: str, *, most_bytes: int) -> None:
        super().__init__(message)
        self.most_bytes = most_bytes
