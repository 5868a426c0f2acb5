"""Database URLs: parse and show them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from db.errors import UnknownSchemeError
from db.masking import has_secret_parameter, is_secret_name, masked
from db.sqlite_files import MODE, READ_ONLY

PREPARE_THRESHOLD: Final = "prepare_threshold"
"""Parameter of a PostgreSQL URL: number of executions before a statement is prepared; 0: never."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")
_LIKE_A_URL: Final = re.compile(r"(?i)(sqlite|postgres)[a-z+]*(:|//)")
_IN_NO_NAME: Final = re.compile("[@:]")
_HINT: Final = "write sqlite:///PATH, a file's path, or postgresql://USER:PASSWORD@HOST:PORT/NAME"

_ONLY_READ: Final = f"{MODE}={READ_ONLY}"

_DRIVERS: Final = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
"""The dialect and driver for every known scheme."""


def parse_url(text: str) -> URL:
    """Read a database URL or the path of an SQLite file, which may begin with ``~``.

    The path is taken literally, also in a URL: ``%20`` is not a space. After ``?`` the only option
    is ``mode=ro``, for read-only access. Any other text is an UnknownSchemeError.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        # A text with a password must not become the name of a file.
        if _LIKE_A_URL.match(text) or masked(text) != text:
            raise _unreadable(text)
        return _sqlite_url(text, text)
    driver = _DRIVERS.get(scheme[1].lower())
    if driver is None:
        raise UnknownSchemeError(
            f"unknown database scheme {scheme[1]!r} in {masked(text)}: {_HINT}", url=masked(text)
        )
    if driver == "sqlite":
        rest, question, options = text[scheme.end() :].partition("?")
        if (rest and not rest.startswith("/")) or (question and options != _ONLY_READ):
            raise _unreadable(text)
        return _sqlite_url(rest[1:], text).set(query={MODE: READ_ONLY} if options else {})
    try:
        url = make_url(text).set(drivername=driver)
    except (ArgumentError, ValueError):
        raise _unreadable(text) from None
    # After three slashes the user and the password have become the database's name.
    if _IN_NO_NAME.search(url.database or ""):
        raise _unreadable(text)
    # An unquoted part of a password has become a name.
    is_misread = has_secret_parameter(text) and not any(map(is_secret_name, url.query))
    if text.count("@") > 1 or is_misread:
        raise UnknownSchemeError(
            f"not a database URL: {masked(text)!r} (in a password write %40 for @, %3F for ?)",
            url=masked(text),
        )
    if not str(url.query.get(PREPARE_THRESHOLD, "0")).isdecimal():
        raise UnknownSchemeError(
            f"{PREPARE_THRESHOLD} is not a number in {masked(text)}: "
            "write 0 to prepare no statements",
            url=masked(text),
        )
    return url


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
    return UnknownSchemeError(f"not a database URL: {masked(text)!r} ({_HINT})", url=masked(text))


def show(url: URL) -> str:
    """Show a URL to users: password masked, or left out with all parameters; driver left out."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}" + (f"?{_ONLY_READ}" if MODE in url.query else "")
    shown = url.set(drivername=url.get_backend_name())
    if any(map(is_secret_name, url.query)):
        shown = shown.set(query={})  # all of them: they may be the rest of a password
    return masked(shown.render_as_string(hide_password=False))


def place(url: URL) -> str:
    """Return the database's name in error messages: an SQLite file's path, else the masked URL."""
    if url.get_backend_name() == "sqlite" and url.database is not None:
        return url.database
    return show(url)
