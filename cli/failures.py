"""The message and exit code of every failure. After a fault, the database is checked for damage."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Final, NamedTuple

from c4core.counting.diagram import CountingError, CountMemoryError
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
from cli.shell import exits
from db.errors import (
    DamagedValueError,
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
    """See :mod:`cli.shell.exits`."""
    message: str
    """The text for people; empty if a program is expected to be silent."""


REMEDY: Final = "c4 db check lists all damage, c4 db repair drops what can be solved again"

CODES: Final[dict[type[BaseException], int]] = {
    BookBoardError: exits.USAGE,
    BookContentError: exits.USAGE,
    BookError: exits.PROBLEMS,
    BookIncompleteError: exits.PROBLEMS,
    BrokerUnreachableError: exits.UNREACHABLE,
    C4Error: exits.USAGE,
    CertificateError: exits.PROBLEMS,
    CertificateIncompleteError: exits.PROBLEMS,
    ClaimError: exits.USAGE,
    CountingError: exits.PROBLEMS,
    DatasetError: exits.PROBLEMS,
    DatasetIncompleteError: exits.PROBLEMS,
    GameNotFoundError: exits.USAGE,
    JobNotFoundError: exits.USAGE,
    LearningMissingError: exits.PROBLEMS,
    MatchNotFoundError: exits.USAGE,
    ModelError: exits.PROBLEMS,
    ModelMismatchError: exits.USAGE,
    NotSolvedError: exits.PROBLEMS,
    PlayerFailure: exits.PROBLEMS,
    PlayerMissingError: exits.PROBLEMS,
    StorageError: exits.PROBLEMS,
    UnknownSchemeError: exits.USAGE,
    UnreachableError: exits.UNREACHABLE,
}
"""Exit codes of errors whose text is the message; the nearest base class counts."""


def explain(error: BaseException) -> Failure | None:
    """The message and exit code for an exception; None for a bug in c4."""
    if isinstance(error, BrokenPipeError):
        return Failure(exits.CLOSED_PIPE, "")
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        where = "cannot write the output" if error.filename is None else os.fsdecode(error.filename)
        return Failure(exits.PROBLEMS, f"{where}: {reason}")
    if isinstance(error, CountMemoryError):
        return Failure(exits.PROBLEMS, f"{error}; --memory-mb allows more")
    if isinstance(error, DamagedValueError):
        return Failure(exits.PROBLEMS, f"{error}; {REMEDY}")
    if isinstance(error, MemoryError):
        return Failure(exits.PROBLEMS, "not enough memory; a smaller --table-mb may be enough")
    code = next((CODES[kind] for kind in type(error).__mro__ if kind in CODES), None)
    return None if code is None else Failure(code, str(error))


_STORED_OTHERWISE: Final = frozenset({"damage", "schema", "row"})
# Problems of other kinds were written by a program, so they are not damage.


def first_damage(url: str) -> str | None:
    """The first damage in a database, or None if it is sound.

    Commands do not check the rows that they read, because checking takes longer than reading. The
    database is checked only after a failure.
    """
    from db.database import Database
    from db.maintenance import check

    # An error here must not hide the original one.
    with suppress(Exception), Database.open(url, create=False) as database:
        for problem in check(database):
            if problem.kind in _STORED_OTHERWISE:
                return f"{database.url} is damaged: {problem.message}; {REMEDY}"
    return None
