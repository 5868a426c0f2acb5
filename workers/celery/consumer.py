"""Celery's consumer, which takes messages from the broker, with four changes.

It reconnects within seconds after an outage of any length. It creates no queues for delayed
messages, because C4 sends none. It takes interactive work through a channel of its own, so that a
thread is free for it however long the bulk units take. It drops messages that do not name a unit,
because no other worker could use them either.
"""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING, Any, Final

from celery import bootsteps
from celery.concurrency.thread import TaskPool
from celery.worker.consumer import Consumer
from celery.worker.consumer.tasks import Tasks
from celery.worker.state import maybe_shutdown
from kombu import compression
from kombu.common import ignore_errors
from kombu.exceptions import OperationalError
from redis.exceptions import OutOfMemoryError

from db.masking import masked
from workers.celery.messaging import FULL, KEPT_HEADERS, read_unit
from workers.core.kinds import Lane
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable

    from kombu import Message

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
    """Celery's consumer with the changes of this module."""

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
            maybe_shutdown()
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
