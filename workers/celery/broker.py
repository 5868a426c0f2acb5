"""Wake workers through a broker, and the settings of Celery.

A message says that there is work in a lane. It names no unit, so a message that is late, doubled or
lost only affects when work begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from celery import Celery
from kombu import Queue
from kombu.exceptions import OperationalError

from db.urls import masked
from workers.celery.url import check_url
from workers.core.kinds import Lane
from workers.errors import BrokerUnreachableError

if TYPE_CHECKING:
    from kombu import Connection

TASK: Final = "c4.work"
"""The name of the only task; its argument is the lane."""

CONNECT_SECONDS: Final = 4
"""Maximum time for a broker to accept a new connection."""

REPLY_SECONDS: Final = 5.0
"""Maximum time for a broker to answer; without it, a client could wait for ever."""

_REDIS: Final[dict[str, Any]] = {
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": REPLY_SECONDS,
    "socket_keepalive": True,
}

_RABBITMQ: Final[dict[str, Any]] = {"read_timeout": REPLY_SECONDS, "write_timeout": REPLY_SECONDS}

_ONE_RETRY: Final = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
"""A connection may be left over from before a broker's restart."""


def make_app(url: str | None) -> Celery:
    """Create a Celery app for a broker; without a URL, Celery's options and environment apply."""
    app = Celery("c4", broker=url)
    on_redis = url is not None and url.lower().startswith("redis")
    app.conf.update(
        broker_transport_options=_REDIS if on_redis else _RABBITMQ,
        broker_connection_timeout=CONNECT_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever
        task_queues=[Queue(lane.queue, routing_key=lane.queue) for lane in Lane],
        task_default_queue=Lane.BULK.queue,
        task_ignore_result=True,  # the results are in the database
        worker_prefetch_multiplier=1,
        # It concerns tasks that are acknowledged at their end; unset, Celery warns about it.
        worker_cancel_long_running_tasks_on_connection_loss=True,
        worker_send_task_events=True,  # for "celery events" and Flower
    )
    return app


class Broker:
    """Wakes workers. Thread-safe.

    ``app`` is an existing Celery app for the same broker; None makes a new one.

    Attributes:
        url: the broker's URL without its secrets.

    Raises:
        BrokerUrlError: the URL does not name a usable broker. No broker is contacted.
    """

    def __init__(self, url: str, app: Celery | None = None) -> None:
        self.url = masked(url)
        self._app = app or make_app(check_url(url))

    def wake(self, lane: Lane) -> None:
        """Wake a worker; call this after the commit that has created or freed units.

        Raises:
            BrokerUnreachableError: the message has perhaps not arrived.
        """
        with self._app.connection_or_acquire() as connection:
            try:
                self._app.send_task(
                    TASK,
                    (str(lane),),
                    queue=lane.queue,
                    connection=connection,
                    retry=True,
                    retry_policy=_ONE_RETRY,
                )
            except _errors(connection) as error:
                raise self._unreachable(error) from error

    def check(self) -> None:
        """Check that the broker answers; raise BrokerUnreachableError if it does not."""
        with self._app.connection_for_write() as connection:
            try:
                connection.ensure_connection(max_retries=1)
            except _errors(connection) as error:
                raise self._unreachable(error) from error

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _unreachable(self, error: BaseException) -> BrokerUnreachableError:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return BrokerUnreachableError(f"cannot reach the broker {self.url}: {lines[0]}")


def _errors(connection: Connection) -> tuple[type[Exception], ...]:
    return (OperationalError, *connection.connection_errors, *connection.channel_errors)
