"""``c4 worker``: a Celery worker in this process, whose threads share one table."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final

from celery.apps.worker import Worker
from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.worker import state

from c4core.version import ENGINE_VERSION, __version__
from workers.broker.consumer import UnitPool
from workers.broker.doorbell import Doorbell
from workers.broker.messaging import make_app
from workers.broker.url import check_url
from workers.core.kinds import Lane
from workers.core.run import open_patiently
from workers.logs import LOGGER
from workers.service.process import WorkerProcess
from workers.service.stopping import Stop
from workers.service.this_process import THIS_PROCESS
from workers.wording import count

if TYPE_CHECKING:
    from celery import Celery

    from db.database import Database
    from workers.service.metrics import MetricsSettings
    from workers.service.process import WorkerSettings


SPARE_UNITS: Final = 1
"""Units that are held beyond one for each thread: see :mod:`workers.core.searching`."""


class CeleryWorker(Worker):
    """Celery's worker without its own signal handlers and logging."""

    def install_platform_tweaks(self, worker: Worker) -> None:
        """Do not touch signals: see :mod:`workers.service.stopping`."""

    def set_process_status(self, info: str) -> None:
        """Do not change the process's title."""

    def setup_logging(self, colorize: bool | None = None) -> bool:  # noqa: ARG002, FBT001
        """Tell Celery that logging is set up: see :mod:`workers.logs`."""
        return True


class Service:
    """One run of a worker.

    Args:
        database_url: that of the units' database.
        broker_url: that of the messages' broker.
        settings: the worker's.
        metrics: the places for its metrics.

    Raises:
        BrokerUrlError: the URL is not that of a usable broker.
    """

    def __init__(
        self,
        database_url: str,
        broker_url: str,
        settings: WorkerSettings,
        metrics: MetricsSettings,
    ) -> None:
        self._database_url = database_url
        self._broker_url = check_url(broker_url)
        self._settings = settings
        self._metrics = metrics
        self._stop = Stop(self._wind_up)
        self._process: WorkerProcess | None = None
        self._worker: Worker | None = None

    def run(self) -> bool:
        """Work until told to stop.

        Returns:
            False: Celery has ended although nobody told it to; start again, in a new process.

        Raises:
            StorageError: the database can never be used: it is another program's, or of another
                version. The worker waits for a database that cannot be reached.
            MetricsError: the metrics cannot be served or written.
            MemoryError: there is no room for the table.
        """
        self._stop.listen()
        # Celery's advice to its users: about running as root, and about changes in its next
        # version.
        for category in (CPendingDeprecationWarning, SecurityWarning):
            warnings.simplefilter("ignore", category)
        database = open_patiently(self._database_url, self._stop.requested)
        if database is None:
            return True
        app = make_app(self._broker_url)
        doorbell = Doorbell(self._broker_url, app)
        self._log_start(database, doorbell)
        process = WorkerProcess(database, doorbell, self._settings, on_fatal=self._stop.request)
        with self._metrics.exposition(process, doorbell) as duties:
            process.start(duties)
            THIS_PROCESS.become(process)
            self._process = process
            try:
                self._work(app)
            finally:
                process.stop()
        if self._stop.error is not None:
            raise self._stop.error
        return self._stop.requested.is_set()

    def _work(self, app: Celery) -> None:
        """Let Celery take messages until told to stop."""
        lanes = self._settings.lanes
        beside = len(lanes) == len(Lane)
        self._worker = CeleryWorker(
            app=app,
            hostname=f"c4@{self._settings.name}",
            concurrency=self._settings.threads + SPARE_UNITS,
            pool=UnitPool,
            queues=[Lane.BULK.queue if beside else lanes[0].queue],
            own_channel_for_interactive=beside,
            quiet=True,
            without_gossip=True,
            without_mingle=True,
        )
        if self._stop.requested.is_set():
            return
        self._worker.start()

    def _wind_up(self) -> None:
        """End the work; runs in a thread of its own."""
        state.should_stop = 0
        if self._process is not None:
            self._process.unit_worker.stopping.set()
        self._wake()
        if self._process is not None:
            self._process.unit_worker.stop()

    def _wake(self) -> None:
        """Wake the loop that waits for messages, so that it stops."""
        consumer: Any = getattr(self._worker, "consumer", None)
        if consumer is not None:
            consumer.call_soon(lambda: None)

    def _log_start(self, database: Database, doorbell: Doorbell) -> None:
        settings = self._settings
        LOGGER.info(
            "worker %s, c4 %s, engine %d: %s, a table of %d MB, %s work",
            settings.name,
            __version__,
            ENGINE_VERSION,
            count(settings.threads, "thread"),
            settings.table_mb,
            " and ".join(settings.lanes),
        )
        LOGGER.info("database %s, broker %s", database.url, doorbell.url)
        if settings.programs.everything:
            LOGGER.info("players that are programs are started for whoever writes to that database")
