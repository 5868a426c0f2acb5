"""How a server is run: where it listens, what it may use, what it lets its clients do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from c4core.players.parameters import MOST_BYTES
from c4core.players.player import NO_PROGRAM, Consent
from workers.configuration import usable_cores

LOOPBACK: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8004
_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one client may ask, and how much. A client is known by its address."""

    requests_per_second: float = 50.0
    """Requests of a client, in the long run; ``inf`` for any number."""
    burst: int = 200
    """Requests that a client may make at once, after a pause."""
    searches_per_client: int = 4
    """Requests of a client that search, batches among them, at one time."""
    connections: int = 2_000
    """Connections of all clients together."""
    connections_per_client: int = 250
    """Connections of a client; those of trusted proxies have no such limit."""
    memory_bytes: int = 320 * _MIB
    """What requests of all clients together may hold in memory: bodies, and trees of players."""
    memory_per_client: int = MOST_BYTES + 16 * _MIB
    """What the requests of a client may hold: the costliest move, and some bodies."""
    disk_bytes: int = 2 * 1024 * _MIB
    """What bodies of all clients together may take of the disk for temporary files."""
    body_bytes: int = _MIB
    """The largest body of a request, except those that are streams."""
    budget_seconds: float = 30.0
    """The most time that may be asked for one answer."""
    read_seconds: float = 30.0
    """Time that a client may take to send the next piece of a request."""
    least_rate: int = 8 * 1024
    """Bytes a second that a body has to arrive with after these seconds, unless it is a stream."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The settings of a server."""

    host: str = LOOPBACK
    """The address to listen at."""
    port: int = DEFAULT_PORT
    """0 for any free one."""
    database_url: str | None = None
    """As ``db.database.Database.open`` takes it; None for no database."""
    broker_url: str | None = None
    """Of the broker whose workers do the jobs; None for threads of this process."""
    token: str | None = field(default=None, repr=False)
    """What a client must know to change anything; None: whoever reaches the server may."""
    threads: int = field(default_factory=usable_cores)
    """Threads of a search."""
    table_mb: int = 64
    """Megabytes of each solver's table."""
    book: str | None = None
    """As ``workers.answers.books.find_book`` takes it."""
    allowed_hosts: tuple[str, ...] = ()
    """Names, besides those of its machine, that a request may be for: those of proxies before it.
    With none of them a server that other machines reach answers to any name."""
    proxies: tuple[str, ...] = ()
    """Addresses of the proxies whose header ``X-Forwarded-For`` names the client."""
    read_only: bool = False
    """Whether nothing is stored, and no job is made or changed."""
    limits: Limits = field(default_factory=Limits)
    """What its clients may do."""
    programs: Consent = NO_PROGRAM
    """Which players that are programs may be started, by anybody who reaches the server."""
