"""Ring for units, which means: send messages that contain a unit's number, and nothing else.

The broker holds a bounded window of messages, independent of a job's size. :func:`top_up` fills it
at first and after a loss of messages; otherwise each worker that has completed a unit rings for one
more. A message that is late, doubled or lost only affects when work begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from kombu.exceptions import OperationalError
from redis.exceptions import OutOfMemoryError

from c4core.version import ENGINE_VERSION
from db import jobs
from db.urls import masked
from workers.celery.messaging import (
    CONNECT_SECONDS,
    FULL,
    REPLY_SECONDS,
    TASK,
    look_whether_blocked,
    make_app,
)
from workers.celery.url import check_url
from workers.errors import BrokerBlockedError, BrokerFullError, BrokerUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from celery import Celery
    from kombu import Connection

    from db.database import Session, Writer
    from workers.core.kinds import Lane

T = TypeVar("T")

MESSAGES_PER_THREAD: Final = 2
"""Waiting messages per thread of the live workers: threads never wait, and losses do no harm."""

LEAST_MESSAGES: Final = 4
"""Number of waiting messages while no worker is known, so that the first one finds work."""

NO_UNIT: Final = 0
"""A number that no unit has: workers ignore a message with it."""


class Doorbell:
    """Rings for units, through a broker. Thread-safe.

    ``app`` is an existing Celery app for the same broker; None makes a new one.

    Attributes:
        url: the broker's URL without its secrets.
        trouble: the error of the last message; None if it arrived, or if none was sent yet.

    Raises:
        BrokerUrlError: the URL does not name a usable broker. No broker is contacted.
    """

    def __init__(self, url: str, app: Celery | None = None) -> None:
        self.url = masked(url)
        self._app = app or make_app(check_url(url))
        self.trouble: BrokerUnreachableError | None = None

    def ring(self, lane: Lane, unit_ids: Sequence[int]) -> None:
        """Send a message for each unit; call this after the commit that announced them.

        Raises:
            BrokerUnreachableError: perhaps not all messages have arrived.
        """
        if unit_ids:
            self._talk(lambda connection: self._send(connection, lane, unit_ids))
            self.trouble = None

    def try_again(self, lane: Lane) -> None:
        """Check whether messages arrive again, if the last one did not."""
        if isinstance(self.trouble, BrokerFullError):  # it answers, but accepts no messages
            self.ring(lane, [NO_UNIT])
        elif self.trouble is not None:
            self.depth(lane)

    def depth(self, lane: Lane) -> int:
        """Return the number of waiting messages. Creates the queue if it does not exist."""
        depth = self._talk(lambda connection: self._measure(connection, lane))
        if not isinstance(self.trouble, BrokerFullError):  # a full broker still answers
            self.trouble = None
        return depth

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _send(self, connection: Connection, lane: Lane, unit_ids: Sequence[int]) -> None:
        # After an error the channel is not closed: the server may not answer, and the connection is
        # given up in any case.
        producer = self._app.amqp.Producer(connection)
        for unit_id in unit_ids:
            self._app.send_task(
                TASK,
                (unit_id,),
                queue=lane.queue,
                producer=producer,
                retry=False,
                confirm_timeout=REPLY_SECONDS,
            )
        producer.close()

    def _measure(self, connection: Connection, lane: Lane) -> int:
        channel = connection.channel()
        queue = self._app.amqp.queues[lane.queue](channel)
        count = int(queue.queue_declare().message_count)
        channel.close()
        return count

    def _talk(self, work: Callable[[Connection], T]) -> T:
        """Use a connection; retry with a fresh one after a broker's restart."""
        try:
            with self._app.pool.acquire(block=True) as connection:
                was_open = connection.connected
                try:
                    return self._talk_once(connection, work)
                except BrokerUnreachableError as error:
                    if not was_open or isinstance(error, BrokerFullError):
                        raise
                    return self._talk_once(connection, work)
        except BrokerUnreachableError as error:
            self.trouble = error
            raise

    def _talk_once(self, connection: Connection, work: Callable[[Connection], T]) -> T:
        errors = (*connection.connection_errors, *connection.channel_errors, OperationalError)
        try:
            connection.ensure_connection(max_retries=0)
            look_whether_blocked(connection.connection)
            return work(connection)
        except errors as error:
            causes = (error, error.__cause__)  # the library may have wrapped it
            if any(isinstance(cause, BrokerBlockedError) for cause in causes):
                # The connection stays open. RabbitMQ does not read from it, so it would not notice
                # that the connection was closed, and new ones would pile up there.
                raise self._full(_reason(error)) from error
            connection.collect(socket_timeout=CONNECT_SECONDS)
            if any(isinstance(cause, OutOfMemoryError) for cause in causes):
                raise self._full(FULL) from error
            raise BrokerUnreachableError(
                f"cannot reach the broker {self.url}: {_reason(error)}"
            ) from error

    def _full(self, reason: str) -> BrokerFullError:
        return BrokerFullError(f"the broker {self.url} takes no messages: {reason}")


def missing(depth: int, threads: int) -> int:
    """Return the number of messages to add to a queue in which ``depth`` messages wait.

    ``threads`` is the total for all workers that take from the queue.
    """
    return max(0, max(LEAST_MESSAGES, MESSAGES_PER_THREAD * threads) - depth)


def call(writer: Writer, doorbell: Doorbell, lane: Lane, unit_ids: Sequence[int]) -> None:
    """Ring for announced units; if that fails, they count as not announced.

    Raises:
        BrokerUnreachableError: the units can be announced again at once.
    """
    try:
        doorbell.ring(lane, unit_ids)
    except BrokerUnreachableError:
        writer.run(lambda session: jobs.take_back(session, unit_ids))
        raise


def top_up(writer: Writer, doorbell: Doorbell, lane: Lane) -> int:
    """Fill the window of messages of a lane; return how many were added.

    After a BrokerUnreachableError the units can be announced again.
    """
    depth = doorbell.depth(lane)

    def announce(session: Session) -> list[int]:
        workers = jobs.live_workers(session)
        return jobs.announce(
            session,
            engine_version=ENGINE_VERSION,
            interactive=lane.is_interactive,
            limit=missing(
                depth, sum(worker.threads for worker in workers if lane.queue in worker.queues)
            ),
        )

    unit_ids = writer.run(announce)
    call(writer, doorbell, lane, unit_ids)
    return len(unit_ids)


def _reason(error: BaseException) -> str:
    """The messaging library's reason, in one line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
