"""URLs of databases and brokers: parse them, and mask passwords.

SQLAlchemy is imported only to parse a URL, because importing it takes long.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from db.errors import UnknownSchemeError

if TYPE_CHECKING:
    from sqlalchemy import URL

PREPARE_THRESHOLD: Final = "prepare_threshold"
"""Parameter of a PostgreSQL URL: number of executions before a statement is prepared; 0: never."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")
_HINT: Final = "write sqlite:///PATH, a file's path, or postgresql://USER:PASSWORD@HOST:PORT/NAME"

_DRIVERS: Final = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
"""The dialect and driver for every known scheme."""

MODE: Final = "mode"
READ_ONLY: Final = "ro"
IMMUTABLE: Final = "immutable"
_ONLY_READ: Final = f"{MODE}={READ_ONLY}"

HIDDEN: Final = "***"

_PATH: Final = re.compile(r"~|\.{0,2}/(?!/)")
_SECRET_NAME: Final = re.compile(r"pas|pw|psw|secret|token|auth|cred", re.IGNORECASE)
_IN_NO_FILE: Final = re.compile(rf"[@:]|({_SECRET_NAME.pattern})[^=]*=", re.IGNORECASE)
_IN_NO_NAME: Final = re.compile("[@:=;?#]")
_USER: Final = re.compile(r"[\w.~\-]*")
_HOST: Final = r"([\w.\-]*|\[[\w.:]*\])(:\d{1,5})?"
_HOSTS: Final = re.compile(f"{_HOST}(,{_HOST})*")
_SEVERAL_HOSTS: Final = re.compile(
    r"([^/]*//(?:[^/@]*@)?)([^/?@]*,[^/?@]*)((?![^/?]*@).*)", re.DOTALL
)


def parse_url(text: str) -> URL:
    """Read a database URL or the path of an SQLite file, which may begin with ``~``.

    The path is taken literally, also in a URL: ``%20`` is not a space. After ``?`` the only option
    is ``mode=ro``, for read-only access. Any other text is an UnknownSchemeError. A newline at the
    end is left out: files for secrets often have one.
    """
    from sqlalchemy.engine import make_url  # noqa: PLC0415 - see the module's docstring
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

    text = text.rstrip("\r\n")
    scheme = _SCHEME.match(text)
    if scheme is None:
        if masked(text) != text:  # a text with a password must not become the name of a file
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
    several = _SEVERAL_HOSTS.fullmatch(text)  # as libpq writes them
    try:
        url = make_url(text if several is None else several[1] + several[3]).set(drivername=driver)
    except (ArgumentError, ValueError):
        raise _unreadable(text) from None
    if several is not None:
        url = url.update_query_dict({"host": tuple(several[2].split(","))})
    # A part of a password that is not quoted has become a name.
    names = (url.username, url.database, url.host and url.host.replace(":", ""))
    user_info, _, rest = text.rpartition("@")
    is_unquoted = "@" in user_info or (url.username is not None and "?" in user_info)
    if is_unquoted or "=&" in rest or any(_IN_NO_NAME.search(name or "") for name in names):
        raise UnknownSchemeError(
            f"not a database URL: {masked(text)!r} "
            "(in a password write %40 for @, %3F for ?, %26 for &)",
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
    from sqlalchemy import URL  # noqa: PLC0415 - see the module's docstring

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


def show_url(url: URL) -> str:
    """Show a URL to users: password masked, or left out with all parameters; driver left out."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}" + (f"?{_ONLY_READ}" if MODE in url.query else "")
    shown = url.set(drivername=url.get_backend_name())
    if any(map(is_secret_name, url.query)):
        shown = shown.set(query={})  # all of them: they may be the rest of a password
    return shown.render_as_string(hide_password=True)


def place(url: URL) -> str:
    """Return the database's name in error messages: an SQLite file's path, else the masked URL."""
    if url.get_backend_name() == "sqlite" and url.database is not None:
        return url.database
    return show_url(url)


def masked(text: str) -> str:
    """Return the text of a URL without its secrets; a text without secrets stays as it is.

    The password that a URL parser finds is hidden. If another part of the text could belong to a
    password, everything after the scheme is hidden. Digits in the port's place are shown, although
    they could be a password. A text without a scheme is shown if it can be the name of a file.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        is_file = _PATH.match(text) or not _IN_NO_FILE.search(unquote(text))
        return text if is_file else HIDDEN
    rest = text[scheme.end() :]
    if scheme[0].lower().startswith("sqlite") and rest.startswith("/") and "?" not in rest:
        return text  # a path without a user's name
    try:
        parts = urlsplit(text)
    except ValueError:
        return scheme[0] + HIDDEN
    user_info, at, hosts = parts.netloc.rpartition("@")
    user, colon, password = user_info.partition(":")
    is_clear = _USER.fullmatch(user) and _HOSTS.fullmatch(hosts) and not parts.fragment
    if not is_clear or "@" in parts.query or _IN_NO_NAME.search(parts.path):
        return scheme[0] + HIDDEN
    if not colon and parts.scheme.startswith("redis") and user:
        user = HIDDEN  # Redis servers have no users without passwords
    question = "?" if parts.query else ""
    query = HIDDEN if is_secret_name(parts.query) else parts.query
    hidden = HIDDEN if password else ""
    return f"{scheme[0]}{user}{colon}{hidden}{at}{hosts}{parts.path}{question}{query}"


def is_secret_name(name: str) -> bool:
    """Whether a parameter holds a password, or leads to one: ``sslpassword``, ``passfile``."""
    return _SECRET_NAME.search(unquote(name)) is not None
