"""A worker's log: short lines on standard error, without passwords.

Exceptions and libraries may quote text from untrusted sources, so everything is escaped.
"""

from __future__ import annotations

import logging
import re
import sys
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, unquote_plus

from db.urls import HIDDEN, is_secret_name, masked
from workers.text import printable, printable_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

LOGGER: Final = logging.getLogger("c4.worker")
"""The logger of this program's own messages."""

SHORTEST_SECRET: Final = 4
"""A shorter password is part of too many words: hiding it would make the log unreadable."""

_URL: Final = re.compile(
    r"(?<![A-Za-z0-9+.\-])[A-Za-z][A-Za-z0-9+.\-]*://[^\s'\"]*@[^\s'\"]*(?<!:)"
)
"""A URL with a user; it begins with a word, because other starts would take quadratic time."""

_LIBRARIES: Final = ("celery", "kombu", "amqp", "py.warnings")
# This program reports the same itself, in fewer words.


def is_news(record: logging.LogRecord) -> bool:
    """Whether a record is worth a line.

    The library reports that it cannot acknowledge a message through a lost connection. That does no
    harm: the message is delivered again, and the unit's claim decides.
    """
    return not str(record.msg).startswith("Couldn't ack")


class OneLine(logging.Formatter):
    """Time, level and message of a record, in one line; with ``traces``, errors take several."""

    def __init__(self, *, traces: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._traces = traces

    def format(self, record: logging.LogRecord) -> str:
        """Format the record as text."""
        if self._traces:
            return super().format(record)
        plain = logging.makeLogRecord(record.__dict__ | {"exc_info": None, "exc_text": None})
        return printable(" ".join(super().format(plain).split("\n")))


class Masking(logging.Formatter):
    """Hides passwords in another formatter's text, and escapes invisible characters."""

    def __init__(self, formatter: logging.Formatter, urls: Iterable[str | None]) -> None:
        super().__init__()
        self._formatter = formatter
        given = [url for url in urls if url]
        shown = {form: masked(url) for url in given for form in _forms(url)}
        self._urls = sorted(shown.items(), key=lambda pair: len(pair[0]), reverse=True)
        secrets = sorted(secrets_of(*given), key=len, reverse=True)
        # Complete words only: the password "cust" is not in "customers".
        self._words = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in secrets))

    def format(self, record: logging.LogRecord) -> str:
        """Format the record as text."""
        text = self._formatter.format(record)
        for form, shown in self._urls:
            text = text.replace(form, shown)
        text = _URL.sub(lambda found: masked(found[0]), text)
        if self._words.pattern:
            text = self._words.sub(HIDDEN, text)
        return printable_lines(text)


def set_up(*, verbose: bool, quiet: bool, urls: Iterable[str | None], traces: bool) -> None:
    """Let this process log to standard error, without the passwords of ``urls``.

    ``verbose`` logs every unit, too, ``quiet`` only warnings and errors; ``traces`` shows
    tracebacks.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(is_news)
    handler.setFormatter(Masking(OneLine(traces=traces), urls))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    LOGGER.setLevel(logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING if traces else logging.ERROR)


def secrets_of(*urls: str | None) -> set[str]:
    """Return the passwords in some URLs: as written, unquoted, and quoted.

    A password that also occurs elsewhere in the URL is left out: hiding it there would reveal it.
    """
    found: set[str] = set()
    for url in urls:
        if url is not None:
            shown = re.findall(r"\w+", masked(url))
            for password in _passwords(url):
                meant = {password, unquote(password), unquote_plus(password)}
                found |= {form for word in meant for form in _forms(word)} - {*shown}
    return {password for password in found if len(password) >= SHORTEST_SECRET}


def _forms(text: str) -> set[str]:
    """The forms of a text in a log: itself, in one line, escaped, and quoted."""
    lines = {text, " ".join(text.split("\n"))}
    return {*lines, *map(printable, lines), *(repr(line)[1:-1] for line in lines)}


def _passwords(url: str) -> set[str]:
    """All parts of a URL that may be a password, for every way to read the URL."""
    if masked(url) == url:
        return set()
    rest = url.partition("://")[2] or url
    user_info, at, _place = rest.rpartition("@")
    found = {user_info.partition(":")[2] or user_info} if at else set()
    for parameter in re.split("[?&;]", rest)[1:]:
        name, _, value = parameter.partition("=")
        if is_secret_name(name):
            found.add(value)
    return found - {""}
