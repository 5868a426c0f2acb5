"""Ringing for units: a message that carries a unit's number, and nothing else.

The broker holds a bounded window of messages, however large a job is. :func:`top_up` fills it at
first and after a loss of messages; otherwise each worker that has done a unit rings for one more. A
message that is late, doubled or lost only changes when work begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from kombu.exceptions import OperationalError

from c4core.version import ENGINE_VERSION
from db import jobs, registry
from db.masking import masked
from workers.broker.messaging import CONNECT_SECONDS, REPLY_SECONDS, TASK, make_app
from workers.broker.url import check_url
from workers.errors import BrokerUnreachableError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from celery import Celery
    from kombu import Connection

    from db.session import Session, Writer
    from workers.core.lanes import Lane

T = TypeVar("T")

MESSAGES_PER_THREAD: Final = 2
"""Waiting messages in a queue for each thread of the live workers: enough that no thread waits for
its next unit, and few enough that losing them does no harm."""

LEAST_MESSAGES: Final = 4
"""Waiting messages while no worker is known, so that the first one finds something to do."""


class Doorbell:
    """Rings for units, through a broker. Thread-safe.

    Args:
        url: the broker's.
        app: an app that is connected to this broker already.

    Attributes:
        url: the broker's, secrets hidden.

    Raises:
        BrokerUrlError: the URL is not that of a usable broker. No broker is contacted.
    """

    def __init__(self, url: str, app: Celery | None = None) -> None:
        self.url = masked(url)
        self._app = app or make_app(check_url(url))

    def ring(self, lane: Lane, unit_ids: Sequence[int]) -> None:
        """Ring once for each of some units; call it after the commit that has announced them.

        Raises:
            BrokerUnreachableError: perhaps not all messages have arrived.
        """
        if unit_ids:
            self._talk(lambda connection: self._send(connection, lane, unit_ids))

    def depth(self, lane: Lane) -> int:
        """The number of waiting messages. Makes the queue if it does not exist.

        Raises:
            BrokerUnreachableError: the broker does not answer.
        """
        return self._talk(lambda connection: self._measure(connection, lane))

    def close(self) -> None:
        """Close the connections."""
        self._app.close()

    def _send(self, connection: Connection, lane: Lane, unit_ids: Sequence[int]) -> None:
        with self._app.amqp.Producer(connection) as producer:
            for unit_id in unit_ids:
                self._app.send_task(
                    TASK,
                    (unit_id,),
                    queue=lane.queue,
                    producer=producer,
                    retry=False,
                    confirm_timeout=REPLY_SECONDS,
                )

    def _measure(self, connection: Connection, lane: Lane) -> int:
        with connection.channel() as channel:
            queue = self._app.amqp.queues[lane.queue](channel)
            return int(queue.queue_declare().message_count)

    def _talk(self, work: Callable[[Connection], T]) -> T:
        """Do something with a connection; repeat it with a fresh one after a broker's restart."""
        with self._app.pool.acquire(block=True) as connection:
            was_open = connection.connected
            try:
                return self._talk_once(connection, work)
            except BrokerUnreachableError:
                if not was_open:
                    raise
                return self._talk_once(connection, work)

    def _talk_once(self, connection: Connection, work: Callable[[Connection], T]) -> T:
        errors = (*connection.connection_errors, *connection.channel_errors, OperationalError)
        try:
            connection.ensure_connection(max_retries=0)
            return work(connection)
        except errors as error:
            connection.collect(socket_timeout=CONNECT_SECONDS)
            raise BrokerUnreachableError(
                f"cannot reach the broker {self.url}: {_reason(error)}"
            ) from error


def missing(depth: int, threads: int) -> int:
    """The number of messages to add to a queue.

    Args:
        depth: the number of messages that wait in it.
        threads: the number of threads of all workers that take from it.
    """
    return max(0, max(LEAST_MESSAGES, MESSAGES_PER_THREAD * threads) - depth)


def top_up(writer: Writer, doorbell: Doorbell, lane: Lane) -> int:
    """Fill the window of messages of a lane; returns how many were added.

    Raises:
        BrokerUnreachableError: the units that were announced are announced again later.
        StorageError: the database failed; nothing was rung.
    """
    depth = doorbell.depth(lane)

    def announce(session: Session) -> list[int]:
        workers = registry.live_workers(session)
        return jobs.announce(
            session,
            engine_version=ENGINE_VERSION,
            interactive=lane.is_interactive,
            limit=missing(
                depth, sum(worker.threads for worker in workers if lane.queue in worker.queues)
            ),
        )

    unit_ids = writer.run(announce)
    doorbell.ring(lane, unit_ids)
    return len(unit_ids)


def _reason(error: BaseException) -> str:
    """The messaging library's reason, in one line."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
