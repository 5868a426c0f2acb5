"""Database URLs: reading them, and showing them without their passwords."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from db.errors import UnknownSchemeError

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")
_USER_INFO: Final = re.compile(r"//[^/@]*@")
_HINT: Final = "write sqlite:///PATH, a file's path, or postgresql://USER:PASSWORD@HOST:PORT/NAME"

_DRIVERS: Final = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
"""The dialect and driver behind every scheme that is understood."""


def parse_url(text: str) -> URL:
    """Read a database URL or the path of an SQLite file, which may begin with ``~``.

    The path is taken as it stands, in a URL as well: no ``%20``, no options after ``?``.

    Raises:
        UnknownSchemeError: neither SQLite nor PostgreSQL, or not readable as a URL.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        return _sqlite_url(text, text)
    driver = _DRIVERS.get(scheme[1].lower())
    if driver is None:
        raise UnknownSchemeError(
            f"unknown database scheme {scheme[1]!r} in {mask(text)}: {_HINT}", url=mask(text)
        )
    if driver == "sqlite":
        rest = text[scheme.end() :]
        if (rest and not rest.startswith("/")) or "?" in rest:
            raise _unreadable(text)
        return _sqlite_url(rest[1:], text)
    try:
        return make_url(text).set(drivername=driver)
    except (ArgumentError, ValueError):
        raise _unreadable(text) from None


def _sqlite_url(path: str, text: str) -> URL:
    if path in {"", ":memory:"}:
        raise UnknownSchemeError(
            f"{text!r} names no file, and threads cannot share a database in memory: {_HINT}",
            url=text,
        )
    if "\0" in path:
        raise _unreadable(text)
    return URL.create("sqlite", database=str(Path(path).expanduser()))


def _unreadable(text: str) -> UnknownSchemeError:
    return UnknownSchemeError(f"not a database URL: {mask(text)!r} ({_HINT})", url=mask(text))


def mask(text: str) -> str:
    """The text of a URL with user and password hidden, whatever else is wrong with it."""
    return _USER_INFO.sub("//***@", text)


def show(url: URL) -> str:
    """The URL for people: password masked or left out, driver left out."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}"
    shown = url.set(drivername=url.get_backend_name()).difference_update_query(["password"])
    return shown.render_as_string(hide_password=True)


def place(url: URL) -> str:
    """What error messages call the database: an SQLite file's path, else the masked URL."""
    if url.get_backend_name() == "sqlite" and url.database is not None:
        return url.database
    return show(url)
