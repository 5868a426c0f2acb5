"""Errors of storage. Every message names the thing and the place; passwords are masked.

Driver errors never leave this package: :mod:`db.engine` turns them into these.
"""

from __future__ import annotations

from typing import Final

from c4core.errors import C4Error


class StorageError(C4Error):
    """The base class; raised directly for driver errors that have no class of their own."""


class UnknownSchemeError(StorageError, ValueError):
    """A database URL is malformed, or its scheme is neither SQLite's nor PostgreSQL's.

    Attributes:
        url: the given URL, password masked.
    """

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class UnreachableError(StorageError):
    """The database does not exist or does not answer: no server, no directory, refused login."""


class MissingDatabaseError(UnreachableError):
    """The database does not exist, and the caller did not ask for a new one."""


class NotADatabaseError(StorageError):
    """The file is not an SQLite database, or not one that C4 may open.

    It belongs to another program, or opening it would change other files.
    """


class WrongSchemaError(StorageError):
    """The database has the schema of another version.

    Attributes:
        found: the schema revision of the database.
        needed: the schema revision of this program.
    """

    def __init__(self, message: str, *, found: str, needed: str) -> None:
        super().__init__(message)
        self.found = found
        self.needed = needed


class SchemaTooOldError(WrongSchemaError):
    """An older version created the database: ``c4 db upgrade`` brings it up to date."""


class SchemaTooNewError(WrongSchemaError):
    """A newer version created the database; only that version can read it."""


class CorruptError(StorageError):
    """The database is damaged: a page or a value cannot be read, or a table is missing."""


class DamagedValueError(CorruptError):
    """A stored value has changed since it was stored; the rest of the database may be sound."""


class ReadOnlyError(StorageError):
    """The database can be read but not written: file, directory, disk or login forbid it."""


class DiskFullError(StorageError):
    """The database's disk is full; nothing of the transaction was written."""


class BusyError(StorageError):
    """Other writers held the database for too long, or the server broke a deadlock.

    Nothing of the transaction was written, and a retry may work: ``Database.run`` retries.
    """


class ContradictionError(StorageError, ValueError):
    """A new evaluation contradicts the stored one; nothing was written.

    Attributes:
        key: the canonical key of the position.
        width: number of columns of its board.
        height: number of rows of its board.
    """

    def __init__(self, message: str, *, key: int, width: int, height: int) -> None:
        super().__init__(message)
        self.key = key
        self.width = width
        self.height = height


class RefusedValueError(StorageError):
    """The database refuses a value on every attempt, for instance because it is too large."""


class JobNotFoundError(StorageError, LookupError):
    """No job has this number."""

    def __init__(self, job_id: int) -> None:
        super().__init__(f"there is no job {job_id}")
        self.job_id = job_id


class MatchNotFoundError(StorageError, LookupError):
    """No match has this number."""

    def __init__(self, match_id: int) -> None:
        super().__init__(f"there is no match {match_id}")
        self.match_id = match_id


class MatchInUseError(StorageError, ValueError):
    """The match cannot be deleted: players of other matches look up its games.

    Attributes:
        match_id: the number of this match.
        used_by: the number of one of the other matches.
    """

    def __init__(self, match_id: int, used_by: int) -> None:
        super().__init__(
            f"match {match_id} cannot be deleted: players of match {used_by} look up its games; "
            "delete that match first"
        )
        self.match_id = match_id
        self.used_by = used_by


class GameNotFoundError(StorageError, LookupError):
    """The match has no game with this number, or not yet."""

    def __init__(self, match_id: int, number: int) -> None:
        super().__init__(f"match {match_id} has no game {number}")
        self.match_id = match_id
        self.number = number


class JobStateError(StorageError, ValueError):
    """The operation is not possible in the job's present state."""

    def __init__(self, message: str, *, job_id: int, state: str) -> None:
        super().__init__(message)
        self.job_id = job_id
        self.state = state


SCHEMA_FAULTS: Final = (SchemaTooOldError, SchemaTooNewError)
"""The schema belongs to another version. If a process had the database open, it was upgraded."""

REQUEST_FAULTS: Final = (
    ContradictionError,
    DamagedValueError,
    RefusedValueError,
    JobNotFoundError,
    MatchNotFoundError,
    MatchInUseError,
    GameNotFoundError,
    JobStateError,
)
"""Faults of a request itself; as DamagedValueError is a CorruptError, catch these first."""

PASSING_FAULTS: Final = (UnreachableError, BusyError, DiskFullError, ReadOnlyError)
"""Temporary faults around a database: an outage, a lock, a full disk, a standby."""

LASTING_FAULTS: Final = (CorruptError, NotADatabaseError, *SCHEMA_FAULTS)
"""Faults of a database that last until somebody repairs it. Any other error is unexpected."""
