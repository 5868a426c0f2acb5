"""URLs of databases and brokers: parse them, check the files of SQLite, and mask passwords.

SQLAlchemy is imported only to parse a URL: ``c4 config`` masks URLs without it.
"""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final
from urllib.parse import quote, unquote

from db.errors import (
    MissingDatabaseError,
    NotADatabaseError,
    ReadOnlyError,
    UnknownSchemeError,
    UnreachableError,
)

if TYPE_CHECKING:
    from sqlalchemy import URL

PREPARE_THRESHOLD: Final = "prepare_threshold"
"""Parameter of a PostgreSQL URL: number of executions before a statement is prepared; 0: never."""

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://")
_LIKE_A_URL: Final = re.compile(r"(?i)(sqlite|postgres)[a-z+]*(:|//)")
_IN_NO_NAME: Final = re.compile("[@:]")
_HINT: Final = "write sqlite:///PATH, a file's path, or postgresql://USER:PASSWORD@HOST:PORT/NAME"

_DRIVERS: Final = {
    "sqlite": "sqlite",
    "sqlite+pysqlite": "sqlite",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
"""The dialect and driver for every known scheme."""

_MODE: Final = "mode"
_READ_ONLY: Final = "ro"
_IMMUTABLE: Final = "immutable"
_ONLY_READ: Final = f"{_MODE}={_READ_ONLY}"

SUFFIXES: Final = ("-journal", "-wal", "-shm")

_SMALLEST_FILE: Final = 512
"""Size of SQLite's smallest page in bytes. SQLite takes some shorter files for empty databases."""

_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")
"""The beginning of a rollback journal, and the end of the name of a super-journal."""

_TAIL: Final = 16
"""Number of bytes after the super-journal's name: its length, its checksum, and the magic."""

_LONGEST_NAME: Final = 4096

HIDDEN: Final = "***"

_LARGEST_PORT: Final = 65_535

_PATH: Final = re.compile(r"~|\.{0,2}/(?!/)")
_PARAMETER: Final = re.compile(r"[?&;]([^?&;=]*)=")
_PAIR: Final = re.compile(r"([^\s?&;=']*)\s*=\s*")
_SECRET_NAME: Final = re.compile(r"pas|pw|psw|secret|token|auth|cred", re.IGNORECASE)
_HOST: Final = re.compile(r"(\[[^\]]*\]|[^:/?#]*)(:?)([^/?#]*)")
_WORD: Final = re.compile(r"[\w.~%\-]*")


def parse_url(text: str) -> URL:
    """Read a database URL or the path of an SQLite file, which may begin with ``~``.

    The path is taken literally, also in a URL: ``%20`` is not a space. After ``?`` the only option
    is ``mode=ro``, for read-only access. Any other text is an UnknownSchemeError.
    """
    from sqlalchemy.engine import make_url  # noqa: PLC0415 - see the module's docstring
    from sqlalchemy.exc import ArgumentError  # noqa: PLC0415

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
        return _sqlite_url(rest[1:], text).set(query={_MODE: _READ_ONLY} if options else {})
    try:
        url = make_url(text).set(drivername=driver)
    except (ArgumentError, ValueError):
        raise _unreadable(text) from None
    # After three slashes the user and the password have become the database's name.
    if _IN_NO_NAME.search(url.database or ""):
        raise _unreadable(text)
    # An unquoted part of a password has become a name.
    is_misread = _secret_parameter(text) is not None and not any(map(is_secret_name, url.query))
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


def show(url: URL) -> str:
    """Show a URL to users: password masked, or left out with all parameters; driver left out."""
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}" + (f"?{_ONLY_READ}" if _MODE in url.query else "")
    shown = url.set(drivername=url.get_backend_name())
    if any(map(is_secret_name, url.query)):
        shown = shown.set(query={})  # all of them: they may be the rest of a password
    return masked(shown.render_as_string(hide_password=False))


def place(url: URL) -> str:
    """Return the database's name in error messages: an SQLite file's path, else the masked URL."""
    if url.get_backend_name() == "sqlite" and url.database is not None:
        return url.database
    return show(url)


