"""Messages: how many are sent, even if messages are lost, and what is read from them."""

import json

import pytest

from tests.support.poison import HARMLESS, POISON
from workers.celery.doorbell import LEAST_MESSAGES, MESSAGES_PER_THREAD, Doorbell, missing
from workers.celery.messaging import read_unit
from workers.core.kinds import Lane
from workers.errors import BrokerUnreachableError, BrokerUrlError


@pytest.mark.parametrize(
    ("depth", "threads", "messages"),
    [
        (0, 10, 10 * MESSAGES_PER_THREAD),
        (0, 0, LEAST_MESSAGES),
        (1, 1, LEAST_MESSAGES - 1),
        (20, 10, 0),
        (1_000_000, 10, 0),
    ],
)
def test_the_queue_is_filled_for_all_threads(depth: int, threads: int, messages: int) -> None:
    assert missing(depth, threads) == messages


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


@pytest.mark.parametrize(("sent", "with_headers"), POISON)
def test_messages_that_name_no_unit_give_no_number(sent: bytes, with_headers: object) -> None:
    with pytest.raises((ValueError, RecursionError)):
        read_unit(with_headers, json.loads(sent))


@pytest.mark.parametrize(("sent", "with_headers"), HARMLESS)
def test_the_number_is_read(sent: bytes, with_headers: object) -> None:
    assert read_unit(with_headers, json.loads(sent)) in {0, 10**9}
