"""The window of messages: how many are sent, even if messages are lost."""

import pytest

from workers.celery.doorbell import LEAST_MESSAGES, MESSAGES_PER_THREAD, Doorbell, missing
from workers.core.kinds import Lane
from workers.errors import BrokerUnreachableError, BrokerUrlError


def test_an_empty_queue_is_filled_for_all_threads() -> None:
    assert missing(0, 10) == 10 * MESSAGES_PER_THREAD


def test_without_workers_some_messages_wait() -> None:
    assert missing(0, 0) == LEAST_MESSAGES
    assert missing(1, 1) == LEAST_MESSAGES - 1


@pytest.mark.parametrize("depth", [20, 21, 1_000_000])
def test_a_full_queue_gets_nothing(depth: int) -> None:
    assert missing(depth, 10) == 0


def test_a_bad_url_is_refused_without_connecting() -> None:
    with pytest.raises(BrokerUrlError):
        Doorbell("memory://")


@pytest.mark.parametrize("scheme", ["redis", "amqp"])
def test_an_unreachable_broker_is_reported(scheme: str) -> None:
    doorbell = Doorbell(f"{scheme}://ada:secret@127.0.0.1:1/0")
    with pytest.raises(BrokerUnreachableError, match="refused") as raised:
        doorbell.depth(Lane.BULK)
    assert f"{scheme}://ada:***@127.0.0.1:1/0" in str(raised.value)
    with pytest.raises(BrokerUnreachableError):
        doorbell.ring(Lane.BULK, [1])
    doorbell.ring(Lane.BULK, [])  # no connection is made
    doorbell.close()
