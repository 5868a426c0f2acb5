"""Kinds of jobs: each is one object in the package of the kind, and one line of a table.

A new kind is a package with such an object, and a line in :data:`KINDS`. All code that drives jobs
then claims, solves, completes, shows and writes its units, too. Jobs of all kinds share two lanes.

A stored job may come from an untrusted client. So units with players that are programs need
a worker with consent (:mod:`c4core.players.player`). The register marks such workers, and other
workers leave these units to them. If there is no such worker, the units fail with a message,
because they must neither wait forever nor count as lost games.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM, ProgramRefusedError, check_consent as check_player
from c4core.version import ENGINE_VERSION
from db.errors import CorruptError, StorageError
from db.jobs import watching
from db.records.jobs import INTERACTIVE_PRIORITY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from c4core.lines import JsonValue
    from c4core.players import Consent
    from db.database import Database, Session
    from db.records.evaluations import StoredEvaluation
    from db.records.jobs import Claim, JobInfo, Json, UnitResult

    Output = Callable[[JobInfo, UnitResult], Iterator[dict[str, JsonValue]]]
    Continuation = Callable[[Session, Claim, Database], object]

KINDS: Final[dict[str, str]] = {
    "analyze": "workers.analyze.job:ANALYZE",
    "book": "workers.book.job:BOOK",
    "deep": "workers.deep.job:DEEP",
    "match": "workers.match.units:MATCH",
    "prove": "workers.prove.job:PROVE",
}
"""The place of each kind, ``"module:attribute"``, by its name in the database."""


@dataclass(frozen=True, slots=True)
class UnitOutcome:
    """The complete outcome of a unit, to be written."""

    evaluations: Sequence[StoredEvaluation]
    """New evaluations, of one board."""
    result: Json
    """The source of the job's output; meaningless while the outcome is not complete."""
    nodes: int
    """Number of nodes searched."""
    seconds: float
    """Time spent searching."""
    is_complete: bool
    """Whether the unit is done; False if it was stopped."""
    records: Callable[[Session], object] | None = None
    """Writes further rows when the unit is completed or handed back, if the lease is still held."""
    rest: Json | None = None
    """The payload for the remaining work after a stop; None keeps the old one."""
    afterwards: Callable[[], object] | None = None
    """Called after the commit that has marked the unit as done."""


@dataclass(frozen=True, slots=True)
class JobKind:
    """A kind of job: the work on its units, and the word for their contents."""

    name: str
    """The name in the database."""
    noun: str
    """The word for a unit's contents, in the singular: ``position``."""
    solve_unit: Callable[..., UnitOutcome]
    """Solves one unit.

    Its arguments are the claim, a searcher, the database, a function that returns whether to stop,
    and perhaps the consent to programs as ``programs``, or a URL as ``redis`` (see below).
    """
    unit_objects: Output
    """The output of a unit that has ended, in order."""
    go_on: Continuation | None = None
    """Plans a growing job's next units in the transaction that completes one; the job is locked."""
    players_of_job: Callable[[Session, JobInfo], Sequence[str]] | None = None
    """The players in a job's units. Without it, the units get no consent to start programs."""
    players_of_unit: Callable[[Session, Claim], Sequence[str]] | None = None
    """The players in one unit."""
    shares_searches: bool = False
    """Whether processes share searches: ``solve_unit`` gets a Redis server's URL as ``redis``."""
    has_table: bool = False
    """Whether its output is one table: the rows of :func:`workers.answers.lines.as_row`."""
    count_unanswered: Callable[[UnitResult], int] | None = None
    """Counts the lines of a unit without an answer; None if its units have no lines of input."""


def find_kind(name: str) -> JobKind | None:
    """Return the kind of this name; None if this version does not know it, as in a newer job."""
    if name not in KINDS:
        return None
    module, attribute = KINDS[name].split(":")
    found: JobKind = getattr(import_module(module), attribute)
    return found


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """Yield the output of a unit that has ended, in order, for all kinds of jobs.

    Raises:
        DamagedValueError: the job or the unit cannot be read as one of this kind.
        StorageError: this version does not know the kind of the job.
    """
    kind = find_kind(job.kind)
    if kind is None:
        raise StorageError(
            f"job {job.id} is of kind {job.kind!r}, which this version does not know"
        )
    yield from kind.unit_objects(job, unit)


class Lane(StrEnum):
    """The urgency of a job's units. Each lane has a queue of wake-ups at the broker."""

    INTERACTIVE = "interactive"
    """A user waits for the answer: jobs of INTERACTIVE_PRIORITY or more."""
    BULK = "bulk"
    """All other jobs."""

    @property
    def is_interactive(self) -> bool:
        """Whether a user waits."""
        return self is Lane.INTERACTIVE

    @property
    def queue(self) -> str:
        """The name of the broker's queue.

        It contains the version of the engine, because a worker of another version must not work on
        the units.
        """
        return f"c4.{self}.e{ENGINE_VERSION}"


def lane_of_job(priority: int) -> Lane:
    """Return the lane of a job's units."""
    return Lane.INTERACTIVE if priority >= INTERACTIVE_PRIORITY else Lane.BULK


TAKES_PROGRAMS: Final = "programs"
"""Listed in the register next to the queues of a worker with consent."""


def check_consent(database: Database, job: JobInfo, programs: Consent) -> None:
    """Raise ProgramRefusedError if a player of a job may not play here."""
    found = _refusal_of_job(database, job, programs)
    if found is not None:
        raise type(found)(f"job {job.id} cannot be worked on here: {found}", player=found.player)


def has_consent(database: Database, job: JobInfo) -> bool:
    """Whether live workers may play all players of a job."""
    refusal = _refusal_of_job(database, job, NO_PROGRAM)
    return refusal is None or has_workers(database, job.priority, TAKES_PROGRAMS)


def has_workers(database: Database, priority: int, *properties: str) -> bool:
    """Whether there is a live worker for jobs of this priority, with these properties."""
    wanted = {lane_of_job(priority).queue, *properties}
    return any(wanted <= set(worker.queues) for worker in database.ask(watching.live_workers))


def is_for_others(database: Database, claim: Claim, programs: Consent) -> bool:
    """Whether a unit has a player that may not play here, but may play on another live worker."""
    kind = find_kind(claim.kind)
    if kind is None or kind.players_of_unit is None or programs.everything:
        return False
    try:
        with database.read() as session:
            players = kind.players_of_unit(session, claim)
    except CorruptError:
        return False  # the worker reports what is wrong with the unit
    return _refusal(players, programs) is not None and has_workers(
        database, claim.priority, TAKES_PROGRAMS
    )


def _refusal_of_job(
    database: Database, job: JobInfo, programs: Consent
) -> ProgramRefusedError | None:
    kind = find_kind(job.kind)
    if kind is None or kind.players_of_job is None:
        return None
    with database.read() as session:
        return _refusal(kind.players_of_job(session, job), programs)


def _refusal(players: Iterable[str], programs: Consent) -> ProgramRefusedError | None:
    """The reason why one of the players may not play; None if all may play."""
    try:
        for player in players:
            check_player(player, programs)
    except ProgramRefusedError as error:
        return error
    return None
