"""``c4 worker``: a Celery worker in this process, whose threads share one table.

Celery's consumer, which takes the messages from the broker, has four changes. It reconnects within
seconds after an outage of any length. It creates no queues for delayed messages, because C4 sends
none. It takes interactive work through a channel of its own, so that a thread is free for it
however long the bulk units take. It drops messages that do not name a unit, because no other worker
could use them either.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING, Any, Final

from celery import bootsteps
from celery.apps.worker import Worker
from celery.concurrency.thread import TaskPool
from celery.exceptions import CPendingDeprecationWarning, SecurityWarning
from celery.worker import state
from celery.worker.consumer import Consumer
from celery.worker.consumer.tasks import Tasks
from kombu import compression
from kombu.common import ignore_errors
from kombu.exceptions import OperationalError
from redis.exceptions import OutOfMemoryError

from c4core.version import ENGINE_VERSION, __version__
from db.urls import masked
from workers.celery.doorbell import Doorbell
from workers.celery.messaging import FULL, KEPT_HEADERS, make_app, read_unit
from workers.celery.process import CURRENT_WORKER, WorkerProcess
from workers.celery.url import check_url
from workers.core.kinds import Lane
from workers.core.run import open_patiently
from workers.logs import LOGGER
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from celery import Celery
    from kombu import Message

    from db.database import Database
    from workers.celery.metrics import MetricsSettings
    from workers.celery.unit_worker import WorkerSettings

SPARE_UNITS: Final = 1
"""Number of units that are held beyond one for each thread: see :mod:`workers.core.searching`."""

STOP_SECONDS: Final = 4.0
"""A process that must stop ends after this time, even if a server does not answer."""

SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""Signals of a service manager, of Ctrl-C, and of a closed terminal."""


class CeleryWorker(Worker):
    """Celery's worker without its own signal handlers and logging."""

    def install_platform_tweaks(self, worker: Worker) -> None:
        """Leave signals alone: see :class:`Stop`."""

    def set_process_status(self, info: str) -> None:
        """Leave the process's title alone."""

    def setup_logging(self, colorize: bool | None = None) -> bool:  # noqa: ARG002, FBT001
        """Report to Celery that logging is set up: see :mod:`workers.logs`."""
        return True


class Service:
    """One run of a worker."""

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
        """Work until a stop is requested.

        Returns:
            False if Celery has ended by itself; start again, in a new process.

        Raises:
            StorageError: the database can never be used, for example because it belongs to another
                program. The worker waits for a database that cannot be reached.
            MetricsError: the metrics cannot be served or written.
            MemoryError: there is no room for the table.
        """
        self._stop.listen()
        # Celery warns of running as root, and of changes in its next version.
        for category in (CPendingDeprecationWarning, SecurityWarning):
            warnings.simplefilter("ignore", category)
        database = open_patiently(self._database_url, self._stop.requested)
        if database is None:
            return True
        app = make_app(self._broker_url)
        doorbell = Doorbell(self._broker_url, app)
        self._log_start(database, doorbell)
        process = WorkerProcess(database, doorbell, self._settings, on_fatal=self._stop.request)
        with self._metrics.exposition(process.unit_worker, doorbell) as tasks:
            process.start(tasks)
            CURRENT_WORKER.become(process)
            self._process = process
            try:
                self._work(app)
            finally:
                process.stop()
        if self._stop.error is not None:
            raise self._stop.error
        return self._stop.requested.is_set()

    def _work(self, app: Celery) -> None:
        """Let Celery take messages until a stop is requested."""
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
            LOGGER.info("anyone who can write to that database can start programs as players")


class Stop:
    """A request to stop, and its reason: a signal, or an error that ends all work.

    A pipe passes signals to a thread of their own. A handler would interrupt the main thread
    anywhere and could not take a lock that is held there. If another thread got the signal while
    the main thread waits for a broker, the handler would not run at all.

    ``on_request`` is called once, in a thread of its own, when the process must stop.

    Attributes:
        requested: set when the process must stop.
        error: the error after which it cannot work; None if it was a signal.
    """

    def __init__(
        self, on_request: Callable[[], None], signals: Sequence[signal.Signals] = SIGNALS
    ) -> None:
        self.requested = threading.Event()
        self.error: Exception | None = None
        self._on_request = on_request
        self._signals = signals
        self._once = threading.Lock()

    def listen(self) -> None:
        """Handle the signals, except ignored ones; only the main thread may call it."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in self._signals:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, _do_nothing)
        threading.Thread(
            target=self._listen, args=(reader,), name="c4-signals", daemon=True
        ).start()

    def request(self, error: Exception | None = None) -> None:
        """Request that the process stops; later calls change nothing."""
        with self._once:
            if self.requested.is_set():
                return
            self.error = error
            self.requested.set()
        threading.Thread(target=self._on_request, name="c4-stop", daemon=True).start()
        threading.Thread(target=self._insist, name="c4-deadline", daemon=True).start()

    def _listen(self, reader: int) -> None:
        first = self._await_signal(reader)
        LOGGER.info("%s: handing back unfinished units", signal.Signals(first).name)
        self.request()
        os._exit(128 + self._await_signal(reader))

    def _await_signal(self, reader: int) -> int:
        while True:
            number = os.read(reader, 1)[0]  # any signal with a handler
            if number in self._signals:
                return number

    def _insist(self) -> None:
        threading.Event().wait(STOP_SECONDS)
        LOGGER.warning(
            "a server does not answer: ending; other workers take over when the leases run out"
        )
        os._exit(0 if self.error is None else 1)


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: Python writes to the pipe only for signals that have a handler."""


RETRY_SECONDS: Final = 1.0
"""The longest pause between two attempts to reach a lost broker. Celery's pauses grow to 30 s."""

