"""The Celery app for Celery's own command line: ``celery -A workers.app worker``.

The settings come from environment variables: C4_BROKER, C4_DB, C4_TABLE_MB for the size of the
table (64), and C4_ALLOW_PROGRAMS=1 if players that are programs may be started. ``c4 worker`` runs
the same worker with a pool of threads (:func:`run_worker`).
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any

from celery import signals

try:
    from c4core.errors import C4Error
    from c4core.players import ANY_PROGRAM, NO_PROGRAM
    from workers.celery.broker import check_url, make_app
    from workers.celery.host import WorkerHost, default_name
    from workers.configuration import DEFAULT_TABLE_MB, MAX_TABLE_MB, misspelled
    from workers.core.worker import WorkerSettings
    from workers.logs import LOGGER
except ImportError as fault:  # a checkout that is not built, or the celery of another environment
    sys.exit(f"Error: {fault}. Install C4 where celery is installed: pip install -e .")

if TYPE_CHECKING:
    from celery.apps.worker import Worker

    from c4core.players import Consent


def table_mb() -> int:
    """Return the size of the table that the environment sets."""
    text = os.environ.get("C4_TABLE_MB") or str(DEFAULT_TABLE_MB)
    if not (re.fullmatch("[0-9]{1,12}", text, re.ASCII) and 1 <= int(text) <= MAX_TABLE_MB):
        raise ValueError(
            "the environment variable C4_TABLE_MB: table-mb is a whole number from 1 to "
            f"{MAX_TABLE_MB:,}"
        )
    return int(text)


def programs() -> Consent:
    """Return the programs that the environment allows."""
    text = os.environ.get("C4_ALLOW_PROGRAMS") or "0"
    if text not in ("0", "1"):
        raise ValueError(f"the environment variable C4_ALLOW_PROGRAMS is 0 or 1, not {text!r}")
    return ANY_PROGRAM if text == "1" else NO_PROGRAM


try:
    # Celery's own --broker option is passed through the environment, too.
    _broker = os.environ.get("C4_BROKER") or os.environ.get("CELERY_BROKER_URL")
    app = make_app(check_url(_broker) if _broker else None)
except ValueError as fault:
    sys.exit(f"Error: {fault}")


@signals.worker_init.connect
def _begin(sender: Worker, **_more: Any) -> None:  # noqa: ANN401
    """Refuse impossible settings at the start; let the processes of this worker work."""
    try:
        host = _host()
        host.check()
    except (C4Error, ValueError) as error:
        sys.exit(f"Error: {error}")
    for sentence in misspelled(os.environ):
        LOGGER.warning(sentence)
    host.set_up(sender)


def _host() -> WorkerHost:
    database = os.environ.get("C4_DB")
    if not (_broker and database):
        missing = "C4_DB" if _broker else "C4_BROKER"
        raise ValueError(f"the environment variable {missing} is not set")
    settings = WorkerSettings(
        default_name(),
        table_mb=table_mb(),
        programs=programs(),
    )
    return WorkerHost(app, database, _broker, settings)
