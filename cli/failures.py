"""The message and exit code of every failure."""

from __future__ import annotations

import os
from typing import Final, NamedTuple

from c4core.counting.diagram import CountMemoryError
from c4core.errors import (
    BookBoardError,
    BookContentError,
    BookError,
    C4Error,
    CertificateError,
    ClaimError,
    DatasetError,
    LearningMissingError,
    ModelError,
    ModelMismatchError,
)
from c4core.players.errors import PlayerFailure, PlayerMissingError
from cli.shell.process import Exit
from db.errors import (
    GameNotFoundError,
    JobNotFoundError,
    MatchNotFoundError,
    StorageError,
    UnknownSchemeError,
    UnreachableError,
)
from workers.errors import (
    BookIncompleteError,
    BrokerUnreachableError,
    CertificateIncompleteError,
    DatasetIncompleteError,
    NotSolvedError,
)


class Failure(NamedTuple):
    """A failed command's exit code and message."""

    code: int
    """See :class:`~cli.shell.process.Exit`."""
    message: str
    """The text for people; empty if a program is expected to be silent."""


CODES: Final[dict[type[BaseException], int]] = {
    BookBoardError: Exit.USAGE,
    BookContentError: Exit.USAGE,
    BookError: Exit.PROBLEMS,
    BookIncompleteError: Exit.PROBLEMS,
    BrokerUnreachableError: Exit.UNREACHABLE,
    C4Error: Exit.USAGE,
    CertificateError: Exit.PROBLEMS,
    CertificateIncompleteError: Exit.PROBLEMS,
    ClaimError: Exit.USAGE,
    DatasetError: Exit.PROBLEMS,
    DatasetIncompleteError: Exit.PROBLEMS,
    GameNotFoundError: Exit.USAGE,
    JobNotFoundError: Exit.USAGE,
    LearningMissingError: Exit.PROBLEMS,
    MatchNotFoundError: Exit.USAGE,
    ModelError: Exit.PROBLEMS,
    ModelMismatchError: Exit.USAGE,
    NotSolvedError: Exit.PROBLEMS,
    PlayerFailure: Exit.PROBLEMS,
    PlayerMissingError: Exit.PROBLEMS,
    StorageError: Exit.PROBLEMS,
    UnknownSchemeError: Exit.USAGE,
    UnreachableError: Exit.UNREACHABLE,
}
"""Exit codes of errors whose text is the message; the nearest base class counts."""


def explain(error: BaseException) -> Failure | None:
    """The message and exit code for an exception; None for a bug in c4."""
    if isinstance(error, BrokenPipeError):
        return Failure(Exit.CLOSED_PIPE, "")
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        where = "cannot write the output" if error.filename is None else os.fsdecode(error.filename)
        return Failure(Exit.PROBLEMS, f"{where}: {reason}")
    if isinstance(error, CountMemoryError):
        return Failure(Exit.PROBLEMS, f"{error}; --memory-mb allows more")
    if isinstance(error, MemoryError):
        return Failure(Exit.PROBLEMS, "not enough memory; a smaller --table-mb may be enough")
    code = next((CODES[kind] for kind in type(error).__mro__ if kind in CODES), None)
    return None if code is None else Failure(code, str(error))
