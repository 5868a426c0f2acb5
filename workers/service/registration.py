"""A worker's entry in the register: its heartbeat, its counts, and why it gets no work."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM
from c4core.version import ENGINE_VERSION, __version__
from db import jobs, registry
from db.records.jobs import WorkerInfo
from workers.core.execution import UnitEnd
from workers.core.kinds import find_kind
from workers.core.lanes import lane_of_job
from workers.logs import LOGGER
from workers.matches.programs import TAKES_PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from c4core.players import Consent
    from db.database import Database, Session
    from db.jobs import RunningJob
    from workers.core.lanes import Lane
    from workers.service.counters import UnitCounters

BEAT_SECONDS: Final = 5.0
"""Time between two entries; a worker counts as gone after several of them."""


class Registration:
    """Keeps the entry of this process.

    Args:
        database: where the register is.
        counters: the process's.
        name: of the worker.
        threads: units that it works on at a time.
        table_mb: size of the table that they share.
        lanes: those from which it takes messages.
        programs: which players that are programs it may start.
        trouble: why no message of the broker's gets through; None while messages do.
    """

    def __init__(
        self,
        database: Database,
        counters: UnitCounters,
        *,
        name: str,
        threads: int,
        table_mb: int,
        lanes: Collection[Lane],
        programs: Consent = NO_PROGRAM,
        trouble: Callable[[], Exception | None] = lambda: None,
    ) -> None:
        self._database = database
        self._counters = counters
        self._name = name
        self._threads = threads
        self._table_mb = table_mb
        self._lanes = frozenset(lanes)
        self._takes = [lane.queue for lane in self._lanes]
        if programs.everything:
            self._takes.append(TAKES_PROGRAMS)
        self._trouble = trouble
        self._note: str | None = None
        self._shown: str | None = None
        self._peers = 1
        self._has_beaten = False
        self._has_namesake = False

    @property
    def peers(self) -> int:
        """The recent number of workers, this one included."""
        return self._peers

    def beat(self) -> None:
        """Renew the entry.

        Raises:
            StorageError: the database failed.
        """
        with self._database.read() as session:
            note = why_idle(jobs.running_jobs(session), self._lanes)
            live = registry.live_workers(session)
            self._peers = max(1, len(live))
        self._look_for_namesake(live)
        if note != self._note:
            if note is not None:
                LOGGER.warning("no work for this worker: %s", note)
            self._note = note
        trouble = self._trouble()  # whoever finds it logs it
        self._shown = note if trouble is None else str(trouble)
        self._database.run(self._write)
        self._has_beaten = True

    def _look_for_namesake(self, live: Sequence[WorkerInfo]) -> None:
        """Warn, once, if another process writes to this worker's entry.

        Before the first heartbeat, the entry may be that of a predecessor that was killed.
        """
        mine = (self._name, socket.gethostname(), os.getpid())
        others = [
            one for one in live if one.name == mine[0] and (one.name, one.host, one.pid) != mine
        ]
        if others and self._has_beaten and not self._has_namesake:
            self._has_namesake = True
            LOGGER.warning(
                "process %d on %s has the name of this worker, %s: c4 status shows only one of "
                "them; give each its own --name",
                others[0].pid,
                others[0].host,
                self._name,
            )

    def leave(self) -> None:
        """Remove the entry.

        Raises:
            StorageError: the database failed; the entry will expire.
        """
        self._database.run(lambda session: registry.leave(session, self._name))

    def _write(self, session: Session) -> None:
        info = WorkerInfo(
            name=self._name,
            host=socket.gethostname(),
            pid=os.getpid(),
            threads=self._threads,
            table_mb=self._table_mb,
            version=__version__,
            engine_version=ENGINE_VERSION,
            queues=tuple(sorted(self._takes)),
            units_done=self._counters.units[UnitEnd.DONE],
            positions_done=self._counters.positions,
            nodes=self._counters.nodes,
            seconds=self._counters.seconds,
            note=self._shown,
        )
        registry.beat(session, info)


def why_idle(jobs: Sequence[RunningJob], lanes: Collection[Lane]) -> str | None:
    """Why a worker of this version gets no work although jobs run; None if it gets work.

    Args:
        jobs: the running ones.
        lanes: those that the worker takes messages from.
    """
    ours = [job for job in jobs if job.engine_version == ENGINE_VERSION]
    known = [job for job in ours if find_kind(job.kind) is not None]
    if not jobs or any(lane_of_job(job.priority) in lanes for job in known):
        return None
    if known:
        wanted = sorted({lane_of_job(job.priority) for job in known})
        return f"the running jobs are {' and '.join(wanted)}, which it was told not to take"
    if ours:
        kinds = ", ".join(sorted({job.kind for job in ours}))
        return f"the running jobs are of a kind that this version of c4 does not know: {kinds}"
    versions = ", ".join(sorted({str(job.engine_version) for job in jobs}))
    return f"the running jobs are for engine version {versions}, this is {ENGINE_VERSION}"
