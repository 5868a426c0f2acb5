"""The settings of a server, and the limits of its clients."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from c4core.players.player import NO_PROGRAM, Consent
from workers.configuration import usable_cores

LOOPBACK: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8004
_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of clients, which are identified by their address."""

    requests_per_second: float = 50.0
    """Average rate of requests per client; ``inf`` for no limit."""
    burst: int = 200
    """Maximum number of requests of a client at once, after a pause."""
    searches_per_client: int = 4
    """Maximum number of requests of a client that search at the same time, including batches."""
    connections: int = 2_000
    """Maximum number of connections of all clients together."""
    memory_bytes: int = 320 * _MIB
    """Maximum memory of the requests of all clients: lines of batches."""
    memory_per_client: int = 80 * _MIB
    """Maximum memory of a client's requests."""
    budget_seconds: float = 30.0
    """The longest search that a client may request."""
    body_seconds: float = 300.0
    """Maximum time in seconds until a body has arrived, unless it is a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The settings of a server."""

    host: str = LOOPBACK
    port: int = DEFAULT_PORT
    """The port to listen on; 0 for any free port."""
    database_url: str | None = None
    """The URL for ``db.database.Database.open``; None for no database."""
    broker_url: str | None = None
    """URL of the broker whose workers do the jobs; None to do them in this process."""
    token: str | None = field(default=None, repr=False)
    """The token that clients must send to change data; None if they need none."""
    threads: int = field(default_factory=usable_cores)
    """Threads of a search."""
    table_mb: int = 64
    """Megabytes of each solver's transposition table."""
    book: str | None = None
    """The book for ``workers.answers.question.find_book``."""
    allowed_hosts: tuple[str, ...] = ()
    """Additional host names that requests may use, such as a proxy's. Without any, a server that
    other machines can reach answers to every name."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks of the proxies whose headers ``X-Forwarded-For`` and
    ``X-Forwarded-Proto`` are trusted."""
    read_only: bool = False
    """Whether the server stores no results and creates or changes no jobs."""
    limits: Limits = field(default_factory=Limits)
    programs: Consent = NO_PROGRAM
    """The programs that any client may start as players."""
