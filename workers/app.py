"""The Celery app for Celery's own command line: ``celery -A workers.app worker``.

The settings come from environment variables: C4_BROKER, C4_DB, C4_TABLE_MB for the size of the
table (64), and C4_ALLOW_PROGRAMS=1 if players that are programs may be started. The configuration
file supplies the first three if the environment does not. A working process is a child of a prefork
pool, or the one process of a pool of threads. Each of them opens a database and creates a table of
its own, after the fork.

``c4 worker`` does not import this module, which connects to Celery's signals.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from celery import signals
from celery.concurrency.prefork import TaskPool as PreforkPool

from c4core.errors import C4Error
from c4core.players import ANY_PROGRAM, NO_PROGRAM
from db.database import Database
from db.errors import UnreachableError
from workers.celery.doorbell import Doorbell
from workers.celery.messaging import make_app
from workers.celery.process import CURRENT_WORKER, WorkerProcess, check_room, default_name
from workers.celery.service import Stop
from workers.celery.unit_worker import WorkerSettings
from workers.celery.url import check_url
from workers.configuration import DEFAULT_TABLE_MB, Configuration
from workers.core.kinds import Lane
from workers.core.run import open_patiently
from workers.errors import ConfigurationError
from workers.logs import LOGGER, Masking

if TYPE_CHECKING:
    from collections.abc import Callable

    from celery.apps.worker import Worker

    from c4core.players import Consent

_MEGABYTES: Final = re.compile("[1-9][0-9]{0,8}", re.ASCII)

STOP_CHILD: Final = signal.SIGUSR2
"""Makes a prefork child hand back its unit. After SIGTERM Celery would wait for seconds."""


def configured(name: str) -> str | None:
    """Return a setting of the configuration file, as text; end the process if the file is bad."""
    try:
        value = Configuration().values.get(name)
    except ConfigurationError as error:
        sys.exit(f"Error: {error}")
    return None if value is None else str(value)


# Celery's own --broker option is passed through the environment, too.
_broker = os.environ.get("C4_BROKER") or os.environ.get("CELERY_BROKER_URL") or configured("broker")
_database = os.environ.get("C4_DB") or configured("db")

app = make_app(_broker)

_stopping = threading.Event()


@signals.worker_init.connect
def _begin(sender: Worker, **_more: Any) -> None:  # noqa: ANN401
    """Refuse impossible settings at the start; set the factory of worker processes."""
    try:
        CURRENT_WORKER.set_factory(_factory(sender))
    except (C4Error, ValueError) as error:
        sys.exit(f"Error: {error}")


def _factory(worker: Worker) -> Callable[[], WorkerProcess]:
    if not _broker or not _database:
        missing = "C4_DB" if _broker else "C4_BROKER"
        raise ValueError(f"the environment variable {missing} is not set")
    broker, database = check_url(_broker), _database
    with suppress(UnreachableError):  # the database may come later
        Database.open(database).close()
    check_room(_table_mb(), worker.concurrency if _is_prefork(worker) else 1)
    settings = WorkerSettings(
        name="",
        threads=1 if _is_prefork(worker) else worker.concurrency,
        table_mb=_table_mb(),
        lanes=tuple(lane for lane in Lane if lane.queue in worker.app.amqp.queues.consume_from),
        programs=_programs(),
    )

    def make() -> WorkerProcess:
        opened = open_patiently(database, _stopping)
        if opened is None:
            sys.exit(0)
        return WorkerProcess(
            opened,
            Doorbell(broker),
            replace(settings, name=default_name()),
            on_fatal=lambda error: LOGGER.critical("this worker cannot do any work: %r", error),
        )

    return make


def _table_mb() -> int:
    text = os.environ.get("C4_TABLE_MB") or configured("table-mb") or str(DEFAULT_TABLE_MB)
    if not _MEGABYTES.fullmatch(text):
        raise ValueError(
            f"the environment variable C4_TABLE_MB is not a number of megabytes: {text!r}"
        )
    return int(text)


def _programs() -> Consent:
    text = os.environ.get("C4_ALLOW_PROGRAMS") or "0"
    if text not in ("0", "1"):
        raise ValueError(f"the environment variable C4_ALLOW_PROGRAMS is 0 or 1, not {text!r}")
    return ANY_PROGRAM if text == "1" else NO_PROGRAM


@signals.worker_process_init.connect
def _begin_child(**_more: Any) -> None:  # noqa: ANN401
    """Start the work of a prefork pool's child; in a thread, because the pool waits for this."""
    _stopping.clear()
    Stop(_stop_child, [STOP_CHILD]).listen()
    threading.Thread(target=CURRENT_WORKER.worker, name="c4-begin", daemon=True).start()


def _stop_child() -> None:
    CURRENT_WORKER.worker().unit_worker.stop()


@signals.worker_process_shutdown.connect
def _end_child(**_more: Any) -> None:  # noqa: ANN401
    CURRENT_WORKER.end()


@signals.worker_ready.connect
def _ready(sender: Any, **_more: Any) -> None:  # noqa: ANN401
    """Begin to work in this process, unless the children of a prefork pool do."""
    worker = sender.controller
    threading.Thread(target=_await_stop, args=(worker,), name="c4-stop", daemon=True).start()
    if not _is_prefork(worker):
        CURRENT_WORKER.worker()


@signals.worker_shutting_down.connect
def _note_stop(**_more: Any) -> None:  # noqa: ANN401
    """Note that Celery must stop. This runs in a signal handler, so it only sets a flag."""
    _stopping.set()


@signals.worker_shutdown.connect
def _end(**_more: Any) -> None:  # noqa: ANN401
    CURRENT_WORKER.end()


@signals.after_setup_logger.connect
@signals.after_setup_task_logger.connect
def _mask(logger: logging.Logger, **_more: Any) -> None:  # noqa: ANN401
    for handler in logger.handlers:
        formatter = handler.formatter or logging.Formatter()
        handler.setFormatter(Masking(formatter, [_broker, _database]))


def _await_stop(worker: Worker) -> None:
    """End the searches when Celery must stop; otherwise it would wait for them."""
    _stopping.wait()
    if _is_prefork(worker):
        for child in worker.pool.info["processes"]:
            with suppress(ProcessLookupError):
                os.kill(child, STOP_CHILD)
    else:
        CURRENT_WORKER.worker().unit_worker.stop()
    worker.consumer.call_soon(lambda: None)  # wakes the loop, which then stops


def _is_prefork(worker: Worker) -> bool:
    pool = worker.pool_cls
    return pool == "prefork" or (isinstance(pool, type) and issubclass(pool, PreforkPool))
