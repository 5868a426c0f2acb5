"""Let each working process of a Celery worker work on units.

A working process is a child of a prefork pool, or the one process of a pool of threads or of the
solo pool. It opens a database and creates a table of its own, after the fork. Celery's signals
begin and end it. A pipe tells the children of a prefork pool that the worker must stop: the parent
writes a byte, or dies.
"""

from __future__ import annotations

import os
import secrets
import select
import signal
import socket
import threading
from contextlib import suppress
from dataclasses import replace
from itertools import count
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING, Any, Final

from celery import signals
from celery.concurrency import get_implementation
from celery.concurrency.thread import TaskPool as ThreadPool

from c4core.solver import Solver
from c4core.version import ENGINE_VERSION, __version__
from db.database import Database
from db.errors import StorageError, UnreachableError
from db.jobs import watching
from db.records.jobs import WorkerInfo
from db.urls import masked
from workers.celery.broker import NODE, TASK, Broker, check_url, is_redis, is_server, make_app
from workers.core.kinds import TAKES_PROGRAMS, Lane
from workers.core.leases import PeriodicThread
from workers.core.run import UnitEnd
from workers.core.worker import Worker, WorkerSettings, pause
from workers.errors import BrokerError
from workers.logs import LOGGER
from workers.text import count as quantity

if TYPE_CHECKING:
    from celery import Celery

BEAT_SECONDS: Final = 5.0
"""Time between two heartbeats; a worker counts as gone after several of them."""

END_SECONDS: Final = 10.0
"""A worker ends at most this long after the signal to stop, even if its broker does not answer. Its
units are handed back much earlier."""


class WorkerHost:
    """Connects a Celery app's signals to the worker of each working process.

    The app gets the task. The settings apply to every working process, but Celery's pool sets the
    number of threads, and its option -Q the lanes. A prefork child gets a name of its own.

    Attributes:
        worker: the worker of this process; None while it waits for its database.
        error: the error that has ended the worker.
        was_stopped: whether a signal or a remote command has asked the worker to end.
    """

    def __init__(
        self, app: Celery, database_url: str, broker_url: str, settings: WorkerSettings
    ) -> None:
        self.worker: Worker | None = None
        self.error: Exception | None = None
        self.was_stopped = False
        self.settings = settings
        self._app = app
        self._database_url = database_url
        self._broker_url = broker_url
        self._consumer: Any = None
        self._main_pid = os.getpid()
        self._stop_reader, self._stop_writer = os.pipe()
        self._stopping = threading.Event()
        self._opened = threading.Event()
        self._ended = threading.Event()
        self._ended.set()  # the parent of a prefork pool never begins

        @app.task(name=TASK)
        def work(lane: str) -> None:
            """Work until no unit can be claimed. ``lane`` only tells users why the turn began."""
            del lane
            self._opened.wait()
            if self.worker is not None:
                self.worker.turn()

        signals.worker_process_init.connect(self._on_process_init, weak=False)
        signals.worker_ready.connect(self._on_ready, weak=False)
        signals.worker_shutting_down.connect(self._on_shutting_down, weak=False)
        signals.worker_process_shutdown.connect(self._on_shutdown, weak=False)
        signals.worker_shutdown.connect(self._on_shutdown, weak=False)

    def check(self) -> None:
        """Refuse settings with which no working process could work.

        A database that cannot be reached may come later. One that belongs to another program, for
        example, can never be used.
        """
        try:
            Database.open(self._database_url).close()
        except UnreachableError as error:
            if not is_server(self._database_url):
                raise
            LOGGER.debug("the database may come later: %s", error)

    def set_up(self, celery_worker: Any) -> None:  # noqa: ANN401 (Celery has no types)
        """Take over Celery's options; begin to work if the pool has threads in this process.

        Call it when Celery sends ``worker_init``.
        """
        pool = get_implementation(celery_worker.pool_cls)
        has_threads = issubclass(pool, ThreadPool)
        queues = celery_worker.app.amqp.queues.consume_from
        self.settings = replace(
            self.settings,
            threads=celery_worker.concurrency if has_threads else 1,
            lanes=tuple(lane for lane in Lane if lane.queue in queues),
        )
        if has_threads:
            self._begin()

    def _on_process_init(self, **_more: Any) -> None:  # noqa: ANN401
        """Begin to work in a child of a prefork pool, or in the process of a solo pool."""
        if os.getpid() != self._main_pid:
            os.close(self._stop_writer)  # so that the end of the parent closes the pipe
            self.settings = replace(self.settings, name=default_name())
        self._begin()

    def _on_ready(self, sender: Any, **_more: Any) -> None:  # noqa: ANN401
        self._consumer = sender

    def _on_shutting_down(self, **_more: Any) -> None:  # noqa: ANN401
        """Tell all working processes to stop. This runs in a signal handler."""
        self.was_stopped = True
        os.write(self._stop_writer, b"x")
        end = threading.Timer(END_SECONDS, lambda: os._exit(0 if self.error is None else 1))
        end.daemon = True
        end.start()

    def _on_shutdown(self, **_more: Any) -> None:  # noqa: ANN401
        """Wait until this process has handed back its units."""
        self._stop()

    def _begin(self) -> None:
        """Start the threads that work and that wait for the stop; Celery must not wait for them."""
        self._ended.clear()
        threading.Thread(target=self._await_stop, name="c4-stop", daemon=True).start()
        threading.Thread(target=self._work, name="c4-begin", daemon=True).start()

    def _work(self) -> None:
        try:
            database = open_patiently(self._database_url, self._stopping)
            if database is None:
                self._ended.set()
                return
            solver = Solver(table_mb=self.settings.table_mb)
            redis = self._broker_url if is_redis(self._broker_url) else None
            settings = replace(self.settings, redis=redis)
            worker = Worker(database, solver, settings, wake=self._wake, on_error=self._on_error)
            register = PeriodicThread(
                "record this worker", BEAT_SECONDS, lambda: _register(database, worker)
            )
            worker.start()
            register.start()
            self.worker = worker
            self._opened.set()
            self._stopping.wait()
            worker.stop()
            register.close()
            with suppress(StorageError):
                database.run(lambda session: watching.remove_worker(session, worker.settings.name))
            database.close()
        except Exception as error:  # noqa: BLE001 (after any error this worker cannot work)
            self._quit(error)
        finally:
            self._opened.set()  # a task may wait for the database
            self._ended.set()

    def _wake(self, lane: Lane) -> None:
        trouble = Broker(self._broker_url, self._app).wake(lane)
        if trouble is not None:
            LOGGER.debug("cannot wake other workers: %s", trouble)  # they find the units anyway

    def _on_error(self) -> None:
        if self.worker is not None and self.worker.error is not None:
            self._quit(self.worker.error)

    def _quit(self, error: Exception) -> None:
        """End Celery's worker after an error after which this process cannot work."""
        LOGGER.critical("this worker cannot work: %s", error)
        self.error = error
        os.kill(self._main_pid, signal.SIGTERM)

    def _await_stop(self) -> None:
        select.select([self._stop_reader], [], [])
        self._stop()
        if self._consumer is not None:
            self._consumer.call_soon(lambda: None)  # Celery's loop wakes, and then ends

    def _stop(self) -> None:
        self._stopping.set()
        self._ended.wait()


