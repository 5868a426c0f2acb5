"""Errors of opening books: of their files, and of the content to be written into one."""

from __future__ import annotations

from c4core.errors import C4Error


class BookError(C4Error):
    """Base class of all errors of books.

    Attributes:
        path: the file, or None where the error concerns none.
        offset: the byte of the file where the fault was found, or None.
    """

    def __init__(self, message: str, *, path: str | None = None, offset: int | None = None) -> None:
        super().__init__(message)
        self.path = path
        self.offset = offset


class BookForeignError(BookError):
    """The file is no book of this project."""


class BookVersionError(BookError):
    """The book was written in a newer format than this program reads."""


class BookTruncatedError(BookError):
    """The file ends before the book does."""


class BookDamagedError(BookError):
    """The file's bytes contradict its checksums or each other."""


class BookBoardError(BookError, ValueError):
    """A position, or another book, is on a different board than the book."""


class BookContentError(BookError, ValueError):
    """The content to be written or derived is no book: keys or scores do not fit.

    Attributes:
        key: the position, or None where the error concerns no single one.
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
