"""The errors of positions, books, data sets, certificates and models.

Most errors have the wrong value or the path of the file as an attribute. Errors of players are in
:mod:`c4core.players.errors`.

Every error that this project raises on purpose is a :class:`C4Error`. Most errors about bad input
are also a :class:`ValueError`, so callers can catch them by either class.
"""

from __future__ import annotations


class C4Error(Exception):
    """Base class of all errors that this project raises on purpose.

    Every subclass can be pickled, regardless of the arguments of its constructor. A process pool
    pickles errors to send them to the parent. An error that cannot be unpickled breaks the pool.
    """

    def __reduce__(self) -> tuple[object, ...]:
        """Return class, arguments and attributes; unpickling does not call the constructor."""
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[C4Error], arguments: tuple[object, ...]) -> C4Error:
    """Return the error as it was raised, but without its attributes."""
    error = kind.__new__(kind, *arguments)
    # This calls the constructor of the other base class; that of ImportError sets the message.
    super(C4Error, error).__init__(*arguments)
    return error


class BoardError(C4Error, ValueError):
    """A board size that cannot be read, or on which the engine cannot play.

    Attributes:
        size: the given text or ``(width, height)`` pair.
    """

    def __init__(self, message: str, *, size: object = None) -> None:
        super().__init__(message)
        self.size = size


class MoveError(C4Error, ValueError):
    """A move that cannot be read or cannot be played.

    Attributes:
        kind: ``"syntax"`` (no column), ``"range"`` (column outside the board), ``"full"`` (the
            column is full), ``"over"`` (the game has ended before this move) or ``"ambiguous"``
            (the text can be read in two ways).
        column: the 0-based column, or None if the text does not name one.
        index: the move's 0-based index in the sequence it came from, or None for a single move.
    """

    def __init__(
        self, message: str, *, kind: str, column: int | None = None, index: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.column = column
        self.index = index


class GridError(C4Error, ValueError):
    """A text grid that is not a position: wrong shape, characters or counts, or floating stones.

    Attributes:
        row: the wrong row, 0-based from the top; None if the whole grid is wrong.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class PositionError(C4Error, ValueError):
    """A value that cannot be read as a position.

    Attributes:
        field: the wrong part: ``moves``, ``grid``, ``key`` or ``board``; ``line`` for the complete
            value.
    """

    def __init__(self, message: str, *, field: str = "line") -> None:
        super().__init__(message)
        self.field = field


class KeyValueError(C4Error, ValueError):
    """A number that is not the key of a position of the given board.

    Attributes:
        key: the given number.
    """

    def __init__(self, message: str, *, key: int) -> None:
        super().__init__(message)
        self.key = key


class BookError(C4Error):
    """Base class of all errors of books."""


class BookForeignError(BookError):
    """The file is not a book of this project."""


class BookVersionError(BookError):
    """The book's format is newer than this program can read."""


class BookTruncatedError(BookError):
    """The file ends before the book does."""


class BookDamagedError(BookError):
    """The file's bytes contradict its checksums or each other."""


class BookBoardError(BookError, ValueError):
    """A position, or another book, is on a different board than the book."""


class BookContentError(BookError, ValueError):
    """Keys and scores that do not form a valid book."""


class EmptySourceError(C4Error, ValueError):
    """A source has no positions; the message says why."""


class DatasetError(C4Error, ValueError):
    """A file that is not a data set of this project, is damaged, or cannot be written."""


class DatasetExistsError(C4Error, ValueError):
    """A directory has files that a data set would replace, and replacing was not allowed."""


class CertificateError(C4Error):
    """Base class of all errors of certificates."""


class CertificateMissingError(CertificateError, ValueError):
    """No certificate for this board is included."""


class CertificateForeignError(CertificateError):
    """The file is not a certificate, or has another format version."""


class CertificateDamagedError(CertificateError):
    """The file's bytes contradict its checksum, its format or each other."""


class CertificateWrongError(CertificateError):
    """The file is intact, but it does not prove its claim."""


class ClaimError(CertificateError, ValueError):
    """A claim is false, or a certificate cannot be made for it."""


class ProvingStoppedError(CertificateError):
    """The search for a proof was stopped."""


class LearningMissingError(C4Error, ImportError):
    """The packages for learning are not installed; the message says how to install them."""


class ModelError(C4Error, ValueError):
    """A file that is not a model of this program, or a model that cannot be used here."""


class ModelMismatchError(ModelError):
    """A model of a different kind than expected, or one that was trained in a different way."""


class LearningError(C4Error, ValueError):
    """Training is impossible: there are too few games, or the board is too small."""
