"""Resources that all requests share: the database, solvers, threads and limits of clients."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import Counter, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, cast

from db import evaluations
from db.database import Database
from db.errors import StorageError, UnreachableError
from db.urls import parse_url
from web.middleware import Metrics
from web.responses import CLIENT_GONE, ApiError, too_many, unavailable
from web.running import JobRunner
from workers.answers.find import look_up
from workers.answers.service import AnswerService, SearchStop
from workers.celery.broker import Broker
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request

    from c4core.position import Position
    from db.database import NonBlockingReader
    from db.records.evaluations import StoredEvaluation
    from web.settings import ServerSettings

LONGEST_QUESTION: Final = 256
"""Maximum length of a query whose answer is cached, so that the cache's memory is bounded."""


class Known:
    """A cache of the latest answers. For the event loop only."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._answers: OrderedDict[tuple[str, bytes], bytes] = OrderedDict()

    def find(self, path: str, query: bytes) -> bytes | None:
        """The cached body of an answer, or None."""
        answer = self._answers.get((path, query))
        if answer is not None:
            self._answers.move_to_end((path, query))
        return answer

    def keep(self, path: str, query: bytes, answer: bytes) -> None:
        """Cache an answer that is the same for all clients and never changes."""
        if len(query) > LONGEST_QUESTION:
            return
        self._answers[path, query] = answer
        if len(self._answers) > self._most:
            self._answers.popitem(last=False)


class MemoryQuota:
    """The memory that waiting lines of requests hold. For the event loop only."""

    def __init__(self, most: int, most_per_client: int) -> None:
        self._most = most
        self._most_per_client = most_per_client
        self._taken: Counter[str] = Counter()

    @contextmanager
    def held(self, client: str, size: int) -> Iterator[None]:
        """Reserve bytes for a client; raise an :class:`ApiError` if too few are free."""
        taken = self._taken[client]
        if taken + size > self._most_per_client:
            raise too_many(
                f"your requests hold {taken:,} bytes of memory and this one needs {size:,} more, "
                f"but the limit for one client is {self._most_per_client:,}; wait until another "
                "of your requests ends"
            )
        if self._taken.total() + size > self._most:
            raise unavailable(
                f"the requests of all clients hold {self._taken.total():,} bytes of memory, and "
                f"the limit is {self._most:,}; try again later"
            )
        self._taken[client] += size
        try:
            yield
        finally:
            self._taken[client] -= size
            if not self._taken[client]:
                del self._taken[client]


T = TypeVar("T")

THREADS: Final = 64
"""Number of threads for interactive requests; most wait for a search or a database."""
BATCH_THREADS: Final = 8
"""Number of threads for batches, so that batches do not delay interactive requests."""
KNOWN_ANSWERS: Final = 4_096
"""Number of cached answers; each has about 2,000 bytes."""
READ_SECONDS: Final = 10.0
"""Maximum duration of a query in PostgreSQL: no client may occupy the server's database."""
BATCH_NICENESS: Final = 5
"""Niceness of the threads for batches."""
SLOT_SECONDS: Final = 2.0
"""Time that a request waits until its client has fewer requests than the limit."""
TELL_SECONDS: Final = 0.05
"""Time between two stop signals to a search, which may have begun a new search after the first."""