def with_file_options(url: URL) -> URL:
    """Add the options that an SQLite file needs to its URL; other URLs stay the same.

    To read a database in WAL mode, SQLite creates two files beside it. If the directory cannot be
    written, there are two cases:

    - The ``-wal`` file is missing or empty: all data is in the database's own file. It is opened as
      ``immutable``, without other files and without locks. Other processes must not write to it
      meanwhile.
    - The ``-wal`` file contains the latest transactions. SQLite can read them only if the ``-shm``
      file was left as well.

    If another program has left an unfinished transaction in a ``-journal`` file, it must be rolled
    back before the database can be read. SQLite therefore refuses the database.
    """
    if url.get_backend_name() != "sqlite" or url.database is None:
        return url
    path = Path(os.path.realpath(url.database))
    if not path.exists() or os.access(path.parent, os.W_OK):
        return url
    url = url.update_query_dict({_MODE: _READ_ONLY})
    if _has_wal(path) or _has_hot_journal(path):
        return url
    return url.update_query_dict({_IMMUTABLE: "1"})


def is_read_only(url: URL) -> bool:
    """Whether a database is opened read-only.

    Either the user's URL requires this, or the directory cannot be written.
    """
    return url.get_backend_name() == "sqlite" and _MODE in url.query


def file_uri(url: URL) -> str:
    """SQLite's URI of a file, with the URL's options."""
    options = "&".join(f"{name}={value}" for name, value in sorted(url.query.items()))
    return f"file:{quote(os.path.abspath(url.database or ''))}?{options}"  # noqa: PTH100 (as typed)


def check_file(url: URL, *, create: bool) -> None:
    """Raise an error with the reason; SQLite reports only "unable to open database file"."""
    if url.get_backend_name() != "sqlite" or url.database is None:
        return
    path = Path(url.database)
    try:
        if path.is_dir():
            raise UnreachableError(f"{path} is a directory, not a database")
        _check_side_files(path)
        if path.exists():
            if 0 < path.stat().st_size < _SMALLEST_FILE and path.is_file():
                raise NotADatabaseError(f"{path} is not an SQLite database")
            if not os.access(path, os.R_OK):
                raise UnreachableError(f"no permission to read {path}")
            return
        if not path.parent.is_dir():
            raise UnreachableError(f"cannot open {path}: there is no directory {path.parent}")
    except OSError as error:  # a name too long, a loop of links, a closed directory
        raise UnreachableError(f"cannot open {path}: {error.strerror}") from None
    if not create:
        raise MissingDatabaseError(f"there is no database {path}: run `c4 db init`")
    if not os.access(path.parent, os.W_OK):
        raise ReadOnlyError(f"cannot create {path}: no permission to write {path.parent}")


def _check_side_files(path: Path) -> None:
    """Refuse a database that would let SQLite change a file of another name.

    A database from an untrusted source may include side files. Opening it must change nothing but
    these files and the database itself. Therefore the following are refused:

    - A side file that is a link: SQLite would write to, or truncate, the file behind it.
    - A rollback journal that names a super-journal. SQLite writes one for a transaction over
      several files, and deletes the file of this name when it rolls back. C4 writes to one file at
      a time, so none of its journals names one.
    - A database that is a dangling link: it would choose where the new database is created.
    """
    if path.is_symlink() and not path.exists():
        raise NotADatabaseError(f"cannot open {path}: it is a link to a file that does not exist")
    for suffix in SUFFIXES:
        side = beside(path, suffix)
        with suppress(FileNotFoundError):
            found = side.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_nlink <= 1:
                continue
            raise NotADatabaseError(
                f"cannot open {path}: {side} is a link or not a regular file, and SQLite would "
                "change the file behind it: remove it"
            )
    victim = _super_journal(path)
    if victim is not None:
        raise NotADatabaseError(
            f"cannot open {path}: SQLite would delete {victim!r}, which the file {path}-journal "
            "names; if you trust these files, open them first with the program that wrote them"
        )


def _has_wal(path: Path) -> bool:
    """Whether the ``-wal`` file contains transactions that may not be in the database file yet."""
    try:
        return beside(path, "-wal").stat().st_size > 0
    except OSError:
        return False


def _has_hot_journal(path: Path) -> bool:
    """Whether SQLite has to roll back a transaction that was interrupted or is running."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return journal.read(1) not in {b"", b"\0"}
    except OSError:
        return False


def beside(path: Path, suffix: str) -> Path:
    """The path of a side file; SQLite follows the links of the database's path first."""
    return Path(os.path.realpath(path) + suffix)


