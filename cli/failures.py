"""The message and the exit code of every failure; for a fault, whether the database is damaged."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import singledispatch
from typing import Final, NamedTuple

from c4core.book.errors import BookBoardError, BookContentError, BookError
from c4core.counting.diagram import CountingError, CountMemoryError
from c4core.dataset.errors import DatasetError
from c4core.errors import C4Error
from c4core.models.kinds import LearningMissingError, ModelError, ModelMismatchError
from c4core.players.errors import PlayerFailure, PlayerMissingError
from c4core.proof.errors import CertificateError, ClaimError
from cli.shell import exits
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
    """How a failed command ends."""

    code: int
    """See :mod:`cli.shell.exits`."""
    message: str
    """For people; empty where a program is expected to be silent."""


@singledispatch
def explain(error: BaseException) -> Failure | None:  # noqa: ARG001 (its type has already spoken)
    """The message and exit code for an exception; None for a fault of the program."""
    return None


@explain.register
def _(_error: BrokenPipeError) -> Failure:
    return Failure(exits.CLOSED_PIPE, "")


@explain.register
def _(error: OSError) -> Failure:
    reason = error.strerror or str(error)
    if error.filename is None:
        return Failure(exits.PROBLEMS, f"cannot write the output: {reason}")
    return Failure(exits.PROBLEMS, f"{os.fsdecode(error.filename)}: {reason}")


@explain.register
def _(_error: MemoryError) -> Failure:
    return Failure(exits.PROBLEMS, "not enough memory; a smaller --table-mb may do")


@explain.register
def _(error: C4Error) -> Failure:
    return Failure(exits.USAGE, str(error))


@explain.register
def _(error: NotSolvedError) -> Failure:
    return Failure(exits.PROBLEMS, str(error))


@explain.register
def _(error: BookError) -> Failure:
    return Failure(exits.PROBLEMS, str(error))


@explain.register(BookBoardError)
@explain.register(BookContentError)
def _(error: BookError) -> Failure:
    return Failure(exits.USAGE, str(error))


@explain.register(BookIncompleteError)
@explain.register(CertificateError)
@explain.register(CertificateIncompleteError)
@explain.register(CountingError)
@explain.register(DatasetError)
@explain.register(DatasetIncompleteError)
@explain.register(LearningMissingError)
@explain.register(ModelError)
@explain.register(PlayerFailure)
@explain.register(PlayerMissingError)
def _(error: Exception) -> Failure:
    return Failure(exits.PROBLEMS, str(error))


@explain.register
def _(error: CountMemoryError) -> Failure:
    return Failure(exits.PROBLEMS, f"{error}; --memory-mb allows more")


@explain.register(ClaimError)
@explain.register(ModelMismatchError)
def _(error: Exception) -> Failure:
    return Failure(exits.USAGE, str(error))


@explain.register
def _(error: StorageError) -> Failure:
    return Failure(exits.PROBLEMS, str(error))


@explain.register(UnreachableError)
@explain.register(BrokerUnreachableError)
def _(error: Exception) -> Failure:
    return Failure(exits.UNREACHABLE, str(error))


@explain.register(UnknownSchemeError)
@explain.register(JobNotFoundError)
@explain.register(MatchNotFoundError)
@explain.register(GameNotFoundError)
def _(error: StorageError) -> Failure:
    return Failure(exits.USAGE, str(error))


_STORED_OTHERWISE: Final = frozenset({"damage", "schema", "row"})
# Problems of other kinds were stored by a program; they are no damage.


def first_damage(url: str) -> str | None:
    """What is damaged in a database, or None if nothing is.

    Commands trust what they read, because checking it takes longer than reading it. So the database
    is checked when something has gone wrong.
    """
    from db.database import Database
    from db.maintenance import check

    # An error here must not hide the first one.
    with suppress(Exception), Database.open(url, create=False) as database:
        for problem in check(database):
            if problem.kind in _STORED_OTHERWISE:
                return f"{database.url} is damaged (c4 db check tells all): {problem.message}"
    return None
