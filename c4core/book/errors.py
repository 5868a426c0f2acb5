"""Errors of opening books: damaged files, and content that does not make a book."""

from __future__ import annotations

from c4core.errors import C4Error


class BookError(C4Error):
    """Base class of all errors of books.

    Attributes:
        path: the file; None if the error is not about a file.
        offset: the offset in the file at which the fault was found, or None.
    """

    def __init__(self, message: str, *, path: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.offset = offset


class BookForeignError(BookError):
    """The file is not a book of this project."""


class BookVersionError(BookError):
    """The book was written in a newer format than this program reads."""


class BookTruncatedError(BookError):
    """The file ends before the book does."""


class BookDamagedError(BookError):
    """The file's bytes contradict its checksums or each other."""


class BookBoardError(BookError, ValueError):
    """A position, or another book, is on a different board than the book."""


class BookContentError(BookError, ValueError):
    """Keys and scores that do not make a book, when they are written or derived.

    Attributes:
        key: the wrong position; None if the error is about several positions.
    """

    def __init__(
        self,
        message: str,
        *,
        key: int | None = None,
        path: str | None = None,
        offset: int | None = None,
    ) -> None:
        super().__init__(message, path=path, offset=offset)
        self.key = key
