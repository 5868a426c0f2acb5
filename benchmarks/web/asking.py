"""One client that asks one question after the other, as a person at the board does."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

PAUSE_SECONDS: Final = 0.05
"""Between an answer and the next question."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How long a client has waited for its answers."""

    questions: int
    p50_ms: float
    p99_ms: float
    longest_ms: float


def ask_all(port: int, targets: Sequence[str]) -> Asking:
    """Ask every question once, over one connection.

    Args:
        port: of the server.
        targets: two questions at least.

    Raises:
        click.ClickException: an answer is an error.
    """
    taken = []
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        for target in targets:
            begin = time.perf_counter()
            connection.request("GET", target)
            answer = connection.getresponse()
            body = answer.read()
            taken.append((time.perf_counter() - begin) * 1e3)
            if answer.status != 200:  # noqa: PLR2004
                raise click.ClickException(f"{target}: {answer.status} {body!r}")
            time.sleep(PAUSE_SECONDS)
    finally:
        connection.close()
    hundredths = statistics.quantiles(taken, n=100, method="inclusive")
    return Asking(len(taken), hundredths[49], hundredths[98], max(taken))
