"""The periodic duties of a worker process.

Each worker renews its entry in the register. Once a second, one of the workers sweeps: it brings
back lost units and lost messages. While the broker accepts no messages, each worker takes units
from the database.
"""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION, __version__
from db import jobs
from db.errors import StorageError
from db.jobs import acquire_duty
from db.records.jobs import WorkerInfo
from workers.celery.doorbell import top_up
from workers.core.kinds import Lane, find_kind, lane_of_job
from workers.core.run import UnitEnd
from workers.errors import BrokerUnreachableError
from workers.logs import LOGGER
from workers.match.terms import TAKES_PROGRAMS
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from db.database import Database, Session
    from db.jobs.watching import RunningJob
    from workers.celery.doorbell import Doorbell
    from workers.celery.unit_worker import UnitCounters, UnitWorker, WorkerSettings

BEAT_SECONDS: Final = 5.0
"""Time between two heartbeats; a worker counts as gone after several of them."""

SWEEP_SECONDS: Final = 1.0
"""Time from one sweep to the next: lost work waits at most this long."""

MAX_TRIES: Final = 20
"""Maximum number of attempts per second, by all workers together, to acquire the duty."""

SWEEP_DUTY: Final = f"sweep.e{ENGINE_VERSION}"
"""The duty's name. Workers of another version ring for other units, so they have their own duty."""

BROKER_POLL_SECONDS: Final = 1.0
"""Time between two checks whether messages arrive again."""


class Registration:
    """Keeps the worker's entry in the register: its heartbeat, its counts, and why it gets no work.

    ``trouble`` returns the reason why no message arrives, or None.
    """

    def __init__(
        self,
        database: Database,
        settings: WorkerSettings,
        counters: UnitCounters,
        trouble: Callable[[], Exception | None] = lambda: None,
    ) -> None:
        self._database = database
        self._settings = settings
        self._counters = counters
        self._takes = [lane.queue for lane in settings.lanes]
        if settings.programs.everything:
            self._takes.append(TAKES_PROGRAMS)
        self._trouble = trouble
        self._note: str | None = None
        self._shown: str | None = None
        self.peers = 1
        """The recent number of workers, this one included."""
        self._has_beaten = False
        self._has_namesake = False

    def beat(self) -> None:
        """Renew the entry."""
        with self._database.read() as session:
            note = why_idle(jobs.running_jobs(session), self._settings.lanes)
            live = jobs.live_workers(session)
            self.peers = max(1, len(live))
        self._look_for_namesake(live)
        if note != self._note:
            if note is not None:
                LOGGER.warning("no work for this worker: %s", note)
            self._note = note
        trouble = self._trouble()
        self._shown = note if trouble is None else str(trouble)
        self._database.run(self._write)
        self._has_beaten = True

    def _look_for_namesake(self, live: Sequence[WorkerInfo]) -> None:
        """Warn, once, if another process writes to this worker's entry.

        Before the first heartbeat, the entry may belong to a killed predecessor.
        """
        mine = (self._settings.name, socket.gethostname(), os.getpid())
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
                self._settings.name,
            )

    def leave(self) -> None:
        """Remove the entry. If the database fails, the entry will expire."""
        self._database.run(lambda session: jobs.remove_worker(session, self._settings.name))

    def _write(self, session: Session) -> None:
        info = WorkerInfo(
            name=self._settings.name,
            host=socket.gethostname(),
            pid=os.getpid(),
            threads=self._settings.threads,
            table_mb=self._settings.table_mb,
            version=__version__,
            engine_version=ENGINE_VERSION,
            queues=tuple(sorted(self._takes)),
            units_done=self._counters.units[UnitEnd.DONE],
            positions_done=self._counters.positions,
            nodes=self._counters.nodes,
            seconds=self._counters.seconds,
            note=self._shown,
        )
        jobs.record_worker_heartbeat(session, info)