def _super_journal(path: Path) -> str | None:
    """The name of the super-journal at the end of the rollback journal, if there is one."""
    try:
        with beside(path, "-journal").open("rb") as journal:
            return _name_at_end(journal)
    except FileNotFoundError:
        return None


def _name_at_end(journal: BinaryIO) -> str | None:
    size = journal.seek(0, os.SEEK_END)
    if size < _TAIL:
        return None
    journal.seek(size - _TAIL)
    tail = journal.read(_TAIL)
    if not tail.endswith(_MAGIC):
        return None
    # The checksum does not matter: a journal of C4 never ends like this.
    length = min(int.from_bytes(tail[:4], "big"), size - _TAIL, _LONGEST_NAME)
    journal.seek(size - _TAIL - length)
    return os.fsdecode(journal.read(length))


def masked(text: str) -> str:
    """Return the text of a URL without its secrets; a text without secrets stays as it is.

    A password may contain any character, also ``@`` and ``/``, and the URL may be mistyped. All
    text that could be part of a password is therefore hidden, at worst up to the end: the text
    between the user and the last ``@``; without an ``@``, the text in the port's place unless it is
    a number; and the text after a parameter whose name suggests a secret. Digits in the port's
    place are shown, although they could be a password.

    A text without a scheme may also be in libpq's form, ``host=h password=secret``. A text that
    begins with ``/``, ``./`` or ``~`` is a path and has no secrets.
    """
    scheme = _SCHEME.match(text)
    if scheme is None:
        return text if _PATH.match(text) else _masked(text, is_url=False)
    rest = text[scheme.end() :]
    if scheme[0].lower().startswith("sqlite") and rest.startswith("/") and "?" not in rest:
        return text  # a path without a user's name
    is_redis = scheme[0].lower().startswith("redis")
    return scheme[0] + _masked(rest, alone_is_secret=is_redis)


def is_secret_name(name: str) -> bool:
    """Whether a parameter holds a password, or leads to one: ``sslpassword``, ``passfile``."""
    return _SECRET_NAME.search(unquote(name)) is not None


def _masked(rest: str, *, is_url: bool = True, alone_is_secret: bool = False) -> str:
    """Mask the text after a scheme, ``USER:PASSWORD@HOST:PORT/NAME?PARAMETERS``.

    A text without a scheme has no port, but may have pairs of names and values. If
    ``alone_is_secret``, a single word before the ``@`` is a password.
    """
    end = _secret_parameter(rest, *(() if is_url else (_PAIR,)))
    if end is not None:
        # Hidden up to the end, because the value may contain "&". An "@" may be part of it, or end
        # a password that looks like a parameter.
        if "@" in rest[end:] and (":" in rest[:end] or alone_is_secret):
            return _shown_user(rest) + HIDDEN
        rest = rest[:end] + HIDDEN
    user_info, at, place = rest.rpartition("@")
    shown = user_info
    if ":" in user_info:
        if user_info.partition(":")[2]:
            shown = _shown_user(user_info) + HIDDEN
    elif alone_is_secret and user_info:
        shown = HIDDEN  # Redis servers have no users without passwords
    return shown + at + (_without_false_port(place) if is_url else place)


def _secret_parameter(rest: str, *others: re.Pattern[str]) -> int | None:
    """The place where the value of the first secret parameter begins; None if there is none.

    ``others`` are other ways to write a parameter.
    """
    values = (
        parameter.end()
        for pattern in (_PARAMETER, *others)
        for parameter in pattern.finditer(rest)
        if is_secret_name(parameter[1]) and rest[parameter.end() :]
    )
    return min(values, default=None)


def _shown_user(user_info: str) -> str:
    """The user with a colon, if it is certainly the user."""
    user, colon, _password = user_info.partition(":")
    return user + colon if colon and _WORD.fullmatch(user) else ""


def _without_false_port(place: str) -> str:
    """Hide text in the port's place that is not a port: a password without its ``@HOST``."""
    # After one slash too many the host is empty, and the intended host is in the path.
    host = _HOST.match(place, len(place) - len(place.lstrip("/")))
    if host is None or host.end(2) == len(place) or not host[2] or (host[1] and _is_port(host[3])):
        return place
    return place[: host.start(3)] + HIDDEN


def _is_port(text: str) -> bool:
    return text.isdecimal() and float(text) <= _LARGEST_PORT
