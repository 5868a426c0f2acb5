"""The Celery app for Celery's own command line: ``celery -A workers.app worker``.

The settings come from environment variables: C4_BROKER, C4_DB, C4_TABLE_MB for the size of the
table (64), and C4_ALLOW_PROGRAMS=1 if players that are programs may be started. The configuration
file supplies the first three if the environment does not. ``c4 worker`` runs the same worker with
a pool of threads (:func:`run_worker`).
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from celery import signals

try:
    from c4core.errors import C4Error
    from c4core.players import ANY_PROGRAM, NO_PROGRAM
    from workers.celery.broker import check_url, make_app
    from workers.celery.host import WorkerHost, default_name
    from workers.configuration import DEFAULT_TABLE_MB, SETTINGS, Configuration, misspelled
    from workers.core.worker import WorkerSettings
    from workers.errors import ConfigurationError
    from workers.logs import LOGGER
except ImportError as fault:  # a checkout that is not built, or the celery of another environment
    sys.exit(f"Error: {fault}. Install C4 where celery is installed: pip install -e .")

if TYPE_CHECKING:
    from celery.apps.worker import Worker

    from c4core.players import Consent


def setting(name: str) -> str | int | None:
    """Return a setting from the environment or from the configuration file.

    Raises:
        ValueError: its value is not valid.
    """
    for variable in SETTINGS[name].variables:
        if text := os.environ.get(variable):
            try:
                return SETTINGS[name].read(text)
            except ValueError as error:
                raise ValueError(f"the environment variable {variable}: {error}") from None
    return Configuration().values.get(name)


def programs() -> Consent:
    """Return the programs that the environment allows."""
    text = os.environ.get("C4_ALLOW_PROGRAMS") or "0"
    if text not in ("0", "1"):
        raise ValueError(f"the environment variable C4_ALLOW_PROGRAMS is 0 or 1, not {text!r}")
    return ANY_PROGRAM if text == "1" else NO_PROGRAM


try:
    # Celery's own --broker option is passed through the environment, too.
    _broker = setting("broker") or os.environ.get("CELERY_BROKER_URL")
    app = make_app(None if _broker is None else check_url(str(_broker)))
except (ConfigurationError, ValueError) as fault:
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
    database = setting("db")
    if _broker is None or database is None:
        missing = "C4_BROKER" if _broker is None else "C4_DB"
        raise ValueError(f"the environment variable {missing} is not set")
    settings = WorkerSettings(
        default_name(),
        table_mb=int(setting("table-mb") or DEFAULT_TABLE_MB),
        programs=programs(),
    )
    return WorkerHost(app, str(database), str(_broker), settings)
