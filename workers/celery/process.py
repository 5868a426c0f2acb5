"""A worker process: a unit worker, its periodic tasks, its table, and the task that Celery calls.

A worker without room for its table ends at its start, before it takes any unit.
"""

from __future__ import annotations

import os
import secrets
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from celery import shared_task
from celery.exceptions import Reject

from c4core.position import Position
from c4core.solver import Solver
from db.errors import SCHEMA_FAULTS, StorageError
from workers.celery.duties import (
    BEAT_SECONDS,
    BROKER_POLL_SECONDS,
    BrokerlessWork,
    Registration,
    pause_between_sweeps,
    sweep,
)
from workers.celery.messaging import TASK
from workers.celery.unit_worker import UnitWorker
from workers.core.kinds import lane_of_queue
from workers.core.leases import PeriodicTask, PeriodicThread
from workers.errors import TableTooLargeError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from celery import Task

    from db.database import Database
    from workers.celery.doorbell import Doorbell
    from workers.celery.unit_worker import WorkerSettings

_MEGABYTE: Final = 1 << 20
_GROUPS: Final = Path("/sys/fs/cgroup")
_PROCESS: Final = Path("/proc/self/cgroup")


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
