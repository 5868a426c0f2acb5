"""What a worker logs: short lines on standard error, without anybody's password."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs, unquote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterable

LOGGER: Final = logging.getLogger("c4.worker")
"""What this program says itself."""

SHORTEST_SECRET: Final = 4
"""A shorter password is in every other word: hiding it would make the log unreadable."""

_LIBRARIES: Final = ("celery", "kombu", "amqp", "py.warnings")
# What they warn of is told by this program as well, in fewer words.


def is_news(record: logging.LogRecord) -> bool:
    """Whether a record is worth a line.

    A message cannot be acknowledged through a connection that is gone. It is delivered again, and
    the unit's claim decides.
    """
    return not str(record.msg).startswith("Couldn't ack")


class OneLine(logging.Formatter):
    """Time, level and message of a record, in one line.

    Args:
        traces: whether to show where errors come from; those are several lines then.
    """

    def __init__(self, *, traces: bool) -> None:
        super().__init__("%(asctime)s %(levelname)s %(message)s")
        self._traces = traces

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        if self._traces:
            return super().format(record)
        plain = logging.makeLogRecord(record.__dict__ | {"exc_info": None, "exc_text": None})
        return " ".join(super().format(plain).split("\n"))


class Masking(logging.Formatter):
    """Another formatter's text with secrets hidden, whatever part of a record they are in.

    Args:
        formatter: makes the text.
        secrets: what must not be shown.
    """

    def __init__(self, formatter: logging.Formatter, secrets: Iterable[str]) -> None:
        super().__init__()
        self._formatter = formatter
        self._secrets = sorted(secrets, key=len, reverse=True)

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        text = self._formatter.format(record)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def set_up(*, verbose: bool, quiet: bool, secrets: Iterable[str], traces: bool) -> None:
    """Let this process log to standard error.

    Args:
        verbose: also what is of interest unit by unit.
        quiet: only what goes wrong.
        secrets: what must not be shown.
        traces: whether to show where errors come from.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(is_news)
    handler.setFormatter(Masking(OneLine(traces=traces), secrets))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.captureWarnings(capture=True)
    LOGGER.setLevel(logging.WARNING if quiet else logging.DEBUG if verbose else logging.INFO)
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(logging.WARNING if traces else logging.ERROR)


def secrets_of(*urls: str | None) -> set[str]:
    """The passwords in some URLs, as they are written and as they are meant."""
    found: set[str] = set()
    for url in urls:
        if url is not None:
            found |= {password for password in _passwords(url) if len(password) >= SHORTEST_SECRET}
    return found


def _passwords(url: str) -> set[str]:
    try:
        parts = urlsplit(url)
        given = [parts.password or "", *parse_qs(parts.query).get("password", [])]
    except ValueError:
        return set()
    return {*given, *map(unquote, given)}