def run_worker(database_url: str, broker_url: str, settings: WorkerSettings) -> None:
    """Run a Celery worker with a pool of threads in this process until it is stopped.

    BrokerError means that Celery has ended by itself, after an error.
    """
    app = make_app(check_url(broker_url))
    host = WorkerHost(app, database_url, broker_url, settings)
    host.check()
    signals.worker_init.connect(lambda sender, **_more: host.set_up(sender), weak=False)
    signals.setup_logging.connect(lambda **_more: None, weak=False)  # it is set up: workers.logs
    LOGGER.info(
        "worker %s, c4 %s, engine %d: %s, a table of %d MB, %s work; database %s%s, broker %s",
        settings.name,
        __version__,
        ENGINE_VERSION,
        quantity(settings.threads, "thread"),
        settings.table_mb,
        " and ".join(settings.lanes),
        masked(database_url),
        "" if is_server(database_url) else " (a file: only processes of this machine share it)",
        masked(broker_url),
    )
    if not is_redis(broker_url):
        LOGGER.info("without Redis, deep jobs share proven bounds only, through the database")
    if settings.programs.everything:
        LOGGER.info("anyone who can write to that database can start programs as players")
    celery_worker = app.Worker(
        hostname=f"{NODE}{settings.name}",
        pool="threads",
        concurrency=settings.threads,
        queues=[lane.queue for lane in settings.lanes],
        quiet=True,
    )
    celery_worker.start()
    if host.error is not None:
        raise host.error
    if celery_worker.exitcode and not host.was_stopped:  # Celery's code for Ctrl-C is 1
        raise BrokerError("Celery has ended after an error: start the worker again")


def _register(database: Database, worker: Worker) -> None:
    """Renew the worker's entry in the register."""
    settings, counters = worker.settings, worker.counters
    takes = [lane.queue for lane in settings.lanes]
    if settings.programs.everything:
        takes.append(TAKES_PROGRAMS)
    info = WorkerInfo(
        name=settings.name,
        host=socket.gethostname(),
        pid=os.getpid(),
        threads=settings.threads,
        table_mb=settings.table_mb,
        version=__version__,
        engine_version=ENGINE_VERSION,
        queues=tuple(sorted(takes)),
        units_done=counters.units[UnitEnd.DONE],
        positions_done=counters.positions,
        nodes=counters.nodes,
        seconds=counters.seconds,
    )
    database.run(lambda session: watching.record_worker(session, info))


def open_patiently(url: str, stopping: threading.Event) -> Database | None:
    """Open a database as soon as it can be reached; None if ``stopping`` was set first."""
    for tries in count():
        try:
            return Database.open(url)
        except UnreachableError as error:
            if not is_server(url):
                raise
            LOGGER.log(DEBUG if tries else WARNING, "waiting for the database: %s", error)
            if stopping.wait(pause(tries)):
                return None
    raise AssertionError  # count() does not end


def default_name() -> str:
    """Return a name unique to this process: machine, process number, and a random part.

    Containers may share the machine's name, and their processes often have the same number.
    """
    return f"{socket.gethostname()}:{os.getpid()}-{secrets.token_hex(2)}"
