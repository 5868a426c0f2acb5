"""Check the URL of a broker, without loading Celery: ``c4 config`` checks it, too."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from db.urls import masked
from workers.errors import BrokerUrlError

SCHEMES: Final = ("redis", "rediss", "amqp", "amqps")

REDIS_PORT: Final = 6379

_HINT: Final = "write redis://:PASSWORD@HOST:PORT/NUMBER or amqp://USER:PASSWORD@HOST:PORT/VHOST"

_REFUSED: Final = {
    "memory": "it works within one process only, and workers are separate processes",
    "filesystem": "it loses messages for good when a worker dies",
    "sqla": "it locks up, and loses messages for good when a worker dies",
    "sqlalchemy": "it locks up, and loses messages for good when a worker dies",
    "pyamqp": "write amqp://",
    "sentinel": "only Redis servers themselves are known to work; name one",
}
"""Brokers that the messaging library offers and this program refuses, with the reasons."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")


def check_url(text: str) -> str:
    """Return the URL unchanged if it names a usable broker; otherwise raise BrokerUrlError.

    The message says why, and contains no secret.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        raise BrokerUrlError(f"not a broker URL: {masked(text)!r} ({_HINT})")
    name = scheme[1].lower()
    if name not in SCHEMES:
        reason = _REFUSED.get(name.partition("+")[0], "only Redis and RabbitMQ are known to work")
        raise BrokerUrlError(f"{name}:// cannot be the broker: {reason} ({_HINT})")
    try:
        parts = urlsplit(text)
        _port = parts.port  # raises an error if it is invalid
    except ValueError:
        raise BrokerUrlError(f"not a broker URL: {masked(text)!r} ({_HINT})") from None
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":
        raise BrokerUrlError(
            f"not a broker URL: {masked(text)!r} (in a password write %40 for @, %2F for /, "
            "%3F for ?, %23 for #)"
        )
    if ";" in text:
        raise BrokerUrlError(f"name one broker, not a list: {masked(text)!r}")
    number = parts.path.strip("/")
    if name.startswith("redis") and number and not number.isdecimal():
        raise BrokerUrlError(f"the database of a Redis broker is a number: {masked(text)!r}")
    return text
