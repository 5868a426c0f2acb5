"""Brokers' URLs: which are accepted, and that passwords are never shown."""

import socket
import threading
from contextlib import suppress

import pytest
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from db.urls import masked
from tests.support.running.waiting import HANG_SECONDS
from workers.celery.broker import make_app
from workers.celery.url import check_url
from workers.errors import BrokerUrlError

SECRET = "hunter2!"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("memory://", "within one process"),
        ("filesystem://", "loses messages"),
        ("sqla+sqlite:///queue.db", "locks up"),
        ("sqlalchemy+postgresql://db", "locks up"),
        ("pyamqp://queue", "write amqp://"),
        ("sentinel://queue", "Redis servers themselves"),
        ("kafka://queue", "only Redis and RabbitMQ"),
        ("queue", "not a broker URL"),
        ("", "not a broker URL"),
        ("redis://queue:99999", "not a broker URL"),
        ("redis://queue:port", "not a broker URL"),
        ("redis://queue/name", "is a number: 'redis://queue/name'"),
        ("amqp://one;amqp://two", "not a list"),
    ],
)
def test_other_urls_are_refused_with_a_reason(url: str, reason: str) -> None:
    with pytest.raises(BrokerUrlError, match=reason):
        check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://",
        "redis://localhost",
        f"redis://:{SECRET}@queue:6380/3",
        f"rediss://user:{SECRET}@queue",
        f"amqp://user:{SECRET}@queue:5672/c4",
        "amqps://queue//",
        "REDIS://queue",
    ],
)
def test_supported_urls_are_accepted_and_shown_without_the_password(url: str) -> None:
    assert check_url(url) == url
    assert masked(url) == url.replace(SECRET, "***")


@pytest.mark.parametrize(
    "url",
    [
        f"redis://{SECRET}@queue",
        f"amqp://ada:5672/{SECRET}@queue",
        f"memory://:{SECRET}@queue",
        f"no url:{SECRET}//x:{SECRET}@queue",
    ],
)
def test_errors_about_broken_urls_hide_secrets(url: str) -> None:
    assert SECRET not in masked(url).partition("//")[2]
    try:
        check_url(url)
    except BrokerUrlError as error:
        assert SECRET not in str(error).partition("//")[2]  # noqa: PT017 (valid URLs raise no error)


@pytest.mark.parametrize(("scheme", "first"), [("redis", b"*"), ("rediss", b"\x16\x03")])
def test_a_connection_is_encrypted_if_the_url_says_so(
    scheme: str, first: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first bytes received are a Redis command or a TLS handshake."""
    monkeypatch.setattr("redis.retry.sleep", lambda _seconds: None)
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"{scheme}://ada:{SECRET}@127.0.0.1:{server.getsockname()[1]}/0"
        heard: list[bytes] = []

        def listen() -> None:
            with server.accept()[0] as connection:
                heard.append(connection.recv(1024))
            server.close()  # prevents retries

        listener = threading.Thread(target=listen)
        listener.start()
        with make_app(url).connection() as connection, suppress(OperationalError, RedisError):
            connection.connect()
        listener.join(HANG_SECONDS)
    assert heard[0].startswith(first)
    assert (SECRET.encode() in heard[0]) is (scheme == "redis")
    assert connection.as_uri().startswith(f"{scheme}://ada:**@127.0.0.1")
