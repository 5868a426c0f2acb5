"""What storage raises. Every message names the thing and the place; passwords are masked.

Driver errors never leave this package: :mod:`db.engine` turns them into these.
"""

from __future__ import annotations

from typing import Final

from c4core.errors import C4Error


class StorageError(C4Error):
    """The base class; raised itself for reports of a driver that have no class of their own."""


class UnknownSchemeError(StorageError, ValueError):
    """A database URL that cannot be read, or whose scheme is neither SQLite's nor PostgreSQL's.

    Attributes:
        url: what was given, password masked.
    """

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class UnreachableError(StorageError):
    """The database is not there or does not answer: no server, no such directory, refused login."""


class MissingDatabaseError(UnreachableError):
    """There is no database in this place, and the caller did not want a new one."""


class NotADatabaseError(StorageError):
    """The file is not an SQLite database, or not one that C4 may open.

    It belongs to another program, or opening it would change other files.
    """


class WrongSchemaError(StorageError):
    """The database has the schema of another version.

    Attributes:
        found: the schema revision of the database.
        needed: the schema revision that this version works with.
    """

    def __init__(self, message: str, *, found: str, needed: str) -> None:
        super().__init__(message)
        self.found = found
        self.needed = needed


class SchemaTooOldError(WrongSchemaError):
    """The database was made by an older version: ``c4 db upgrade`` brings it up to date."""


class SchemaTooNewError(WrongSchemaError):
    """The database was made by a newer version; only that one can read it."""


class OldProcessesError(StorageError):
    """Processes of older versions would go on over an upgrade, and damage the database."""


class CorruptError(StorageError):
    """The database is damaged: a page or a value cannot be read, or a table is missing."""


class DamagedValueError(CorruptError):
    """A stored value is not what was stored; the rest of the database may be sound."""


class ReadOnlyError(StorageError):
    """The database may be read but not written: file, directory, disk or login forbid it."""


class DiskFullError(StorageError):
    """No room is left where the database lives; nothing of the transaction was written."""


class BusyError(StorageError):
    """Other writers held the database for too long, or the server broke a deadlock.

    Nothing of the transaction was written, and trying again may work: ``Database.run`` does.
    """


class ContradictionError(StorageError, ValueError):
    """An evaluation that cannot be true together with the stored one; nothing was written.

    Attributes:
        key: the canonical key of the position.
        width: columns of its board.
        height: rows of its board.
    """

    def __init__(self, message: str, *, key: int, width: int, height: int) -> None:
        super().__init__(message)
        self.key = key
        self.width = width
        self.height = height


class RefusedValueError(StorageError):
    """The database refuses a value, wherever and whenever it is written: it is too large, say."""


class JobNotFoundError(StorageError, LookupError):
    """There is no job of this number.

    Attributes:
        job_id: the number that was given.
    """

    def __init__(self, job_id: int) -> None:
        super().__init__(f"there is no job {job_id}")
        self.job_id = job_id


class MatchNotFoundError(StorageError, LookupError):
    """There is no match of this number.

    Attributes:
        match_id: the number that was given.
    """

    def __init__(self, match_id: int) -> None:
        super().__init__(f"there is no match {match_id}")
        self.match_id = match_id


class MatchInUseError(StorageError, ValueError):
    """A match that cannot be deleted: players of other matches look its games up.

    Attributes:
        match_id: the number that was given.
        used_by: the number of one of the others.
    """

    def __init__(self, match_id: int, used_by: int) -> None:
        super().__init__(
            f"match {match_id} cannot be deleted: players of match {used_by} look its games up; "
            "delete that one first"
        )
        self.match_id = match_id
        self.used_by = used_by


class GameNotFoundError(StorageError, LookupError):
    """A match has no game of this number, or not yet.

    Attributes:
        match_id: the match's number.
        number: the game's number in it.
    """

    def __init__(self, match_id: int, number: int) -> None:
        super().__init__(f"match {match_id} has no game {number}")
        self.match_id = match_id
        self.number = number


class JobStateError(StorageError, ValueError):
    """What was asked cannot be done with a job in its present state.

    Attributes:
        job_id: the job's number.
        state: its state, as text.
    """

    def __init__(self, message: str, *, job_id: int, state: str) -> None:
        super().__init__(message)
        self.job_id = job_id
        self.state = state


SCHEMA_FAULTS: Final = (SchemaTooOldError, SchemaTooNewError)
"""The database is another version's. A process that had it open stops: it was upgraded."""

REQUEST_FAULTS: Final = (
    ContradictionError,
    DamagedValueError,
    RefusedValueError,
    JobNotFoundError,
    MatchNotFoundError,
    MatchInUseError,
    GameNotFoundError,
    JobStateError,
    OldProcessesError,
)
"""Faults of a request itself: it fails again, wherever and whenever it is tried.

DamagedValueError is a CorruptError, so these have to be caught before LASTING_FAULTS.
"""

PASSING_FAULTS: Final = (UnreachableError, BusyError, DiskFullError, ReadOnlyError)
"""Faults around a database that pass: a server or a network comes back, others come to their end,
somebody makes room, a standby becomes the primary."""

LASTING_FAULTS: Final = (CorruptError, NotADatabaseError, *SCHEMA_FAULTS)
"""Faults of a database as a whole that last until somebody intervenes.

An error of none of these three groups is one that nobody has thought of.
"""
