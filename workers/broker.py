"""The broker's URL: which ones are understood, and how they are shown without their secrets."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from workers.errors import BrokerUrlError

SCHEMES: Final = ("redis", "rediss", "amqp", "amqps")

REDIS_PORT: Final = 6379

_HINT: Final = "write redis://:PASSWORD@HOST:PORT/NUMBER or amqp://USER:PASSWORD@HOST:PORT/VHOST"

_REFUSED: Final = {
    "memory": "it lives within one process, and workers are others",
    "filesystem": "it was tried, and loses messages for good when a worker dies",
    "sqla": "it was tried: it locks up, and loses messages for good when a worker dies",
    "sqlalchemy": "it was tried: it locks up, and loses messages for good when a worker dies",
    "pyamqp": "write amqp://",
    "sentinel": "it has not been tried; name the Redis server itself",
}
"""Brokers that the messaging library offers and this program does not, and why."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")
_USER_INFO: Final = re.compile(r"//.*@", re.DOTALL)
_PASSWORD: Final = re.compile(r"(?i)(passw(?:or)?d|token)=[^&\s]*")


def check_url(text: str) -> str:
    """The URL as it was given, if it names a broker that can be used.

    Raises:
        BrokerUrlError: it does not; the message says why, and holds no secret.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        raise BrokerUrlError(f"not a broker URL: {show(text)!r} ({_HINT})")
    name = scheme[1].lower()
    if name not in SCHEMES:
        reason = _REFUSED.get(name.partition("+")[0], "it has not been tried")
        raise BrokerUrlError(f"{name}:// cannot be the broker: {reason} ({_HINT})")
    try:
        parts = urlsplit(text)
        _port = parts.port  # raises what is wrong with it
    except ValueError:
        raise BrokerUrlError(f"not a broker URL: {show(text)!r} ({_HINT})") from None
    if ";" in text:
        raise BrokerUrlError(f"one broker, not a list of them: {show(text)!r}")
    number = parts.path.strip("/")
    if name.startswith("redis") and number and not number.isdecimal():
        raise BrokerUrlError(f"the database of a Redis broker is a number, not {number!r}")
    return text


def show(text: str) -> str:
    """A broker's URL for people: the password hidden, and the user where that is not certain."""
    hidden = _PASSWORD.sub(r"\1=***", text)
    try:
        parts = urlsplit(hidden)
        user, port = parts.username, parts.port
    except ValueError:
        return _USER_INFO.sub("//***@", hidden)
    if "@" not in parts.netloc or text.count("@") != 1:
        # A password with a "/" or "@" in it ends up in other parts of the URL.
        return _USER_INFO.sub("//***@", hidden)
    place = f"{parts.hostname or ''}{'' if port is None else f':{port}'}"
    return parts._replace(netloc=f"{user or ''}:***@{place}").geturl()