class Service:
    """The resources that all requests share; :meth:`open` opens them.

    Attributes:
        broker: calls the workers of the broker; None without a broker.
        answer_service: answers questions about positions.
        known: the cache of complete answers.
        memory: the memory that requests hold.
        runner: works on jobs; None if jobs cannot be created.
        stopping: set when the server shuts down; endless streams must end then.
    """

    answer_service: AnswerService

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.database: Database | None = None
        self.broker: Broker | None = None
        self.known = Known(KNOWN_ANSWERS)
        self.metrics = Metrics()
        self.memory = MemoryQuota(settings.limits.memory_bytes, settings.limits.memory_per_client)
        self.runner: JobRunner | None = None
        self.stopping = asyncio.Event()
        self._searches: Counter[str] = Counter()
        self._makings: Counter[str] = Counter()
        self._freed = asyncio.Event()
        """Set, and replaced, whenever a slot of a client becomes free."""
        self._threads = ThreadPoolExecutor(THREADS, "c4-web")
        self._batches = ThreadPoolExecutor(BATCH_THREADS, "c4-batch", initializer=_step_back)
        self._is_open = False
        self._file: tuple[int, int] | None = None
        self._reader: NonBlockingReader | None = None

    def open(self) -> None:
        """Open the resources. Blocking; a second call does nothing."""
        if self._is_open:
            return
        settings = self.settings
        if settings.broker_url is not None:
            self.broker = Broker(settings.broker_url)
        if settings.database_url is not None:
            self.database = Database.open(
                settings.database_url, create=not settings.read_only, read_seconds=READ_SECONDS
            )
            self._file = _file_of(settings.database_url)
            self._reader = self.database.nonblocking_reader()
        self.answer_service = AnswerService(
            self.database,
            threads=settings.threads,
            table_mb=settings.table_mb,
            book=settings.book,
            keeps=self.is_writable,
        )
        self.runner = self._make_runner()
        self._is_open = True

    def close(self) -> None:
        """Stop all searches, hand back unfinished work, and close the database. Blocking."""
        if not self._is_open:
            return
        self._is_open = False
        if self.runner is not None:
            self.runner.close()
        self.answer_service.close()
        for threads in (self._threads, self._batches):
            threads.shutdown(wait=False, cancel_futures=True)
        if self.broker is not None:
            self.broker.close()
        if self._reader is not None:
            self._reader.close()
        if self.database is not None:
            self.database.close()

    @property
    def is_stopping(self) -> bool:
        """Whether the server is shutting down."""
        return self.stopping.is_set()

    @property
    def is_writable(self) -> bool:
        """Whether results can be stored."""
        database = self.database
        return database is not None and not (database.is_read_only or self.settings.read_only)

    def require_database(self) -> Database:
        """The database; raise an :class:`ApiError` without one."""
        if self.database is None:
            raise ApiError(503, "this server has no database: start it with --db")
        return self.database

    def require_writable(self) -> Database:
        """The database for writing; raise an :class:`ApiError` if it is read-only."""
        database = self.require_database()
        if not self.is_writable:
            raise ApiError(403, "this server cannot write to its database")
        if self._is_replaced():
            LOGGER.error("%s was deleted or replaced: restart c4 serve", database.url)
            raise unavailable("the database was deleted or replaced: restart the server")
        return database

    def check_database(self) -> None:
        """Check that the database can be read and was not replaced. Blocking."""
        url = self.settings.database_url
        if self.database is None or url is None:
            return
        with self.database.read():
            pass
        if self._is_replaced():
            raise UnreachableError(f"{self.database.url} was deleted or replaced: restart c4 serve")
        with Database.open(url, create=False):
            pass

    def _is_replaced(self) -> bool:
        """Whether the path now has another SQLite file than the open one.

        An open connection can still read and write a deleted file.
        """
        url = self.settings.database_url
        return url is not None and _file_of(url) != self._file

    async def in_thread(self, function: Callable[..., T], *args: object) -> T:
        """Run a blocking function of an interactive request in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *args)

    async def in_batch_thread(self, function: Callable[..., T], *args: object) -> T:
        """Run a blocking function of a batch in a thread with low priority."""
        return await asyncio.get_running_loop().run_in_executor(self._batches, function, *args)

    async def find_stored(self, position: Position) -> StoredEvaluation | None:
        """The stored evaluation of the canonical position; None also if it cannot be read.

        One row of an SQLite file is read here, because calling a thread and opening a session
        take ten times as long as the query.
        """
        if self.database is None:
            return None
        if self._reader is not None:
            with suppress(StorageError):  # locked, for example; the thread waits, or logs the error
                return evaluations.find_without_waiting(
                    self._reader, position.board, position.canonical_key
                )
        try:
            found = await self.in_thread(look_up, self.database, [position])
        except StorageError as error:
            LOGGER.warning("answered without the database: %s", error)
            return None
        return found.get(position.canonical_key)

    def search_slot(self, request: Request) -> AbstractAsyncContextManager[None]:
        """Count a request as a search of its client while the block runs."""
        return self._slot(self._searches, request, "searching")

    def job_creation_slot(self, request: Request) -> AbstractAsyncContextManager[None]:
        """Count a request as one that creates a job; it does not count as a search."""
        return self._slot(self._makings, request, "creating jobs")

    @asynccontextmanager
    async def _slot(self, slots: Counter[str], request: Request, doing: str) -> AsyncIterator[None]:
        client = client_of(request)
        limit = self.settings.limits.searches_per_client
        try:
            async with asyncio.timeout(SLOT_SECONDS):
                while slots[client] >= limit:
                    await self._freed.wait()
        except TimeoutError:
            raise too_many(
                f"{limit} of your requests are {doing}; wait until one of them ends"
            ) from None
        slots[client] += 1
        try:
            yield
        finally:
            slots[client] -= 1
            if not slots[client]:
                del slots[client]
            self._freed.set()
            self._freed = asyncio.Event()

    @property
    def searches(self) -> int:
        """Number of requests that are searching."""
        return self._searches.total()

    async def until_disconnected(self, request: Request, work: Callable[[SearchStop], T]) -> T:
        """Run a function in a thread; stop it if the client disconnects."""
        stop = SearchStop()
        doing = asyncio.ensure_future(self.in_thread(work, stop))
        gone = asyncio.ensure_future(_await_disconnect(request))
        ending = asyncio.ensure_future(self.stopping.wait())
        try:
            await asyncio.wait((doing, gone, ending), return_when=asyncio.FIRST_COMPLETED)
            if doing.done():
                return doing.result()
            raise ApiError(
                503 if self.is_stopping else CLIENT_GONE, "the search was stopped before it ended"
            )
        finally:
            gone.cancel()
            ending.cancel()
            if not doing.done():
                await asyncio.shield(_tell(stop, doing))

    def _make_runner(self) -> JobRunner | None:
        if self.database is None or not self.is_writable:
            return None
        runner = JobRunner(
            self.database,
            broker=self.broker,
            threads=self.settings.threads,
            table_mb=self.settings.table_mb,
            programs=self.settings.programs,
        )
        runner.start()
        return runner


def _file_of(url: str) -> tuple[int, int] | None:
    """The device and inode of an SQLite database; None for other databases and missing files."""
    parsed = parse_url(url)
    if parsed.get_backend_name() != "sqlite" or parsed.database is None:
        return None
    try:
        found = Path(parsed.database).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def service_of(request: Request) -> Service:
    """The service of the server that received the request."""
    return cast("Service", request.app.state.service)


def client_of(request: Request) -> str:
    """The address that identifies a request's client."""
    return request.client.host if request.client is not None else ""


async def _await_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _tell(stop: SearchStop, doing: asyncio.Future[T]) -> None:
    """Send stop signals to a search until it ends; discard its result or error."""
    while not doing.done():
        stop.set()
        await asyncio.wait((doing,), timeout=TELL_SECONDS)
    with suppress(Exception):
        doing.result()


def _step_back() -> None:
    """Lower the priority of this thread and the threads that it starts."""
    if hasattr(os, "setpriority") and os.uname().sysname == "Linux":  # others: the entire process
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), BATCH_NICENESS)
