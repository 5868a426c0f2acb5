"""A worker process: a unit worker, its periodic duties, its table, and the task that Celery calls.

A worker without room for its table ends at its start, before it takes any unit.

Each worker renews its entry in the register. Once a second, one of the workers sweeps: it brings
back lost units and lost messages. While the broker accepts no messages, each worker takes units
from the database.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from celery import shared_task
from celery.exceptions import Reject

from c4core.position import Position
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION, __version__
from db import jobs
from db.errors import SCHEMA_FAULTS, StorageError
from db.records.jobs import WorkerInfo
from workers.celery.doorbell import top_up
from workers.celery.messaging import TASK
from workers.celery.unit_worker import UnitWorker
from workers.core.kinds import TAKES_PROGRAMS, Lane, find_kind, lane_of_job, lane_of_queue
from workers.core.leases import PeriodicTask, PeriodicThread
from workers.core.run import UnitEnd
from workers.errors import BrokerUnreachableError, TableTooLargeError
from workers.logs import LOGGER
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from celery import Task

    from db.database import Database, Session
    from db.jobs.watching import RunningJob
    from workers.celery.doorbell import Doorbell
    from workers.celery.unit_worker import UnitCounters, WorkerSettings


class WorkerProcess:
    """The parts of one worker process; make it after a fork, never before.

    It closes the database and the doorbell when it stops. ``on_fatal`` is called with an error
    after which this process cannot work.

    Raises:
        TableTooLargeError, MemoryError: there is no room for the table.
    """

    def __init__(
        self,
        database: Database,
        doorbell: Doorbell,
        settings: WorkerSettings,
        *,
        on_fatal: Callable[[Exception], None],
    ) -> None:
        solver = solver_with_table(settings.table_mb)
        self.unit_worker = UnitWorker(database, doorbell, solver, settings, on_fatal=on_fatal)
        self._database = database
        self._doorbell = doorbell
        self._on_fatal = on_fatal
        without_broker = BrokerlessWork(database, doorbell, self.unit_worker)
        registration = self._registration = Registration(
            database, settings, self.unit_worker.counters, lambda: doorbell.trouble
        )
        self._tasks = [
            PeriodicTask("enter this worker in the database", lambda: BEAT_SECONDS, self._beat),
            PeriodicTask(
                "look for lost work",
                lambda: pause_between_sweeps(registration.peers),
                lambda: sweep(database, doorbell),
            ),
            PeriodicTask(
                "work without the broker", lambda: BROKER_POLL_SECONDS, without_broker.look
            ),
        ]
        self._thread: PeriodicThread | None = None

    def start(self, tasks: Sequence[PeriodicTask] = ()) -> None:
        """Begin to keep leases alive, to sweep, and to perform the other periodic tasks."""
        self.unit_worker.start()
        self._thread = PeriodicThread([*self._tasks, *tasks])
        self._thread.start()

    def _beat(self) -> None:
        """Renew the entry in the register; after a change of the schema, end the process."""
        try:
            self._registration.beat()
        except SCHEMA_FAULTS as error:
            self._on_fatal(error)

    def stop(self) -> None:
        """Hand back open units, and leave the register. Returns when that is written."""
        self.unit_worker.stop()
        if self._thread is not None:
            self._thread.close()
        with suppress(StorageError):
            self._registration.leave()
        self._doorbell.close()
        self._database.close()
        LOGGER.debug("all units are handed back")


class ThisProcess:
    """Holds the worker process of this process. Thread-safe.

    ``c4 worker`` creates one and sets it before it takes messages. A process started by ``celery -A
    workers.app worker`` creates one when it first needs it: after the fork, if there is one.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By process number: a forked child has inherited its parent's.
        self._workers: dict[int, WorkerProcess] = {}
        self._factory: Callable[[], WorkerProcess] | None = None

    def become(self, worker: WorkerProcess) -> None:
        """Set the worker process of this process."""
        self._workers[os.getpid()] = worker

    def set_factory(self, factory: Callable[[], WorkerProcess]) -> None:
        """Set the function that makes this process, or a child of it, a worker process."""
        self._factory = factory

    def worker(self) -> WorkerProcess:
        """Return the worker process of this process; create and start it if needed."""
        with self._lock:
            found = self._workers.get(os.getpid())
            if found is None:
                if self._factory is None:
                    raise RuntimeError(
                        "this process is not a worker: start one with c4 worker, or with "
                        "celery -A workers.app worker"
                    )
                found = self._factory()
                self.become(found)
                found.start()
            return found

    def end(self) -> None:
        """Stop being a worker process, if this is one."""
        found = self._workers.pop(os.getpid(), None)
        if found is not None:
            found.stop()


CURRENT_WORKER: Final = ThisProcess()
"""The object for this process."""


@shared_task(name=TASK, bind=True)
def work_on_unit(task: Task, unit_id: int) -> None:
    """Work on the unit of this number; if it is still open afterwards, reject the message."""
    lane = lane_of_queue(task.request.delivery_info["routing_key"])
    if not CURRENT_WORKER.worker().unit_worker.work_on(unit_id, lane):
        raise Reject("handed back", requeue=True)


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
    if not database.run(lambda session: jobs.acquire_duty(session, SWEEP_DUTY, SWEEP_SECONDS)):
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


_MEGABYTE: Final = 1 << 20
_GROUPS: Final = Path("/sys/fs/cgroup")
_PROCESS: Final = Path("/proc/self/cgroup")


def default_name() -> str:
    """Return a name unique to this process: machine, process number, and a random part.

    Containers may share the machine's name, and their processes often have the same number.
    """
    return f"{socket.gethostname()}:{os.getpid()}-{secrets.token_hex(2)}"


def solver_with_table(table_mb: int) -> Solver:
    """Create a solver whose table has its memory already; raise an error if that does not fit."""
    check_room(table_mb)
    solver = Solver(table_mb=table_mb)
    solver.solve(Position(), node_limit=1)
    return solver


def check_room(table_mb: int, processes: int = 1) -> None:
    """Raise TableTooLargeError if the tables can never fit: the kernel would kill a process."""
    # The size of a table is rounded down to a power of two.
    table = 1 << (table_mb.bit_length() - 1)
    limit = memory_limit() // _MEGABYTE
    if table * processes >= limit:
        tables = f"{processes} tables" if processes > 1 else "a table"
        raise TableTooLargeError(
            f"{tables} of {table:,} MB cannot fit: this machine or control group has {limit:,} MB "
            "of memory; give a smaller --table-mb (C4_TABLE_MB)"
        )


def memory_limit(groups: Path = _GROUPS, process: Path = _PROCESS) -> int:
    """Return the memory limit of this process in bytes: the machine's, or a control group's."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return min([machine, *_group_limits(groups, process)])


def _group_limits(groups: Path, process: Path) -> Iterator[int]:
    """The limits of the control groups of this process, outermost last."""
    with suppress(OSError):  # no control groups
        for line in process.read_text().splitlines():
            _number, controllers, path = line.split(":", 2)
            if not controllers:
                root, name = groups, "memory.max"
            elif "memory" in controllers.split(","):
                root, name = groups / "memory", "memory.limit_in_bytes"
            else:
                continue
            inner = root / path.lstrip("/")
            for group in (inner, *inner.parents):
                with suppress(OSError, ValueError):  # no such file, or "max"
                    yield int((group / name).read_text())
                if group == root:
                    break
