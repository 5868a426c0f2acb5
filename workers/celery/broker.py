"""The broker: its URL, the settings of Celery, and messages that wake workers.

A message says that there is work in a lane. It names no unit, so a message that is late, doubled or
lost only affects when work begins.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, urlsplit

from celery import Celery
from kombu import Queue
from kombu.exceptions import OperationalError

from db.urls import masked
from workers.core.kinds import Lane
from workers.errors import BrokerUnreachableError, BrokerUrlError

if TYPE_CHECKING:
    from kombu import Connection

TASK: Final = "c4.work"
"""The name of the only task; its argument is the lane."""

CONNECT_SECONDS: Final = 4
"""Maximum time for a broker to accept a new connection."""

REPLY_SECONDS: Final = 5.0
"""Maximum time for a broker to answer; without it, a client could wait for ever."""

PING_SECONDS: Final = 1.0
"""Time for which workers may answer a ping."""

NODE: Final = "c4@"
"""Celery's name of a worker that ``c4 worker`` has started begins with this."""

SCHEMES: Final = ("redis", "rediss", "amqp", "amqps")

_TLS_OPTIONS: Final = frozenset(
    {"ssl_cert_reqs", "ssl_ca_certs", "ssl_certfile", "ssl_keyfile", "ssl_check_hostname"}
)
"""The options of a rediss:// URL; other URLs have none."""

_HINT: Final = (
    "write redis://:PASSWORD@HOST:PORT/NUMBER or amqp://USER:PASSWORD@HOST:PORT/VHOST, and in a "
    "password %40 for @, %2F for /, %3F for ?, %23 for #; only rediss:// has options"
)

_REDIS: Final[dict[str, Any]] = {
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": REPLY_SECONDS,
    "socket_keepalive": True,
}

_RABBITMQ: Final[dict[str, Any]] = {"read_timeout": REPLY_SECONDS, "write_timeout": REPLY_SECONDS}

_ONE_RETRY: Final = {"max_retries": 1, "interval_start": 0, "interval_step": 0, "interval_max": 0}
"""A connection may be left over from before a broker's restart."""


def check_url(text: str) -> str:
    """Return the URL unchanged if it names a usable broker; otherwise raise BrokerUrlError.

    The message contains no secret.
    """
    try:
        parts = urlsplit(text)
        number = parts.path.strip("/")
        options = {name for name, _value in parse_qsl(parts.query, keep_blank_values=True)}
        is_usable = (
            "://" in text
            and parts.scheme in SCHEMES
            and parts.port != 0  # it raises an error if it is not a number
            # An @ there belongs to a password that is not encoded.
            and "@" not in f"{parts.path}{parts.query}{parts.fragment}"
            and options <= (_TLS_OPTIONS if parts.scheme == "rediss" else set())
            and (number.isdecimal() or not number or not is_redis(text))
        )
    except ValueError:
        is_usable = False
    if not is_usable:
        # A question mark may be a part of the password.
        shown = "***" if "?" in text else masked(text)
        raise BrokerUrlError(f"not a broker URL: {shown!r} ({_HINT})")
    return text


def is_server(url: str) -> bool:
    """Whether the database is a server: others can share it, and it may come back by itself."""
    return url.startswith("postgres")


def is_redis(url: str) -> bool:
    """Whether the broker is Redis, so that processes can share searches through it."""
    return urlsplit(url).scheme.startswith("redis")


def make_app(url: str | None) -> Celery:
    """Create a Celery app for a broker; without a URL, Celery's options and environment apply."""
    app = Celery("c4", broker=url)
    parts = urlsplit(url or "")
    checked_tls = {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": parts.hostname}
    app.conf.update(
        broker_transport_options=_REDIS if parts.scheme.startswith("redis") else _RABBITMQ,
        broker_use_ssl=checked_tls if parts.scheme == "amqps" else False,
        broker_connection_timeout=CONNECT_SECONDS,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever
        # RabbitMQ closes a channel if a message waits for half an hour behind a long turn.
        broker_channel_error_retry=True,
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

    def wake(self, lane: Lane) -> BrokerUnreachableError | None:
        """Wake a worker; call this after the commit that has created or freed units.

        Returns:
            The error if the message has perhaps not arrived. Workers find the units anyway.
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
                return self._unreachable(error)
        return None

    def check(self) -> None:
        """Check that the broker answers; raise BrokerUnreachableError if it does not."""
        with self._app.connection_for_write() as connection:
            try:
                connection.ensure_connection(max_retries=1)
            except _errors(connection) as error:
                raise self._unreachable(error) from error

    def workers(self) -> set[str]:
        """Ask the broker for its workers; return the names that answer within a second.

        Workers that were started with Celery's own command have other names in the database.

        Raises:
            BrokerUnreachableError: the broker does not answer.
        """
        with self._app.connection_for_write() as connection:
            try:
                connection.ensure_connection(max_retries=1)
                answers = self._app.control.ping(timeout=PING_SECONDS, connection=connection)
            except _errors(connection) as error:
                raise self._unreachable(error) from error
        return {name.removeprefix(NODE) for answer in answers for name in answer}

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _unreachable(self, error: BaseException) -> BrokerUnreachableError:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return BrokerUnreachableError(f"cannot reach the broker {self.url}: {lines[0]}")


def _errors(connection: Connection) -> tuple[type[Exception], ...]:
    return (OperationalError, *connection.connection_errors, *connection.channel_errors)