def why_idle(running: Sequence[RunningJob], lanes: Collection[Lane]) -> str | None:
    """Return why a worker of this version, for these lanes, gets no work although jobs run.

    None if it gets work.
    """
    ours = [job for job in running if job.engine_version == ENGINE_VERSION]
    known = [job for job in ours if find_kind(job.kind) is not None]
    if not running or any(lane_of_job(job.priority) in lanes for job in known):
        return None
    if known:
        wanted = sorted({lane_of_job(job.priority) for job in known})
        return f"the running jobs are {' and '.join(wanted)}, which its queues exclude"
    if ours:
        kinds = ", ".join(sorted({job.kind for job in ours}))
        return f"the running jobs are of a kind that this version of c4 does not know: {kinds}"
    versions = ", ".join(sorted({str(job.engine_version) for job in running}))
    return f"the running jobs are for engine version {versions}, this is {ENGINE_VERSION}"


def sweep(database: Database, doorbell: Doorbell) -> bool:
    """Bring back lost units and lost messages, unless another worker has just done so.

    A sweep queues units again whose lease ran out, fills the windows of messages, and closes jobs
    whose last worker died before it could close them. In normal operation it only fills the
    windows, for workers that started after the job was created. Return whether this worker has
    swept.
    """
    if not database.run(lambda session: acquire_duty(session, SWEEP_DUTY, SWEEP_SECONDS)):
        return False
    if lapsed := database.run(jobs.requeue_lapsed):
        LOGGER.info("queued again: %s whose lease ran out", count(lapsed, "unit"))
    with database.read() as session:
        finished = jobs.jobs_to_finish(session)
    for job_id in finished:
        database.run(partial(jobs.finish_if_complete, job_id=job_id))
    for lane in Lane:
        top_up(database, doorbell, lane)
    return True


def pause_between_sweeps(peers: int) -> float:
    """Return how long each of ``peers`` workers waits before it tries again to acquire the duty."""
    return max(SWEEP_SECONDS, peers / MAX_TRIES)


class BrokerlessWork:
    """Takes units from the database in threads of its own while no message arrives.

    The database is the authoritative queue, so messages only save the workers from polling it.
    """

    def __init__(self, database: Database, doorbell: Doorbell, unit_worker: UnitWorker) -> None:
        self._database = database
        self._doorbell = doorbell
        self._unit_worker = unit_worker
        self._helpers: list[threading.Thread] = []
        self._is_reported = False

    def look(self) -> None:
        """Start threads if no message arrives; log it once."""
        with suppress(BrokerUnreachableError):
            self._doorbell.try_again(self._unit_worker.settings.lanes[0])
        trouble = self._doorbell.trouble
        if trouble is None:
            if self._is_reported:
                LOGGER.warning("messages get through again")
            self._is_reported = False
            return
        if not self._is_reported:
            LOGGER.warning("%s; this worker asks the database for work meanwhile", trouble)
            self._is_reported = True
        self._helpers = [helper for helper in self._helpers if helper.is_alive()]
        # Units of earlier messages are still being worked on.
        busy = max(len(self._helpers), self._unit_worker.counters.in_work)
        for _ in range(self._unit_worker.settings.threads - busy):
            helper = threading.Thread(target=self._work, name="c4-unit-asked", daemon=True)
            self._helpers.append(helper)
            helper.start()

    def _work(self) -> None:
        """Work on unit after unit of all lanes, until none is left or messages arrive again."""
        stopping = self._unit_worker.stopping
        while self._doorbell.trouble is not None and not stopping.is_set():
            found = [lane for lane in self._unit_worker.settings.lanes if self._work_on_one(lane)]
            if not found:
                return

    def _work_on_one(self, lane: Lane) -> bool:
        try:
            unit_ids = self._database.run(
                lambda session: jobs.announce(
                    session,
                    engine_version=ENGINE_VERSION,
                    interactive=lane.is_interactive,
                    limit=1,
                )
            )
        except StorageError:
            return False  # the next look tries again
        for unit_id in unit_ids:
            self._unit_worker.work_on(unit_id, lane)
        return bool(unit_ids)