_DELAYED: Final = "celery.worker.consumer.delayed_delivery:DelayedDelivery"
"""A step that would create 28 quorum queues and 28 exchanges, for messages with a delay."""

_SHOWN: Final = 100
"""Maximum number of characters that the log shows of a message that does not name a unit."""


class InteractiveTasks(bootsteps.StartStopStep):
    """Takes interactive work through a channel of its own, beside the bulk work.

    Both channels may take as many messages as there are threads; together, they share the
    processors.
    """

    requires = (Tasks,)

    def __init__(
        self,
        consumer: Consumer,
        own_channel_for_interactive: bool = False,  # noqa: FBT001, FBT002 (Celery calls it)
        **options: Any,  # noqa: ANN401
    ) -> None:
        self.enabled = own_channel_for_interactive
        self._tasks: Any = None
        super().__init__(consumer, **options)

    def start(self, consumer: Consumer) -> None:
        """Begin to take messages."""
        channel = consumer.connection.channel()
        channel.basic_qos(0, consumer.pool.limit, False)
        queue = consumer.app.amqp.queues[Lane.INTERACTIVE.queue]
        self._tasks = consumer.app.amqp.TaskConsumer(
            channel, queues=[queue], on_decode_error=consumer.on_decode_error
        )
        self._tasks.on_message = consumer.create_task_handler()
        self._tasks.consume()

    def stop(self, consumer: Consumer) -> None:
        """Take no more messages."""
        if self._tasks is not None:
            ignore_errors(consumer, self._tasks.cancel)

    def shutdown(self, consumer: Consumer) -> None:
        """Close the channel."""
        self.stop(consumer)
        if self._tasks is not None:
            ignore_errors(consumer, self._tasks.channel.close)
            self._tasks = None


class UnitConsumer(Consumer):
    """Celery's consumer, with the four changes that this module describes."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        refuse_compressed()
        super().__init__(*arguments, **options)
        self._was_refused = False

    class Blueprint(Consumer.Blueprint):
        """The steps of this consumer."""

        default_steps: Final = [
            *(step for step in Consumer.Blueprint.default_steps if step != _DELAYED),
            InteractiveTasks,
        ]

    def create_task_handler(self, *arguments: Any) -> Callable[[Message], None]:  # noqa: ANN401
        """Return the function that takes a message."""
        work_on = super().create_task_handler(*arguments)
        self._was_refused = False  # all steps have succeeded

        def take(message: Message) -> None:
            try:
                if not isinstance(message.delivery_info, dict):
                    raise TypeError("it has no delivery information")  # noqa: TRY301
                read_unit(message.headers, message.decode())
            except Exception as error:  # noqa: BLE001 (a foreign message may fail anywhere)
                self.on_decode_error(message, error)
                return
            # Other headers would have effects in Celery: a delay, a time limit, another task.
            message.headers = {name: message.headers.get(name) for name in KEPT_HEADERS}
            work_on(message)

        return take

    def on_decode_error(self, message: Message, exc: Exception) -> None:
        """Drop a message that no worker can use."""
        shown = ascii(message.body)[:_SHOWN]
        LOGGER.warning("a message was dropped, %s: %s", _reason(exc), shown)
        ignore_errors(self, message.ack)

    def on_connection_error_before_connected(self, exc: Exception) -> None:
        """Log once that a broker refuses to serve; pause before the next attempt."""
        self._pause(exc)

    def on_connection_error_after_connected(self, exc: Exception) -> None:
        """Log and pause when a connection was lost, or the broker refuses something."""
        super().on_connection_error_after_connected(exc)
        self._pause(exc)

    def _pause(self, error: Exception) -> None:
        reason = FULL if isinstance(error, OutOfMemoryError) else str(error)
        place = masked(self.app.conf.broker_url or "")
        level = DEBUG if self._was_refused else WARNING
        LOGGER.log(level, "the broker %s sends no messages, trying again: %s", place, reason)
        self._was_refused = True
        time.sleep(random.uniform(0.5, 1) * RETRY_SECONDS)  # noqa: S311 (no secret)

    def ensure_connected(self, connection: Any) -> Any:  # noqa: ANN401 (Celery has no types)
        """Connect; retry until it succeeds."""
        errors = (
            *connection.connection_errors,
            *connection.channel_errors,
            OperationalError,
        )
        was_away = False
        while True:
            try:
                connection.ensure_connection(max_retries=0)
                break
            except errors as error:
                level = DEBUG if was_away else WARNING
                place = masked(self.app.conf.broker_url or "")
                LOGGER.log(level, "the broker %s cannot be reached, trying again: %s", place, error)
                was_away = True
            state.maybe_shutdown()
            # Jitter: workers that lost the broker together come back at different times.
            time.sleep(random.uniform(0.5, 1) * RETRY_SECONDS)  # noqa: S311 (no secret)
        self.first_connection_attempt = False
        if was_away:
            LOGGER.warning("the broker is back")
        return connection


class UnitPool(TaskPool):
    """Provide threads for as many units as the prefetch limits of both lanes allow."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self.executor = ThreadPoolExecutor(
            max_workers=len(Lane) * self.limit, thread_name_prefix="c4-unit"
        )


def refuse_compressed() -> None:
    """Refuse compressed messages in this process: C4 sends none, and 1 MB can become 1 GB.

    The library would decompress a message by its header, before this program sees it.
    """
    for name in compression.encoders():
        compression.register(compression.get_encoder(name)[0], _refuse, name)


def _refuse(_body: bytes) -> bytes:
    raise ValueError("it is compressed")


def _reason(error: Exception) -> str:
    return ascii(str(error) or type(error).__name__)[1:-1][:_SHOWN]
