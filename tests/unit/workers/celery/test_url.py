"""Brokers' URLs: which are accepted, and that passwords are never shown."""

import socket
import ssl
import threading
from contextlib import suppress

import pytest
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from db.urls import masked
from tests.support.running.waiting import HANG_SECONDS
from workers.celery.broker import check_url, make_app
from workers.errors import BrokerUrlError

SECRET = "hunter2!"


@pytest.mark.parametrize(
    "url",
    [
        "memory://",
        "sqla+sqlite:///queue.db",
        "pyamqp://queue",
        "redis://queue/0?socket_timeout=5",
        "redis://queue/0?ssl_cert_reqs=none",
        "rediss://queue/0?db=1",
        "amqps://queue?heartbeat=5",
        f"amqps://queue?{SECRET}",
        f"redis://:a/{SECRET}@queue",
        f"redis://:1/{SECRET}@queue",
        f"amqp://user:1?{SECRET}@queue",
        f"amqp://user:1#{SECRET}@queue",
        "queue",
        "",
        "redis://queue:99999",
        "redis://queue:port",
        "redis://queue/name",
    ],
)
def test_other_urls_are_refused_without_the_password(url: str) -> None:
    with pytest.raises(BrokerUrlError, match="not a broker URL") as refused:
        check_url(url)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "redis://",
        "redis://localhost",
        f"redis://:{SECRET}@queue:6380/3",
        f"rediss://user:{SECRET}@queue",
        f"amqp://user:{SECRET}@queue:5672/c4",
        "rediss://queue/0?ssl_cert_reqs=required&ssl_ca_certs=/etc/ca.pem",
        "amqps://queue//",
        "REDIS://queue",
    ],
)
def test_supported_urls_are_accepted_and_shown_without_the_password(url: str) -> None:
    assert check_url(url) == url
    assert masked(url) == url.replace(SECRET, "***")


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


@pytest.mark.parametrize("host", ["localhost", "queue"])
def test_amqps_checks_the_certificate_and_the_name_in_the_url(host: str) -> None:
    with make_app(f"amqps://ada:{SECRET}@{host}/c4").connection() as connection:
        assert connection.ssl == {"cert_reqs": ssl.CERT_REQUIRED, "server_hostname": host}
    with make_app(f"amqp://ada:{SECRET}@{host}/c4").connection() as connection:
        assert not connection.ssl
